"""What the columns of delimited text are: numbers, booleans, dates or text; found from the first rows."""

import re
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ...validation.errors import DataError, warn_caller
from ...validation.parameters import parse_number
from ..columns.arrow_values import as_text, column_kind
from ..columns.date_formats import DATE_FORMS, are_dates, find_day_first
from ..columns.errors import TableWarning, quoted
from ..columns.number_formats import (
    FORMS,
    NEARLY_ALL,
    OTHER_MARK,
    are_numbers,
    are_partly_percent,
    find_decimal,
    is_code,
    parse_plain,
)
from ..columns.options import ReadOptions
from ..columns.schema import Schema
from .csv_lines import Layout, well_formed_rows
from .dialect import BOM
from .lines import line_ends

# Types of columns, and the kind of each. Text has formatted numbers (1,234.50 €) and dates before they are
# converted; a column without values is empty.
KINDS = {
    "number": "number",
    "boolean": "number",
    "empty": "number",
    "formatted": "number",
    "date": "date",
    "text": "text",
}


class ColumnTypes(NamedTuple):
    """The type of each column, the decimal mark and whether the day of a date comes first, where known.

    ``other_decimal`` are columns of text that would be numbers with the other decimal mark;
    ``partly_percent`` are columns of numbers, some with a percent sign and some without.
    """

    types: list[str]
    decimal: str | None
    day_first: bool | None
    other_decimal: list[str]
    partly_percent: list[str]

    def for_schema(self, schema: Schema, names: list[str]) -> dict[str, str]:
        """How to parse the columns of a schema, whose kinds other files or a model may have decided."""
        types, by_name = {}, dict(zip(names, self.types, strict=True))
        for column in schema.columns:
            found = by_name[column]
            if column in schema.numbers:
                types[column] = found if KINDS[found] == "number" else "formatted"
            else:
                types[column] = "date" if column in schema.dates else "text"
        return types


def plain_types(types: dict[str, str]) -> dict[str, pa.DataType]:
    """The Arrow types in which pyarrow parses the columns."""
    arrow = {"number": pa.float64(), "empty": pa.float64(), "boolean": pa.bool_()}
    return {column: arrow.get(type, pa.string()) for column, type in types.items()}


def find_types(
    sample: bytes, delimiter: str, names: list[str], nulls: list[str], options: ReadOptions
) -> ColumnTypes:
    """The types of the columns in the first rows; malformed rows are left out."""
    layout = Layout(delimiter, [str(k) for k in range(len(names))], options.decimal or ".", nulls)
    table, sample = _infer(sample, layout)
    inferred, texts = table.schema.types, _Texts(sample, layout)
    decimal = options.decimal
    if decimal is None and (delimiter == ";" or any(map(_is_text, inferred))):
        decimal = _find_decimal(inferred, texts, delimiter)
        if decimal == ",":
            layout = layout._replace(decimal=decimal)
            inferred = _infer(sample, layout)[0].schema.types
    numeric = _numbers_of(options)
    zeros = rb'[\s"' + re.escape(delimiter.encode()) + rb"]0[0-9]{2}"
    has_zeros = any(map(pa.types.is_integer, inferred)) and re.search(zeros, b"\n" + sample)
    types = []
    for k, (name, dtype) in enumerate(zip(names, inferred, strict=True)):
        if has_zeros and pa.types.is_integer(dtype) and name not in numeric:
            types.append("text" if is_code(texts[k]) else "number")
        else:
            types.append(_type(dtype, texts, k, layout.decimal))
    day_first = options.day_first
    if day_first is None:
        dates = [texts[k] for k, type in enumerate(types) if type == "date"]
        day_first = find_day_first(dates)
        if day_first is None and any(pc.any(pc.match_substring(values, "/")).as_py() for values in dates):
            day_first = decimal == ","
    other = OTHER_MARK.get(options.decimal or "")
    read_as_text = [k for k, type in enumerate(types) if other and type == "text"]
    other_decimal = [names[k] for k in read_as_text if find_decimal([texts[k]]) == other]
    formatted = [k for k, type in enumerate(types) if type == "formatted"]
    partly_percent = [names[k] for k in formatted if are_partly_percent(texts[k])]
    return ColumnTypes(types, decimal, day_first, other_decimal, partly_percent)


def check_types(types: ColumnTypes, options: ReadOptions) -> None:
    """Refuse the other decimal mark where numbers must be; warn in training where it is likely wrong."""
    other_decimal, partly_percent = (
        [name for name in found if name != options.label]
        for found in (types.other_decimal, types.partly_percent)
    )
    if other_decimal and options.decimal is not None:
        other = OTHER_MARK[options.decimal]
        needed = [name for name in other_decimal if name in _numbers_of(options)]
        name, mark = (needed or other_decimal)[0], {".": "point", ",": "comma"}[other]
        problem = f"the numbers in column {quoted(name)} have a decimal {mark}, so they are read as text"
        if needed:
            raise DataError(problem, remedy=f'give {{decimal="{other}"}} to read them')
        if options.check_columns:
            warn_caller(TableWarning(problem, f'give {{decimal="{other}"}} to read them as numbers'))
    if partly_percent and options.check_columns:  # percent signs are only dropped
        name = quoted(partly_percent[0])
        problem = f"column {name} has numbers with and without %, and 12 % is read as 12, not 0.12"
        warn_caller(TableWarning(problem, "write them all in the same way if they mean the same"))


def decided_columns(options: ReadOptions) -> set[str]:
    """The columns whose kind a model has decided, or an option."""
    known = () if options.encoding is None else options.encoding.columns
    return _numbers_of(options) | {column.name for column in known}


def _numbers_of(options: ReadOptions) -> set[str]:
    """The columns that are numbers to a model, or by an option."""
    known = [] if options.encoding is None else [each.name for each in options.encoding.of_kind("number")]
    return {*known, *(options.features or ()), *map(str, options.numeric_columns or ())}


class _Texts:
    """The columns of a sample as text, without spaces around it; parsed when the first is asked for."""

    def __init__(self, sample: bytes, layout: Layout) -> None:
        self._sample, self._layout = sample, layout
        self._table: pa.Table | None = None

    def __getitem__(self, k: int) -> Any:
        if self._table is None:
            strings = dict.fromkeys(self._layout.columns, pa.string())
            self._table = parse(self._sample, self._layout, strings, threads=False)
        return as_text(self._table.column(k), self._layout.nulls)


def _infer(sample: bytes, layout: Layout) -> tuple[pa.Table, bytes]:
    """The rows with inferred types, and the text without malformed rows."""
    with suppress(pa.ArrowInvalid):
        table = parse(sample, layout, {}, threads=False)
        if not any(map(pa.types.is_binary, table.schema.types)):  # not UTF-8
            return table, sample
    sample = well_formed_rows(sample, layout)
    if not sample:
        return pa.table({column: pa.nulls(0) for column in layout.columns}), sample
    return parse(sample, layout, {}, threads=False), sample


def _is_text(dtype: pa.DataType) -> bool:
    return column_kind(dtype) == "text"


def _find_decimal(inferred: list[pa.DataType], texts: _Texts, delimiter: str) -> str | None:
    """The decimal mark. With semicolons between columns it is a comma, unless a column shows a point."""
    marked = [texts[k] for k, dtype in enumerate(inferred) if _is_text(dtype) or pa.types.is_floating(dtype)]
    decimal = find_decimal(marked)
    if decimal is None and delimiter == ";" and any(are_numbers(values, ",") for values in marked):
        return ","
    return decimal


def _type(dtype: pa.DataType, texts: _Texts, k: int, decimal: str) -> str:
    if pa.types.is_null(dtype):
        return "empty"
    if pa.types.is_boolean(dtype):
        return "boolean"
    if column_kind(dtype) == "number":
        return "number"
    if _mostly_plain(texts[k], decimal):
        return "number"
    if are_numbers(texts[k], decimal):
        return "formatted"
    return "date" if are_dates(texts[k]) else "text"


def _mostly_plain(values: Any, decimal: str) -> bool:
    """Whether at most a tenth of the values are no plain numbers; they are then taken for mistakes."""
    texts = values.drop_null().to_pylist()
    return bool(texts) and sum(parse_plain(text, decimal) is not None for text in texts) >= NEARLY_ALL * len(
        texts
    )


def is_header(names: list[str], types: ColumnTypes) -> bool:
    """Whether the first line has only words (or nothing), or a word above a column of numbers."""
    cells, forms = pa.chunked_array([names], pa.string()), (*FORMS.values(), *DATE_FORMS)
    values = np.array([parse_number(name) is not None for name in names])
    for form in forms:  # numbers and dates as they may be written in a row
        values |= pc.match_substring_regex(cells, form).to_numpy()
    words = [bool(name) and not value for name, value in zip(names, values, strict=True)]
    if any(words) and all(word or not name for word, name in zip(words, names, strict=True)):
        return True
    return any(
        word and KINDS[type] in ("number", "date") and type != "empty"
        for word, type in zip(words, types.types, strict=True)
    )


def parse(
    text: bytes,
    layout: Layout,
    types: dict[str, pa.DataType],
    threads: bool,
    breaks_in_quotes: bool = False,
) -> pa.Table:
    """The lines as an Arrow table: the columns in ``types``, or all with inferred types if there are none."""
    if text[: len(BOM)] == BOM:  # pyarrow drops one, but that of the file is dropped already
        text = BOM + text
    longest = int(np.diff(line_ends(text), prepend=-1, append=len(text)).max())
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            use_threads=threads,
            block_size=min(max(1 << 20, 4 * longest), 2**31 - 1),
            column_names=layout.columns,
        ),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=layout.delimiter, newlines_in_values=breaks_in_quotes
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=layout.nulls,
            decimal_point=layout.decimal,
        ),
    )
