"""Tables that `predict` writes, some rows at a time: CSV, JSON lines or Parquet."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..io.storage.atomic import atomic_write

_QUOTED = re.compile('[",\r\n]|^\\s|\\s$')  # a cell that must stand in quotes
Columns = dict[str, np.ndarray | list]


@contextmanager
def open_output(path: str, as_json: bool) -> Iterator["TextOutput | ParquetOutput"]:
    """Open a file to be written completely or not at all; ``-`` is standard output, flushed at each call."""
    with atomic_write(path) as file:
        if Path(path).suffix.lower() == ".parquet":
            with closing(ParquetOutput(file)) as output:
                yield output
        else:
            yield TextOutput(file, as_json, flush=path == "-")


class TextOutput:
    """An object for each row, or CSV under a header, in which floats keep every bit."""

    def __init__(self, file: BinaryIO, as_json: bool, flush: bool) -> None:
        self._file, self._as_json, self._flush = file, as_json, flush
        self._needs_header = not as_json

    def write(self, columns: Columns) -> None:
        """Write rows, given as columns of equal length, and the header of CSV before the first."""
        if self._as_json:
            rows = zip(*map(_values, columns.values()), strict=True)
            lines = [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows]
        else:
            lines = [",".join(map(quote, columns))] if self._needs_header else []
            lines.extend(map(",".join, zip(*map(_cells, columns.values()), strict=True)))
            self._needs_header = False
        self._file.write(("\n".join(lines) + "\n").encode())
        if self._flush:
            self._file.flush()


class ParquetOutput:
    """A Parquet file; the types are those of the first rows."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        """Write rows, given as columns of equal length."""
        import pyarrow as pa
        from pyarrow import parquet

        schema = None if self._writer is None else self._writer.schema
        table = pa.table({name: pa.array(_values(column)) for name, column in columns.items()}, schema)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the end of the file."""
        if self._writer is not None:
            self._writer.close()


def quote(cell: str) -> str:
    """A cell of CSV, in quotes where they are needed."""
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


def _values(column: Any) -> list:
    return column if isinstance(column, list) else column.tolist()


def _cells(column: Any) -> Iterable[str]:
    """The cells of a column of CSV."""
    if getattr(column, "dtype", None) == "float64":
        return map(repr, column.tolist())
    values = _values(column)
    known = {value: "" if value is None else quote(str(value)) for value in set(values)}  # labels are few
    return map(known.__getitem__, values)
