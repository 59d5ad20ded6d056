"""Parquet and Arrow files, through pyarrow."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from ...validation.errors import DataError
from .encoder import Encoder, kind_of
from .options import Chunk, Options, Table, check_start, no_rows
from .schema import make_plan
from .source import Source, failure, need


def read(source: Source, options: Options) -> Table:
    """The whole file as one table."""
    file, encoder = _opened(source, options, streaming=False)
    with complaints(source.name):
        table = file.whole(_columns(encoder))
        X, y, skipped = encoder.encode(table, lambda row: f"row {row + 1}")
    if not X.shape[0]:
        raise no_rows(source.name, skipped)
    return Table(X, y, encoder.feature_names, skipped)


def stream(source: Source, batch_size: int, options: Options, start: Any) -> Generator[Chunk, None, int]:
    """Chunks of ``batch_size`` rows; at the end, how many rows were left out after the last one."""
    state = check_start(start, {"row", "labels", "sums", "counts"})
    file, encoder = _opened(source, options, streaming=True)
    if state:
        encoder.restore(state)
    row = state.get("row", 0)
    skipped, empty = 0, not row
    batches = file.batches(_columns(encoder), row, batch_size)
    for table in _regrouped(batches, batch_size, source.name):
        first = row + 1
        with complaints(source.name):
            X, y, n_bad = encoder.encode(table, lambda k, first=first: f"row {first + k}")  # type: ignore[misc]
        row += table.num_rows
        skipped += n_bad
        if X.shape[0]:
            yield Chunk(X, y, encoder.feature_names, {"row": row, **encoder.state()}, skipped)
            skipped, empty = 0, False
    if empty:
        raise no_rows(source.name, skipped)
    return skipped


def _columns(encoder: Encoder) -> list[str]:
    plan = encoder.plan
    return [*plan.numbers, *plan.texts, *([] if plan.label is None else [plan.label])]


def _opened(source: Source, options: Options, streaming: bool) -> tuple[Any, Encoder]:
    need("pyarrow", f"Reading {source.name}")
    with complaints(source.name):
        file = (ParquetFile if source.head.startswith(b"PAR1") else ArrowFile)(source)
        kinds = {field.name: kind_of(field.type) for field in file.schema}
        names = file.schema.names
    if len(kinds) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise failure(source.name, "", f"two columns are called {twice!r}", "rename one")
    encoder = Encoder(source.name, make_plan(source.name, kinds, options, streaming), options, named=True)
    encoder.kind = "text"  # here text is never meant for a number
    return file, encoder


class ParquetFile:
    """A Parquet file, by row groups."""

    def __init__(self, source: Source) -> None:
        parquet = need("pyarrow.parquet", "Reading Parquet")
        self._file = parquet.ParquetFile(source.seekable(), pre_buffer=False)
        self.schema = self._file.schema_arrow

    def whole(self, columns: list[str]) -> Any:
        return self._file.read(columns=columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> Iterator[Any]:
        """Record batches from a row on."""
        meta = self._file.metadata
        first = 0
        while first < meta.num_row_groups and row >= meta.row_group(first).num_rows:
            row -= meta.row_group(first).num_rows
            first += 1
        groups = list(range(first, meta.num_row_groups))
        yield from _after(self._file.iter_batches(batch_size, row_groups=groups, columns=columns), row)


class ArrowFile:
    """An Arrow file (Feather) or an Arrow stream."""

    def __init__(self, source: Source) -> None:
        ipc = need("pyarrow.ipc", "Reading Arrow")
        whole = source.head.startswith(b"ARROW1")
        self._reader = ipc.open_file(source.seekable()) if whole else ipc.open_stream(source.seekable())
        self._numbered = whole
        self.schema = self._reader.schema

    def whole(self, columns: list[str]) -> Any:
        return _sound(self._reader.read_all()).select(columns)

    def batches(self, columns: list[str], row: int, batch_size: int) -> Iterator[Any]:
        """Record batches from a row on."""
        reader = self._reader
        every = map(reader.get_batch, range(reader.num_record_batches)) if self._numbered else reader
        yield from _after((_sound(batch).select(columns) for batch in every), row)


def _sound(data: Any) -> Any:
    """The data, once it is certain that no offset of theirs points outside: pyarrow trusts an Arrow file."""
    data.validate(full=True)
    return data


def _after(batches: Any, row: int) -> Iterator[Any]:
    for batch in batches:
        if row < batch.num_rows:
            yield batch.slice(row)
        row = max(0, row - batch.num_rows)


def _regrouped(batches: Iterator[Any], n_rows: int, name: str) -> Iterator[Any]:
    """Tables of exactly ``n_rows``, the last one fewer."""
    pa = need("pyarrow", "Reading tables")
    waiting: list[Any] = []
    n_waiting = 0
    while True:
        with complaints(name):
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
def complaints(name: str) -> Iterator[None]:
    """Whatever pyarrow says against a file becomes a DataError."""
    pa = need("pyarrow", "Reading tables")
    try:
        yield
    except DataError:
        raise
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        KeyError,
        IndexError,
        MemoryError,
        OverflowError,
    ) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise failure(name, "", f"it cannot be read ({reason})", "check that the file is whole") from error
