"""Parse CSV line by line where pyarrow refuses a text, and name the line that is wrong."""

import csv
from contextlib import suppress
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from ...validation.errors import DataError
from .errors import CORRECT_LINE, quoted
from .lines import parse_number
from .schema import Schema

_DEFAULTS = pyarrow.csv.ConvertOptions()
_NULLS = set(_DEFAULTS.null_values)
_BOOLEANS = dict.fromkeys(_DEFAULTS.true_values, 1.0) | dict.fromkeys(_DEFAULTS.false_values, 0.0)
_NEED_QUOTES = set('"\r\n,;\t|')


class Layout(NamedTuple):
    """How the lines of a file are divided into columns."""

    delimiter: str
    columns: list[str]
    booleans: set[str]  # columns of true and false, which count as numbers


def parse_lines(
    text: bytes, line: int, layout: Layout, schema: Schema, skip: bool
) -> tuple[pa.Table, list[int], int]:
    """``(table, line numbers of its rows, skipped)`` of a text whose first line has the number ``line``."""
    index = {column: k for k, column in enumerate(layout.columns)}
    indices, n_numbers = [index[column] for column in schema.columns], len(schema.numbers)
    rows: dict[int, list[Any]] = {}
    skipped = 0
    for number, content in enumerate(text.split(b"\n"), start=line):
        content = content.removesuffix(b"\r")
        try:
            if content:
                rows[number] = _parse_line(content, layout, indices, n_numbers)
        except DataError as error:
            if not skip:
                raise error.located(place=f"line {number}") from None
            skipped += 1
    arrays = {
        column: pa.array([row[k] for row in rows.values()], pa.float64() if k < n_numbers else pa.string())
        for k, column in enumerate(schema.columns)
    }
    return pa.table(arrays), list(rows), skipped


def well_formed_lines(text: bytes, delimiter: str, n_columns: int) -> bytes:
    """The lines that are UTF-8, have the right number of columns and need no quotes."""
    kept = []
    for content in text.splitlines():
        with suppress(UnicodeDecodeError):
            found = split_line(content.decode(), delimiter)
            if found and len(found) == n_columns and not any(_NEED_QUOTES & set(field) for field in found):
                kept.append(delimiter.join(found))
    return "\n".join(kept).encode()


def split_line(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line, or None if it is malformed."""
    try:
        return next(csv.reader([text], delimiter=delimiter), None)
    except csv.Error:
        return None


def _parse_line(content: bytes, layout: Layout, indices: list[int], n_numbers: int) -> list[Any]:
    """The values of one line in the given columns: floats first, then text; None where missing."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise DataError(f"{quoted(content)} is not UTF-8 text", remedy=CORRECT_LINE) from None
    fields = split_line(text, layout.delimiter)
    if fields is None:
        raise DataError(f"{quoted(text)} cannot be split into columns", remedy=CORRECT_LINE)
    if len(fields) != len(layout.columns):
        problem = f"{len(fields)} columns where {len(layout.columns)} are expected in {quoted(text)}"
        raise DataError(problem, remedy=CORRECT_LINE)
    values: list[Any] = []
    for k, index in enumerate(indices):
        is_number = k < n_numbers
        value = fields[index].strip() if is_number else fields[index]  # Arrow keeps the spaces of text
        if value in _NULLS:
            values.append(None)
        else:
            values.append(_number(value, layout.columns[index], layout) if is_number else value)
    return values


def _number(text: str, column: str, layout: Layout) -> float:
    if column in layout.booleans and text in _BOOLEANS:
        return _BOOLEANS[text]
    number = parse_number(text)
    if number is None:
        raise DataError(f"{quoted(text)} in column {quoted(column)} is not a number", remedy=CORRECT_LINE)
    return number
