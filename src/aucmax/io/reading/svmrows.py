"""Rows of LIBSVM text as arrays, with what the compiled parser leaves to Python."""

import re
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...validation.errors import DataError
from . import svmtext
from .numbers import FIVES
from .options import Options
from .source import failure, quoted

LONGEST_LABEL = 200  # bytes
_FIRST = re.compile(rb"^[^\S\n]*([^\s#]+)", re.MULTILINE)
_TOKEN = re.compile(rb"[^\s#]*")
_REASONS = {
    svmtext.BAD_PAIR: "is not index:value",
    svmtext.BAD_INDEX: f"has an index above {svmtext.MAX_INDEX}",
    svmtext.NO_LABEL: "stands where the label should, which the first row has",
    svmtext.STRANGE_LABEL: "is a label, which the first row does not have",
}


class Traits(NamedTuple):
    """What the first row tells of all: whether rows have labels, and whether these are numbers."""

    labelled: bool = True
    numeric: bool = True


class Rows(NamedTuple):
    """Rows as the arrays of a CSR matrix; indices as in the file, their range and where it is reached."""

    n_rows: int
    labels: np.ndarray | None
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    ordered: bool
    skipped: int
    lowest: int
    lowest_line: int
    highest: int
    highest_line: int

    def summary(self) -> "Rows":
        """The same without the arrays."""
        none = np.empty(0)
        return self._replace(labels=None, indptr=none, indices=none, values=none)


def traits_of(text: bytes) -> Traits | None:
    """Look at the first row; None if there is none."""
    first = _FIRST.search(text)
    if first is None:
        return None
    return Traits(b":" not in first[1], number(first[1]) is not None)


def number(token: bytes) -> float | None:
    """The number that a text stands for, NaN and infinity among them, or None."""
    try:
        return None if b"_" in token else float(token)
    except ValueError:
        return None


def parse(text: bytes, line: int, traits: Traits, options: Options, name: str) -> Rows:
    """The rows of a text whose first line has the number ``line``; bad ones are left out or raise."""
    if not text.endswith(b"\n"):
        text += b"\n"
    n_lines, n_pairs = text.count(b"\n"), text.count(b":")
    starts: np.ndarray = np.empty(n_lines, np.int64)
    labels: np.ndarray = np.empty(n_lines, np.uint64)
    indptr: np.ndarray = np.zeros(n_lines + 1, np.int64)
    indices: np.ndarray = np.empty(n_pairs, np.int32)
    values: np.ndarray = np.empty(n_pairs, np.uint64)
    arrays = starts, labels, indptr, indices, values
    problem, at, n_rows, skipped, ordered = svmtext.parse_rows(
        np.frombuffer(text, np.uint8), traits.labelled, options.skip, FIVES, *arrays
    )
    starts, labels, indptr = starts[:n_rows], labels[:n_rows], indptr[: n_rows + 1]
    indices, values = indices[: indptr[-1]], values[: indptr[-1]]
    bad = _settle_values(text, indptr, values)
    y = None
    if traits.labelled:
        y = _settle_numbers(text, labels, bad) if traits.numeric else _texts(text, starts, bad)
    if bad and not options.skip:
        at, reason = bad[min(bad)]
        raise _refused(text, line, at, reason, name)
    if problem != svmtext.FINE:
        raise _refused(text, line, at, _REASONS[problem], name)
    if bad:
        skipped += len(bad)
        starts, y, indptr, indices, values = _without(sorted(bad), starts, y, indptr, indices, values)
    lowest, highest = (
        _extreme(text, line, starts, indptr, indices, find) if len(indices) else none
        for find, none in ((np.argmin, (svmtext.MAX_INDEX, 0)), (np.argmax, (-1, 0)))
    )
    return Rows(len(starts), y, indptr, indices, values.view(np.float64), ordered, skipped, *lowest, *highest)


def _extreme(text: bytes, line: int, starts: Any, indptr: Any, indices: Any, find: Any) -> tuple[int, int]:
    """The least or the largest index, and the line where it is."""
    at = find(indices)
    row = np.searchsorted(indptr, at, side="right") - 1
    return int(indices[at]), line + text.count(b"\n", 0, starts[row])


def _settle_values(text: bytes, indptr: np.ndarray, values: np.ndarray) -> dict[int, tuple[int, str]]:
    """Put in the values left to Python; the rows where one is bad, with the place and the reason."""
    bad: dict[int, tuple[int, str]] = {}
    for k in np.flatnonzero(np.isnan(values.view(np.float64))):
        row = int(np.searchsorted(indptr, k, side="right")) - 1
        _settle(text, values, k, row, bad, "is not a finite number")
    return bad


def _settle_numbers(text: bytes, labels: np.ndarray, bad: dict[int, tuple[int, str]]) -> np.ndarray:
    for row in np.flatnonzero(np.isnan(labels.view(np.float64))):
        _settle(
            text,
            labels,
            row,
            int(row),
            bad,
            "is a label that is not a finite number as that of the first row is",
        )
    return labels.view(np.float64)


def _settle(text: bytes, bits: np.ndarray, k: Any, row: int, bad: dict, reason: str) -> None:
    at = int(bits[k] & svmtext.OFFSET)
    value = number(_token(text, at))
    if value is None or not isfinite(value):
        bad.setdefault(row, (at, reason))
    else:
        bits.view(np.float64)[k] = value


def _texts(text: bytes, starts: np.ndarray, bad: dict[int, tuple[int, str]]) -> np.ndarray:
    labels = []
    for row, at in enumerate(starts.tolist()):
        label = _token(text, at)
        if len(label) > LONGEST_LABEL:
            bad[row] = at, f"is a label of more than {LONGEST_LABEL} bytes"
        labels.append(label[:LONGEST_LABEL].decode("utf-8", "backslashreplace"))
    return np.array(labels, dtype=np.str_)


def _token(text: bytes, at: int) -> bytes:
    found = _TOKEN.match(text, at)
    return found[0] if found else b""


def _refused(text: bytes, line: int, at: int, reason: str, name: str) -> DataError:
    place = line + text.count(b"\n", 0, at)
    advice = 'correct the line, or leave such rows out with on_bad_rows="skip"'
    return failure(name, f"line {place}", f"{quoted(_token(text, at))} {reason}", advice)


def _without(rows: list[int], starts: Any, labels: Any, indptr: Any, indices: Any, values: Any) -> tuple:
    kept = np.ones(len(starts), dtype=bool)
    kept[rows] = False
    counts = np.diff(indptr)
    entries = np.repeat(kept, counts)
    indptr = np.concatenate([[0], np.cumsum(counts[kept])])
    return starts[kept], None if labels is None else labels[kept], indptr, indices[entries], values[entries]
