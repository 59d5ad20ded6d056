"""Parse CSV line by line where pyarrow refuses a text, and name the line that is wrong."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...validation.errors import DataError
from ..columns.errors import CORRECT_LINE, quoted
from .records import find_quoted_breaks

_DEFAULTS = pyarrow.csv.ConvertOptions()
LABEL_NULLS = list(_DEFAULTS.null_values)  # a label may be "-"
_FURTHER_NULLS = (
    *("?", "-", "--", ".", "None", "none", "NONE", "Null", "na", "N.A.", "n.a.", "<NA>", "NaT"),
    *("#NV", "#DIV/0!", "#VALUE!", "#WERT!", "#REF!", "#BEZUG!", "#NAME?", "#NUM!", "#ZAHL!", "#NULL!"),
)
BOOLEANS = dict.fromkeys(_DEFAULTS.true_values, 1.0) | dict.fromkeys(_DEFAULTS.false_values, 0.0)


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
    text: bytes, line: int, quoted_breaks: set[int], layout: Layout, skip: bool
) -> tuple[pa.Table, np.ndarray, int]:
    """``(columns of text, line numbers of the rows, skipped)``; the first line has the number ``line``.

    ``quoted_breaks`` are the numbers, from 0, of the line breaks within quotes.
    """
    rows: dict[int, list[str]] = {}
    skipped = 0
    for number, content in _records(text, quoted_breaks):
        try:
            if content:
                rows[line + number] = split_row(content, layout)
        except DataError as error:
            if not skip:
                raise error.located(place=f"line {line + number}") from None
            skipped += 1
    columns = list(zip(*rows.values(), strict=True)) or [()] * len(layout.columns)
    table = pa.table([pa.array(column, pa.string()) for column in columns], layout.columns)
    return table, np.array(list(rows), dtype=np.int64), skipped


def _records(text: bytes, quoted_breaks: set[int]) -> Iterator[tuple[int, bytes]]:
    """Each row, and the number of its first line, from 0."""
    parts: list[bytes] = []
    for k, content in enumerate(text.split(b"\n")):
        parts.append(content.removesuffix(b"\r"))
        if k not in quoted_breaks:
            yield k + 1 - len(parts), b"\n".join(parts)
            parts = []


def well_formed_rows(text: bytes, layout: Layout) -> bytes:
    """The rows that are UTF-8 and have the right number of columns."""
    kept = io.StringIO()
    writer = csv.writer(kept, delimiter=layout.delimiter, lineterminator="\n")
    for _, content in _records(text, find_quoted_breaks(text, layout.delimiter).breaks):
        with suppress(DataError):
            cells = split_row(content, layout)
            if "\r" not in "".join(cells):
                writer.writerow(cells)
    return kept.getvalue().encode()


def split_line(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line, or None if it is malformed."""
    try:
        return next(csv.reader([text], delimiter=delimiter), None)
    except csv.Error:
        return None


def split_row(content: bytes, layout: Layout) -> list[str]:
    """The cells of one row."""
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
    return fields
