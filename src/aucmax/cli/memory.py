"""Whether data fit in memory, estimated before they are read."""

import os
from pathlib import Path
from typing import Any

from ..io.reading.file_set import list_files
from ..io.reading.source import COMPRESSED, open_source
from ..validation.errors import DataError
from .data import DataPath, data_name
from .messages import print_warning

SMALL = 50_000_000  # bytes; smaller files are not looked at
_SAMPLE = 1 << 16  # bytes of text from which its values are counted
_UNPACKED = 4  # bytes of text in a byte of a compressed file, about
# Memory as a multiple of the values, of 8 bytes each (12 in sparse rows, with the index). Reading holds the
# table and the rows; training took 9 times the values (300,000 rows of 20 columns in CSV).
_READING, _TRAINING = 2, 8
_CGROUP = Path("/sys/fs/cgroup")


def check_memory(data: DataPath, remedy: str) -> None:
    """Raise an error if the rows cannot fit in memory, and warn if training on them may not."""
    free = free_memory()
    size = None if free is None else estimate_values(data)
    if free is None or size is None:
        return
    name = data_name(data)
    if _READING * size > free:
        raise DataError(f"its rows take {_compare_sizes(_READING * size, free)}", remedy=remedy, file=name)
    if _TRAINING * size > free:
        print_warning(f"training on {name} takes {_compare_sizes(_TRAINING * size, free)}; {remedy}.")


def estimate_values(data: DataPath) -> float | None:
    """Bytes of the values in files, about; None for small files and for those that are not local."""
    files = [] if data == "-" else [file for file in list_files(data) if isinstance(file, (str, Path))]
    sizes = [os.path.getsize(file) if os.path.isfile(file) else 0 for file in files]
    if sum(sizes) < SMALL:
        return None
    return sum(_values_in_file(file, size) for file, size in zip(files, sizes, strict=True) if size)


def _values_in_file(file: Any, size: int) -> float:
    with open(file, "rb") as raw:
        packed = raw.read(6).startswith(tuple(COMPRESSED))
    with open_source(file) as source:
        if source.format.name == "parquet":
            import pyarrow.parquet

            meta = pyarrow.parquet.ParquetFile(source.seekable()).metadata
            return 8.0 * meta.num_rows * meta.num_columns
        if source.format.name == "arrow":
            return float(size)
        head = source.head[:_SAMPLE]
    if source.format.name == "libsvm":
        values = 12 * head.count(b":")
    else:
        values = 8 * (max(map(head.count, (b",", b";", b"\t", b"|"))) + head.count(b"\n"))
    return size * (_UNPACKED if packed else 1) * values / len(head)


def free_memory() -> float | None:
    """Bytes that a process may still take, also within the limits of a container; None if not known."""
    found = []
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(1024.0 * int(lines["MemAvailable"].split()[0]))
        limit = int((_CGROUP / "memory.max").read_text())  # "max" is no number
        statistics = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        used = int((_CGROUP / "memory.current").read_text()) - int(statistics["inactive_file"])
        found.append(float(limit - used))
    except (OSError, ValueError, KeyError):
        pass
    return min(found, default=None)


def _compare_sizes(needed: float, free: float) -> str:
    return f"about {needed / 1e9:.1f} GB of memory, but {max(free, 0) / 1e9:.1f} GB are free"
