"""Rows of LIBSVM text (``label index:value ...``) by the compiled kernel, and by Python where it gives up."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...validation.errors import DataError
from ...validation.labels import known_labels, list_labels
from ...validation.parameters import parse_number
from ..columns.errors import CORRECT_LINE, LONGEST_LABEL, UnknownLabel, quoted
from . import libsvm_kernel as kernel
from .decimal_floats import POWERS

_FIRST_TOKEN = re.compile(rb"^[^\S\n]*([^\s#]+)", re.MULTILINE)
_TOKEN = re.compile(rb"[^\s#]*")
_PROBLEMS = {
    kernel.BAD_PAIR: "is not index:value",
    kernel.BAD_INDEX: f"has an index above {kernel.MAX_INDEX}",
    kernel.NO_LABEL: "is not a label, but the first row has one",
    kernel.UNEXPECTED_LABEL: "is a label, but the first row has none",
}
_BAD_LABEL = "is not a finite number, but the label of the first row is"


class LabelFormat(NamedTuple):
    """Whether rows have labels, and whether these are numbers; the first row decides for all.

    ``labelled`` is None if labels are not wanted: then each row may have one or not.
    """

    labelled: bool | None = True
    numeric: bool = True


class FeatureInLine(NamedTuple):
    """A feature, and where it occurs."""

    feature: int
    line: int
    file: str | None = None


class ParsedRows(NamedTuple):
    """Rows as the arrays of a CSR matrix, with the indices of the file."""

    labels: np.ndarray | None
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    ordered: bool  # the indices of every row increase
    skipped: int
    features: list[FeatureInLine]  # the lowest and the highest, if there are any


def find_label_format(text: bytes, wanted: bool = True) -> LabelFormat | None:
    """The format of the first row's label; None if there is no row."""
    first = _FIRST_TOKEN.search(text)
    if first is None:
        return None
    return LabelFormat(b":" not in first[1] if wanted else None, parse_number(first[1]) is not None)


def parse(
    text: bytes,
    line: int,
    format: LabelFormat,
    skip: bool,
    file: str | None = None,
    classes: Sequence[Any] | None = None,
) -> ParsedRows:
    """The rows of a text whose first line has the number ``line``; bad rows are skipped or raise an error.

    A label that is none of ``classes``, if these are given, makes a bad row.
    """
    if not text.endswith(b"\n"):
        text += b"\n"
    n_lines, n_pairs = text.count(b"\n"), text.count(b":")
    starts: np.ndarray = np.empty(n_lines, np.int64)
    labels: np.ndarray = np.empty(n_lines, np.uint64)
    indptr: np.ndarray = np.zeros(n_lines + 1, np.int64)
    indices: np.ndarray = np.empty(n_pairs, np.int32)
    values: np.ndarray = np.empty(n_pairs, np.uint64)
    labelled = {None: kernel.MAYBE, True: kernel.ALWAYS, False: kernel.NEVER}[format.labelled]
    problem, at, n_rows, skipped, ordered = kernel.parse_rows(
        np.frombuffer(text, np.uint8), labelled, skip, POWERS, starts, labels, indptr, indices, values
    )
    starts, labels, indptr = starts[:n_rows], labels[:n_rows], indptr[: n_rows + 1]
    indices, values = indices[: indptr[-1]], values[: indptr[-1]]
    bad = _parse_in_python(text, values, "is not a finite number", indptr)
    y, unknown = None, {}
    if format.labelled:
        y, bad_labels = _number_labels(text, labels) if format.numeric else _text_labels(text, starts)
        unknown = {} if classes is None else _unknown_labels(y, starts, classes)
        bad = bad_labels | bad | unknown
    if bad and not skip:
        kind = UnknownLabel if min(bad) in unknown else DataError
        raise _bad_line(text, line, *bad[min(bad)], kind)
    if problem != kernel.FINE:
        raise _bad_line(text, line, at, _PROBLEMS[problem])
    if bad:
        commented = bytearray(text)
        for row in bad:
            commented[starts[row]] = ord("#")
        rows = parse(bytes(commented), line, format, skip, file, classes)
        return rows._replace(skipped=rows.skipped + len(bad))
    features = []
    for k in (np.argmin(indices), np.argmax(indices)) if len(indices) else ():
        row = int(np.searchsorted(indptr, k, side="right")) - 1
        features.append(FeatureInLine(int(indices[k]), line + text.count(b"\n", 0, starts[row]), file))
    return ParsedRows(y, indptr, indices, values.view(np.float64), ordered, skipped, features)


def _parse_in_python(
    text: bytes, bits: np.ndarray, problem: str, indptr: np.ndarray | None = None
) -> dict[int, tuple[int, str]]:
    """Parse the numbers that the kernel left to Python, in place.

    Returns the rows where one is bad, with the offset in the text and the problem. ``indptr`` is that of the
    rows, None if each has one number.
    """
    bad: dict[int, tuple[int, str]] = {}
    floats = bits.view(np.float64)
    for k in np.flatnonzero(np.isnan(floats)):
        row = int(k if indptr is None else np.searchsorted(indptr, k, side="right") - 1)
        at = int(bits[k] & kernel.OFFSET)
        value = parse_number(_token(text, at))
        if value is None or not isfinite(value):
            bad.setdefault(row, (at, problem))
        else:
            floats[k] = value
    return bad


def _number_labels(text: bytes, labels: np.ndarray) -> tuple[np.ndarray, dict[int, tuple[int, str]]]:
    bad = _parse_in_python(text, labels, _BAD_LABEL)
    return labels.view(np.float64), bad


def _unknown_labels(y: np.ndarray, starts: np.ndarray, classes: Sequence[Any]) -> dict[int, tuple[int, str]]:
    problem = f"is not one of the classes {list_labels(classes)}"
    return {row: (int(starts[row]), problem) for row in np.flatnonzero(~known_labels(y, classes)).tolist()}


def _text_labels(text: bytes, starts: np.ndarray) -> tuple[np.ndarray, dict[int, tuple[int, str]]]:
    tokens = [_token(text, at) for at in starts.tolist()]
    problem = f"is a label of more than {LONGEST_LABEL} bytes"
    bad = {row: (int(starts[row]), problem) for row, token in enumerate(tokens) if len(token) > LONGEST_LABEL}
    decoded = [token[:LONGEST_LABEL].decode("utf-8", "backslashreplace") for token in tokens]
    return np.array(decoded, dtype=np.str_), bad


def _token(text: bytes, at: int) -> bytes:
    found = _TOKEN.match(text, at)
    return found[0] if found else b""


def _bad_line(text: bytes, line: int, at: int, problem: str, kind: type[DataError] = DataError) -> DataError:
    number = line + text.count(b"\n", 0, at)
    return kind(f"{quoted(_token(text, at))} {problem}", remedy=CORRECT_LINE, place=f"line {number}")
