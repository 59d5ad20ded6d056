"""Parquet and Arrow files, through pyarrow."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from ...validation.errors import DataError
from .columns import column_kind
from .encoder import Encoder, TableReader
from .options import ReadOptions
from .reader import Chunk, check_start
from .schema import check_distinct, table_schema
from .source import Source

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # row numbers, which pandas writes as a column


class ArrowReader(TableReader):
    """Reads the columns of a Parquet or Arrow file."""

    def __init__(self, source: Source, options: ReadOptions, streaming: bool) -> None:
        with pyarrow_errors():
            self._file = (ParquetFile if source.head.startswith(b"PAR1") else ArrowFile)(source)
            names = self._file.schema.names
            columns = [field for field in self._file.schema if not _PANDAS_INDEX.fullmatch(field.name)]
            kinds = {field.name: column_kind(field.type) for field in columns}
        check_distinct(names, "two columns are called", "rename one")
        schema = table_schema(kinds, options, named=True, streaming=streaming)
        self.encoder = Encoder(schema, options, label_kind="text")  # text is never parsed as numbers here

    def read(self) -> tuple[Any, np.ndarray | None]:
        """X and y of the whole file."""
        with pyarrow_errors():
            return self.encoder.encode(self._file.read(self.schema.columns), lambda k: f"row {k + 1}")

    def chunks(self, batch_size: int, start: Any) -> Iterator[Chunk]:
        """The rows after ``start``, ``batch_size`` at a time."""
        state = check_start(start, {"row", "labels", "sums", "counts"})
        if state:
            self.encoder.restore(state)
        row = state.get("row", 0)
        for table in _rebatch(self._file.batches(self.schema.columns, row, batch_size), batch_size):
            first = row + 1
            with pyarrow_errors():
                X, y = self.encoder.encode(table, lambda k, first=first: f"row {first + k}")  # type: ignore[misc]
            row += table.num_rows
            if X.shape[0]:
                yield Chunk(X, y, self.schema.feature_names, {"row": row, **self.encoder.state()})


class ParquetFile:
    """A Parquet file; row groups before the first row wanted are not read."""

    def __init__(self, source: Source) -> None:
        self._file = pyarrow.parquet.ParquetFile(source.seekable(), pre_buffer=False)
        self.schema = self._file.schema_arrow

    def read(self, columns: list[str]) -> pa.Table:
        return self._file.read(columns=columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> Iterator[pa.RecordBatch]:
        """Record batches from a row on."""
        meta = self._file.metadata
        first = 0
        while first < meta.num_row_groups and row >= meta.row_group(first).num_rows:
            row -= meta.row_group(first).num_rows
            first += 1
        groups = list(range(first, meta.num_row_groups))
        yield from _skip_rows(self._file.iter_batches(batch_size, row_groups=groups, columns=columns), row)


class ArrowFile:
    """An Arrow file (Feather) or an Arrow stream."""

    def __init__(self, source: Source) -> None:
        self._is_file = source.head.startswith(b"ARROW1")
        opener = pyarrow.ipc.open_file if self._is_file else pyarrow.ipc.open_stream
        self._reader = opener(source.seekable())
        self.schema = self._reader.schema

    def read(self, columns: list[str]) -> pa.Table:
        return _validated(self._reader.read_all()).select(columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> Iterator[pa.RecordBatch]:
        """Record batches from a row on."""
        reader = self._reader
        found = map(reader.get_batch, range(reader.num_record_batches)) if self._is_file else reader
        yield from _skip_rows((_validated(batch).select(columns) for batch in found), row)


def _validated(data: Any) -> Any:
    """The data, after a check for offsets outside the buffers, which pyarrow does not make on reading."""
    data.validate(full=True)
    return data


def _skip_rows(batches: Any, row: int) -> Iterator[pa.RecordBatch]:
    """The rows from a row on."""
    for batch in batches:
        if row < batch.num_rows:
            yield batch.slice(row)
        row = max(0, row - batch.num_rows)


def _rebatch(batches: Iterator[pa.RecordBatch], n_rows: int) -> Iterator[pa.Table]:
    """Tables of exactly ``n_rows``, the last one fewer."""
    waiting: list[pa.RecordBatch] = []
    n_waiting = 0
    while True:
        with pyarrow_errors():
            batch = next(batches, None)
        if batch is None:
            break
        while n_waiting + batch.num_rows >= n_rows:
            taken = n_rows - n_waiting
            yield pa.Table.from_batches([*waiting, batch.slice(0, taken)])
            batch, waiting, n_waiting = batch.slice(taken), [], 0
        if batch.num_rows:
            waiting.append(batch)
            n_waiting += batch.num_rows
    if waiting:
        yield pa.Table.from_batches(waiting)


@contextmanager
def pyarrow_errors() -> Iterator[None]:
    """Turn the errors of pyarrow about a damaged file into a DataError."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DataError(f"cannot be read ({reason})", remedy="check that the file is complete") from error
