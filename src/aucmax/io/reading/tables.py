"""Read the files of a table, one after the other, into X and y."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from ...validation.errors import DataError
from ..columns.arrow_values import as_text, column_kind, pyarrow_errors
from ..columns.encoder import STATE as ENCODER_STATE
from ..columns.encoder import Encoder
from ..columns.errors import quoted
from ..columns.features import Matrix
from ..columns.options import ReadOptions
from ..columns.schema import Schema, table_schema
from .file_set import FileSet
from .reader import Position, Rows, check_start
from .source import Source


class TableRows(NamedTuple):
    """Some rows of a file, with the places where they are, and the position after them."""

    table: pa.Table
    places: Any  # of each row, a number
    skipped: int = 0  # bad rows left out
    position: dict[str, int] | None = None


class TableFile(Protocol):
    """A file of a table, made by ``NAME(source, options)``."""

    kinds: dict[str, str]  # kind of each column: number, text, date, or the name of another type
    named: bool  # whether the file has the names of its columns
    found: dict[str, Any]  # options that were found out and hold for all files of the table
    label_kind: str | None  # see Encoder
    place: str  # what a place is called: line or row
    position: frozenset[str]  # keys of a position

    def read(self, schema: Schema) -> TableRows:
        """All rows, in the columns of the schema."""

    def batches(self, schema: Schema, batch_size: int, start: dict[str, int]) -> Iterator[TableRows]:
        """The rows after ``start`` (a position, empty for the beginning), ``batch_size`` at a time."""


class TableFilesReader:
    """Reads the files of a table, each by a ``file_class``; the first decides about the columns of all."""

    def __init__(
        self,
        file_class: Callable[[Source, ReadOptions], TableFile],
        files: FileSet,
        options: ReadOptions,
        streaming: bool,
    ) -> None:
        self._files, self._file_class = files, file_class
        self._first = file_class(files.first, options)
        self._options = options._replace(**self._first.found)
        schema = table_schema(self._first.kinds, self._options, self._first.named, streaming)
        self.encoder = Encoder(schema, self._options, label_kind=self._first.label_kind)
        self.found = self._first.found

    @property
    def schema(self) -> Schema:
        """What the columns of the files are."""
        return self.encoder.schema

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""
        return self.encoder.skipped

    def read(self) -> tuple[Matrix, np.ndarray | None]:
        """X and y of all files."""
        parts = []
        for k in range(len(self._files)):
            with self._open(k) as file:
                rows = file.read(self.schema)
                self.encoder.skipped += rows.skipped
                parts.append(rows)
        if len(parts) == 1:
            table = parts[0].table
        else:
            tables = [_plain(part.table, self.schema) for part in parts]
            table = pa.concat_tables(tables, promote_options="permissive")
        ends = np.cumsum([part.table.num_rows for part in parts])

        def place(row: int) -> tuple[str, str]:
            k = int(np.searchsorted(ends, row, side="right"))
            inside = row - int(ends[k]) + parts[k].table.num_rows
            return self._files.name(k), f"{self._first.place} {parts[k].places[inside]}"

        with pyarrow_errors():
            return self.encoder.encode(table, place)

    def chunks(self, batch_size: int, start: Position) -> Iterator[Rows]:
        """The rows after ``start``, ``batch_size`` at a time; a chunk has rows of one file."""
        state = check_start(start, {"file", *self._first.position, *ENCODER_STATE})
        if state:
            self.encoder.restore(state)
        first = state.get("file", 0)
        for k in range(first, len(self._files)):
            with self._open(k) as file:
                begin = {name: state[name] for name in self._first.position} if state and k == first else {}
                for rows in file.batches(self.schema, batch_size, begin):
                    yield from self._encode(k, rows)

    def _encode(self, k: int, rows: TableRows) -> Iterator[Rows]:
        self.encoder.skipped += rows.skipped
        with pyarrow_errors():
            X, y = self.encoder.encode(
                rows.table, lambda row: (self._files.name(k), f"{self._first.place} {rows.places[row]}")
            )
        if X.shape[0]:
            position = {"file": k, **(rows.position or {}), **self.encoder.state()}
            yield Rows(X, y, position)

    @contextmanager
    def _open(self, k: int) -> Iterator[TableFile]:
        """A file of the table, which must have the columns of the first."""
        with self._files.open(k) as source:
            yield self._first if k == 0 else self._checked(source)

    def _checked(self, source: Source) -> TableFile:
        file = self._file_class(source, self._options)
        first, name = self._first, self._files.first.name
        remedy = "give files with the same columns"
        of_model = self._options.features is not None or self._options.encoding is not None
        wanted = self.schema.columns if of_model else list(first.kinds)
        for column in wanted:
            if column not in file.kinds:
                raise DataError(f"it has no column {quoted(column)}, which {name} has", remedy=remedy)
        for column in file.kinds:
            if column not in first.kinds and not of_model:
                raise DataError(f"it has a column {quoted(column)}, which {name} has not", remedy=remedy)
        for column in self.schema.columns:
            here, there = file.kinds[column], first.kinds[column]
            if here != there and file.label_kind == "text":  # types are stored, not found out
                problem = f"column {quoted(column)} has the kind {here}, but {there} in {name}"
                raise DataError(problem, remedy=remedy)
        return file


def _plain(table: pa.Table, schema: Schema) -> pa.Table:
    """Text as strings, booleans as numbers: other files may store the column otherwise, or without values."""
    for k, column in enumerate(table.column_names):
        values = table.column(k)
        if column in schema.texts or (column == schema.label and column_kind(values.type) == "text"):
            table = table.set_column(k, column, as_text(values))
        elif pa.types.is_dictionary(values.type):
            table = table.set_column(k, column, values.cast(values.type.value_type))
        elif pa.types.is_boolean(values.type) and column in schema.numbers:
            table = table.set_column(k, column, values.cast(pa.float64()))
    return table
