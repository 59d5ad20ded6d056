"""CSV and TSV by pyarrow; text that it refuses is parsed line by line, to find the bad lines."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ...validation.errors import DataError
from ..columns.arrow_values import as_text, parse_texts, pyarrow_errors
from ..columns.date_formats import to_dates
from ..columns.errors import CORRECT_VALUE, correct_value_or_kind, quoted
from ..columns.number_formats import parse_plain, to_numbers
from ..columns.options import ReadOptions
from ..columns.schema import Schema, check_distinct
from .column_types import KINDS, check_types, decided_columns, find_types, is_header, parse, plain_types
from .csv_lines import BOOLEANS, LABEL_NULLS, Layout, null_values, parse_lines
from .dialect import BOM, find_dialect, header_text
from .lines import Lines, line_ends
from .reader import no_rows
from .records import batches, find_quoted_breaks, first_record
from .source import Source
from .tables import TableFilesReader, TableRows

SAMPLE = 1000  # lines from which the types of the columns are inferred


class CSVFile:
    """Delimited text, with or without a header."""

    label_kind: str | None = None
    place = "line"
    position = frozenset({"byte", "line"})

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._skip = options.skip_bad_rows
        self._decided = decided_columns(options)
        self._lines = lines = Lines(source, options.live)
        if source.head.startswith(BOM):
            lines.seek(len(BOM), 1)
        delimiter = options.delimiter or ("\t" if source.format.name == "tsv" else None)
        self._dialect = dialect = find_dialect(lines, delimiter, options)
        sample = lines.peek(SAMPLE)  # stays unread
        if not sample:
            raise no_rows(0)
        first = first_record(sample, dialect.delimiter)
        rest = dialect.decode(sample[len(first) :])
        names = dialect.columns(header_text(first, dialect))
        nulls = null_values(options.na_values)
        types = find_types(rest, dialect.delimiter, names, nulls, options)
        self.named = options.header if options.header is not None else is_header(names, types)
        if self.named:
            lines.take(max(first.count(b"\n"), 1))
            check_distinct(names, "two columns are called", "rename one")
        else:
            names = [f"column {k + 1}" for k in range(len(names))]
            types = find_types(dialect.decode(first) + rest, dialect.delimiter, names, nulls, options)
        check_types(types, options)
        self._types = types
        self._layout = Layout(dialect.delimiter, names, types.decimal or ".", nulls)
        # Numbers are parsed faster with fewer texts for missing values; all are tried where these do not do.
        self._null_lists = [nulls] if options.na_values else [LABEL_NULLS, nulls]
        self.kinds = {name: KINDS[type] for name, type in zip(names, types.types, strict=True)}
        self.found = {"decimal": types.decimal, "day_first": types.day_first}

    def read(self, schema: Schema) -> TableRows:
        """All rows, in the columns of the schema."""
        text, line = self._lines.read_rest(), self._lines.line
        return self._rows(text, line, find_quoted_breaks(text, self._layout.delimiter).breaks, schema, True)

    def batches(self, schema: Schema, batch_size: int, start: dict[str, int]) -> Iterator[TableRows]:
        """The rows after ``start``, ``batch_size`` lines at a time, more where a row has several."""
        if start:
            self._lines.seek(**start)
        for text, line, quoted_breaks in batches(self._lines, batch_size, self._layout.delimiter):
            rows = self._rows(text, line, quoted_breaks, schema, False)
            yield rows._replace(position=self._lines.position())

    def _rows(
        self, text: bytes, line: int, quoted_breaks: set[int], schema: Schema, threads: bool
    ) -> TableRows:
        """The rows of a text whose first line has the number ``line``; some line breaks are in quotes."""
        text = self._dialect.decode(text)
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n")
        types = self._types.for_schema(schema, self._layout.columns)
        table, skipped = None, 0
        if b"\r" not in text:  # pyarrow takes a lone carriage return for a line break
            table = self._parse(text, plain_types(types), threads, bool(quoted_breaks))
        numbers = _row_lines(text, quoted_breaks) + line
        if table is None or table.num_rows != len(numbers):
            table, numbers, skipped = parse_lines(text, line, quoted_breaks, self._layout, self._skip)
            table = table.select(list(types))
        with pyarrow_errors():
            table, bad = self._convert(table, types, schema.label)
        if bad and not self._skip:
            self._refuse(table, types, bad, numbers)
        if bad:
            kept = ~np.logical_or.reduce(list(bad.values()))
            table, numbers, skipped = table.filter(kept), numbers[kept], skipped + int((~kept).sum())
        return TableRows(table, numbers, skipped)

    def _parse(
        self, text: bytes, types: dict[str, pa.DataType], threads: bool, breaks_in_quotes: bool
    ) -> pa.Table | None:
        """The table by pyarrow, or None if it refuses the text."""
        while True:
            layout = self._layout._replace(nulls=self._null_lists[0])
            with suppress(pa.ArrowInvalid):
                return parse(text, layout, types, threads, breaks_in_quotes)
            if len(self._null_lists) == 1:
                return None
            del self._null_lists[0]

    def _convert(
        self, table: pa.Table, types: dict[str, str], label: str | None
    ) -> tuple[pa.Table, dict[str, Any]]:
        """Numbers and dates that are written in text; the rows where there is none, by column."""
        bad, decimal = {}, self._layout.decimal
        for k, (column, type) in enumerate(types.items()):
            if not pa.types.is_string(table.column(k).type):  # pyarrow has parsed it
                continue
            values = as_text(table.column(k), LABEL_NULLS if column == label else self._layout.nulls)
            if type == "formatted":
                values, wrong = to_numbers(values, decimal)
            elif type == "date":
                values, wrong = to_dates(values, bool(self._types.day_first))
            elif type != "text":  # lines that pyarrow refuses
                words = BOOLEANS if type == "boolean" else {}
                found, wrong = parse_texts(values, partial(parse_plain, decimal=decimal, words=words))
                values = pa.chunked_array([found])
            if type != "text" and wrong.any():
                bad[column] = wrong
                if not self._skip:
                    values = table.column(k)  # to name the value
            table = table.set_column(k, column, values)
        return table, bad

    def _refuse(self, table: pa.Table, types: dict[str, str], bad: dict[str, Any], numbers: Any) -> None:
        """Raise an error about the first bad row."""
        column = min(bad, key=lambda column: int(np.argmax(bad[column])))
        row = int(np.argmax(bad[column]))
        value, kind = table.column(column)[row].as_py(), KINDS[types[column]]
        problem = f"{quoted(value)} in column {quoted(column)} is not a {kind}"
        remedy = CORRECT_VALUE if column in self._decided else correct_value_or_kind(column)
        day_first = bool(self._types.day_first)
        if kind == "date" and not to_dates(pa.chunked_array([[value]], pa.string()), not day_first)[1].any():
            problem += f" with the {'day' if day_first else 'month'} first"
            remedy = f"give {{day_first={not day_first}}} if all dates are so, or correct the line"
        raise DataError(problem, remedy=remedy, place=f"line {numbers[row]}")


def _row_lines(text: bytes, quoted_breaks: set[int]) -> np.ndarray:
    """The line, from 0, in which each row begins; blank lines are no rows."""
    filled = np.diff(line_ends(text), prepend=-1, append=len(text)) > 1
    if quoted_breaks:
        continued = np.array(sorted(quoted_breaks)) + 1
        filled[continued] = False
        begins = np.delete(np.arange(len(filled)), continued)  # a row is filled if any of its lines is
        filled[begins] |= np.isin(begins + 1, continued)
    return np.flatnonzero(filled)


CSVReader = partial(TableFilesReader, CSVFile)
