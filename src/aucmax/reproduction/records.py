"""Results in files of one JSON object a line; what is recorded is not computed again."""

import itertools
import json
import os
import platform
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..io.storage.atomic import atomic_write
from ..validation.errors import DataError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
PAUSE_SECONDS = 300.0  # a longer time between two records means that the run was interrupted


class Records:
    """The records of one experiment, in a file to which lines are only appended.

    A line cut off by a crash is dropped when the file is opened again, and is then computed again.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        self.all: list[dict[str, Any]] = []
        if not self.path.exists():
            return
        text = self.path.read_text(encoding="utf-8")
        complete = text[: text.rfind("\n") + 1]
        self.all = [self._read(number, line) for number, line in enumerate(complete.splitlines(), start=1)]
        if complete != text:
            with atomic_write(self.path) as file:
                file.write(complete.encode())

    def _read(self, number: int, line: str) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            place = f"line {number}"
            remedy = "delete that line and run again"
            raise DataError("not a record", remedy=remedy, file=str(self.path), place=place)
        return record

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Prevent other runs from writing to the file, on systems with file locks."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                remedy = "wait for it, or give another folder"
                raise DataError(f"Another run is writing to {self.path}", remedy=remedy) from error
            yield

    def add(self, record: dict[str, Any]) -> None:
        """Append a record to the file immediately."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.all.append(record)

    def discard(self, unwanted: Callable[[dict[str, Any]], bool]) -> None:
        """Remove records from the file."""
        with self.locked():
            self.all = [record for record in self.all if not unwanted(record)]
            with atomic_write(self.path) as file:
                file.writelines(
                    json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.all
                )

    def where(self, **wanted: Any) -> list[dict[str, Any]]:
        """The records that have all these values."""
        return [record for record in self.all if record.items() >= wanted.items()]

    def versions(self) -> str:
        """The versions that made the records, with their number if there are several."""
        counts = Counter(record["versions"] for record in self.all)
        if len(counts) == 1:
            return next(iter(counts))
        return "; ".join(f"{count:,} records by {version}" for version, count in counts.items())

    def minutes(self) -> float:
        """The time between the first and the last record, without the pauses between runs."""
        times = sorted(datetime.fromisoformat(record["at"]) for record in self.all)
        gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(times)]
        return sum(gap for gap in gaps if gap < PAUSE_SECONDS) / 60.0


def versions() -> str:
    """The versions of aucmax, of Python and of the packages that compute the results."""
    from aucmax import __version__

    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return ", ".join([f"aucmax {__version__}", f"Python {platform.python_version()}", *packages])


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation; that of a single value is 0."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0
