"""Parquet and Arrow files, through pyarrow."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from ..columns.arrow_values import column_kind, pyarrow_errors
from ..columns.options import ReadOptions
from ..columns.schema import Schema, check_distinct
from .source import Source
from .tables import TableFilesReader, TableRows

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # row numbers, which pandas writes as a column


class ArrowTableFile:
    """The columns of a Parquet or Arrow file."""

    named = True
    found: dict[str, Any] = {}  # noqa: RUF012
    label_kind: str | None = "text"  # text is never parsed as numbers here
    place = "row"
    position = frozenset({"row"})

    def __init__(self, source: Source, options: ReadOptions) -> None:
        with pyarrow_errors():
            self._file = (ParquetFile if source.head.startswith(b"PAR1") else ArrowFile)(source)
            names = self._file.schema.names
            columns = [field for field in self._file.schema if not _PANDAS_INDEX.fullmatch(field.name)]
            self.kinds = {field.name: column_kind(field.type) for field in columns}
        check_distinct(names, "two columns are called", "rename one")

    def read(self, schema: Schema) -> TableRows:
        """All rows, in the columns of the schema."""
        with pyarrow_errors():
            table = self._file.read(schema.columns)
        return TableRows(table, range(1, table.num_rows + 1))

    def batches(self, schema: Schema, batch_size: int, start: dict[str, int]) -> Iterator[TableRows]:
        """The rows after ``start``, ``batch_size`` at a time."""
        row = start.get("row", 0)
        with pyarrow_errors():
            batches, n_before = self._file.batches(schema.columns, row, batch_size)
        for table in _rebatch(batches, n_before, batch_size):
            first, row = row + 1, row + table.num_rows
            yield TableRows(table, range(first, row + 1), position={"row": row})


class ParquetFile:
    """A Parquet file; row groups before the first row wanted are not read."""

    def __init__(self, source: Source) -> None:
        self._file = pyarrow.parquet.ParquetFile(source.seekable(), pre_buffer=False)
        self.schema = self._file.schema_arrow

    def read(self, columns: list[str]) -> pa.Table:
        return self._file.read(columns=columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> tuple[Iterator[pa.RecordBatch], int]:
        """Record batches up to the end, and how many of their first rows come before the row."""
        meta = self._file.metadata
        first = 0
        while first < meta.num_row_groups and row >= meta.row_group(first).num_rows:
            row -= meta.row_group(first).num_rows
            first += 1
        groups = list(range(first, meta.num_row_groups))
        return self._file.iter_batches(batch_size, row_groups=groups, columns=columns), row


class ArrowFile:
    """An Arrow file (Feather) or an Arrow stream."""

    def __init__(self, source: Source) -> None:
        self._is_file = source.head.startswith(b"ARROW1")
        opener = pyarrow.ipc.open_file if self._is_file else pyarrow.ipc.open_stream
        self._reader = opener(source.seekable())
        self.schema = self._reader.schema

    def read(self, columns: list[str]) -> pa.Table:
        return _validated(self._reader.read_all()).select(columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> tuple[Iterator[pa.RecordBatch], int]:
        """All record batches, and how many of their first rows come before the row."""
        reader = self._reader
        found = map(reader.get_batch, range(reader.num_record_batches)) if self._is_file else reader
        return (_validated(batch).select(columns) for batch in found), row


def _validated(data: Any) -> Any:
    """The data, after a check for offsets outside the buffers, which pyarrow does not make on reading."""
    data.validate(full=True)
    return data


def _rebatch(batches: Iterator[pa.RecordBatch], n_before: int, n_rows: int) -> Iterator[pa.Table]:
    """Tables of exactly ``n_rows``, the last one fewer, without the first ``n_before`` rows."""
    waiting: list[pa.RecordBatch] = []
    n_waiting = 0
    while True:
        with pyarrow_errors():
            batch = next(batches, None)
        if batch is None:
            break
        n_left_out = min(n_before, batch.num_rows)
        batch, n_before = batch.slice(n_left_out), n_before - n_left_out
        while n_waiting + batch.num_rows >= n_rows:
            taken = n_rows - n_waiting
            yield pa.Table.from_batches([*waiting, batch.slice(0, taken)])
            batch, waiting, n_waiting = batch.slice(taken), [], 0
        if batch.num_rows:
            waiting.append(batch)
            n_waiting += batch.num_rows
    if waiting:
        yield pa.Table.from_batches(waiting)


ArrowReader = partial(TableFilesReader, ArrowTableFile)
