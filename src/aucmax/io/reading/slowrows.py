"""Lines of CSV one by one: for the lines that pyarrow refuses, and to say what is wrong with them."""

import csv
from contextlib import suppress
from typing import Any, NamedTuple

from ...validation.errors import DataError
from .schema import Plan
from .source import failure, need, quoted

_NULLS = {
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
}
_FLAGS = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}
_AWKWARD = set('"\r\n,;\t|')  # what would need quotes
_ADVICE = 'correct the line, or leave such rows out with on_bad_rows="skip"'


class Layout(NamedTuple):
    """How the lines of a file are to be read."""

    name: str
    delimiter: str
    columns: list[str]
    flags: set[str]  # columns of booleans, among the numbers
    plan: Plan
    skip: bool

    def used(self) -> list[str]:
        """The columns that are wanted."""
        plan = self.plan
        return [*plan.numbers, *plan.texts, *([] if plan.label is None else [plan.label])]


class BadLine(Exception):
    """What is wrong with a line."""


def parse_slowly(text: bytes, line: int, layout: Layout) -> tuple[Any, list[int], int]:
    """``(table, numbers of its lines, skipped)`` of a text whose first line has the number ``line``."""
    pa = need("pyarrow", "Reading tables")
    used, kept, skipped = layout.used(), [], 0
    place = {column: k for k, column in enumerate(layout.columns)}
    places = [place[column] for column in used]
    numeric = [k < len(layout.plan.numbers) for k in range(len(used))]
    values: list[list] = [[] for _ in used]
    for number, content in enumerate(text.split(b"\n"), start=line):
        content = content.removesuffix(b"\r")
        if not content:
            continue
        try:
            row = _row(content, layout, places, numeric)
        except BadLine as error:
            if not layout.skip:
                raise _refused(layout.name, number, str(error)) from None
            skipped += 1
            continue
        kept.append(number)
        for column, value in zip(values, row, strict=True):
            column.append(value)
    arrays = [
        pa.array(column, pa.float64() if is_number else pa.string())
        for column, is_number in zip(values, numeric, strict=True)
    ]
    return pa.table(dict(zip(used, arrays, strict=True))), kept, skipped


def well_formed(text: bytes, delimiter: str, n_columns: int) -> bytes:
    """The lines of UTF-8 with the right number of columns, without quotes."""
    kept = []
    for content in text.splitlines():
        with suppress(UnicodeDecodeError):
            found = fields(content.decode(), delimiter)
            if found and len(found) == n_columns and not any(_AWKWARD & set(field) for field in found):
                kept.append(delimiter.join(found))
    return "\n".join(kept).encode()


def _refused(name: str, number: int, reason: str) -> DataError:
    return failure(name, f"line {number}", reason, _ADVICE)


def _row(content: bytes, layout: Layout, places: list[int], numeric: list[bool]) -> list:
    """The values of one line: floats, text, or None where missing."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise BadLine(f"{quoted(content)} is not UTF-8 text") from None
    found = fields(text, layout.delimiter)
    if found is None:
        raise BadLine(f"{quoted(text)} cannot be taken apart")
    if len(found) != len(layout.columns):
        raise BadLine(f"{len(found)} columns where {len(layout.columns)} are expected in {quoted(text)}")
    row: list[Any] = []
    for k, is_number in zip(places, numeric, strict=True):
        value = found[k]
        if value.strip() in _NULLS:
            row.append(None)
        else:
            row.append(_number(value.strip(), layout.columns[k], layout.flags) if is_number else value)
    return row


def fields(text: str, delimiter: str) -> list[str] | None:
    """The fields of one line, or None if its quotes make no sense."""
    try:
        return next(csv.reader([text], delimiter=delimiter), None)
    except csv.Error:
        return None


def is_number(text: str) -> bool:
    """Whether a text can stand in a column of numbers."""
    try:
        return "_" not in text and bool(float(text) or True)
    except ValueError:
        return False


def _number(text: str, column: str, flags: set[str]) -> float:
    if column in flags and text in _FLAGS:
        return _FLAGS[text]
    if is_number(text):
        return float(text)
    raise BadLine(f"{quoted(text)} in column {quoted(column)}, a column of numbers")
