"""Parse CSV line by line where pyarrow refuses a text, and name the line that is wrong."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...validation.errors import DataError
from ..columns.errors import quoted
from ..columns.number_formats import parse_plain
from .errors import CORRECT_LINE, CORRECT_VALUE
from .records import find_continued

_DEFAULTS = pyarrow.csv.ConvertOptions()
LABEL_NULLS = list(_DEFAULTS.null_values)  # a label may be "-"
_FURTHER_NULLS = (
    *("?", "-", "--", ".", "None", "none", "NONE", "Null", "na", "N.A.", "n.a.", "<NA>", "NaT"),
    *("#NV", "#DIV/0!", "#VALUE!", "#WERT!", "#REF!", "#BEZUG!", "#NAME?", "#NUM!", "#ZAHL!", "#NULL!"),
)
TEXTS = ("text", "decorated", "date")  # types of columns that are converted later, or stay text
_BOOLEANS = dict.fromkeys(_DEFAULTS.true_values, 1.0) | dict.fromkeys(_DEFAULTS.false_values, 0.0)


def null_values(further: Sequence[str] | None) -> list[str]:
    """The texts that stand for a missing value, with those of the options."""
    return list(dict.fromkeys((*LABEL_NULLS, *_FURTHER_NULLS, *(further or ()))))


class Layout(NamedTuple):
    """How the lines of a file are divided into columns, and how numbers are written."""

    delimiter: str
    columns: list[str]
    decimal: str
    nulls: list[str]


def parse_lines(
    text: bytes, line: int, inside: set[int], layout: Layout, types: dict[str, str], skip: bool
) -> tuple[pa.Table, np.ndarray, int]:
    """``(table, line numbers of its rows, skipped)`` of a text whose first line has the number ``line``.

    The line breaks ``inside`` are within quotes. Only plain numbers and booleans are parsed.
    """
    rows: dict[int, list[Any]] = {}
    skipped = 0
    for number, content in _records(text, inside):
        try:
            if content:
                rows[line + number] = _parse_line(content, layout, types)
        except DataError as error:
            if not skip:
                raise error.located(place=f"line {line + number}") from None
            skipped += 1
    arrays = {}
    for k, (column, type) in enumerate(types.items()):
        dtype = pa.string() if type in TEXTS else pa.float64()
        arrays[column] = pa.chunked_array([pa.array([row[k] for row in rows.values()], dtype)])
    return pa.table(arrays), np.array(list(rows), dtype=np.int64), skipped


def _records(text: bytes, inside: set[int]) -> Iterator[tuple[int, bytes]]:
    """Each row, and the number of its first line, from 0."""
    parts: list[bytes] = []
    for k, content in enumerate(text.split(b"\n")):
        parts.append(content.removesuffix(b"\r"))
        if k not in inside:
            yield k + 1 - len(parts), b"\n".join(parts)
            parts = []


def well_formed_rows(text: bytes, delimiter: str, n_columns: int) -> bytes:
    """The rows that are UTF-8 and have the right number of columns."""
    kept = io.StringIO()
    writer = csv.writer(kept, delimiter=delimiter, lineterminator="\n")
    for _, content in _records(text, find_continued(text, delimiter).breaks):
        with suppress(UnicodeDecodeError):
            found = split_line(content.decode(), delimiter)
            if found and len(found) == n_columns and "\r" not in "".join(found):
                writer.writerow(found)
    return kept.getvalue().encode()


def split_line(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line, or None if it is malformed."""
    try:
        return next(csv.reader([text], delimiter=delimiter), None)
    except csv.Error:
        return None


def _parse_line(content: bytes, layout: Layout, types: dict[str, str]) -> list[Any]:
    """The values of one line in the given columns: floats, None where missing, or text."""
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
    found = dict(zip(layout.columns, fields, strict=True))
    return [
        found[column] if type in TEXTS else _number(found[column].strip(), column, type, layout)
        for column, type in types.items()
    ]


def _number(text: str, column: str, type: str, layout: Layout) -> float | None:
    if text in layout.nulls:
        return None
    if type == "boolean" and text in _BOOLEANS:
        return _BOOLEANS[text]
    number = parse_plain(text, layout.decimal)
    if number is None:
        raise DataError(f"{quoted(text)} in column {quoted(column)} is not a number", remedy=CORRECT_VALUE)
    return number
