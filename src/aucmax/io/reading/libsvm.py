"""LIBSVM text (``label index:value ...``), whole or by chunks."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from scipy import sparse

from ...kernels.interrupts import ThreadPool
from ...validation.errors import DataError
from . import libsvm_kernel as kernel
from .decimal_floats import POWERS
from .errors import CORRECT_LINE, LONGEST_LABEL, FeatureZero, TooManyFeatures, quoted
from .lines import Lines, blocks, parse_number
from .options import ReadOptions
from .reader import Chunk, check_start
from .schema import Schema
from .source import Source, can_reopen, open_source

BLOCK = 1 << 20  # bytes parsed at a time by one thread
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

    @property
    def code(self) -> int:
        """What the kernel expects."""
        return {None: kernel.MAYBE, True: kernel.ALWAYS, False: kernel.NEVER}[self.labelled]


class Columns(NamedTuple):
    """The columns of X: the index of the first in the file, 0 or 1, and how many there are."""

    base: int
    width: int


class FeatureInLine(NamedTuple):
    """A feature, and a line where it occurs."""

    feature: int
    line: int


class FeatureRange(NamedTuple):
    """The lowest and the highest feature of some rows; by default of none."""

    lowest: FeatureInLine = FeatureInLine(kernel.MAX_INDEX, 0)
    highest: FeatureInLine = FeatureInLine(-1, 0)


class Rows(NamedTuple):
    """Rows as the arrays of a CSR matrix, with the indices of the file."""

    labels: np.ndarray | None
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    ordered: bool  # the indices of every row increase
    skipped: int
    features: FeatureRange

    @property
    def n_rows(self) -> int:
        return len(self.indptr) - 1


class LibsvmReader:
    """Reads LIBSVM text; streaming without ``n_features`` reads the file twice, first to find it."""

    def __init__(self, source: Source, options: ReadOptions, streaming: bool) -> None:
        self.schema = Schema()
        self.skipped = 0
        self._source = source
        self._options = options

    def read(self) -> tuple[Any, np.ndarray | None]:
        """X and y of the whole file."""
        pieces = list(_parse_blocks(self._source, self._options))
        self.skipped = sum(rows.skipped for rows in pieces)
        if not pieces:
            pieces = [parse(b"", 1, LabelFormat(labelled=False), skip=True)]
        X = self._matrix(pieces, self._find_columns(rows.features for rows in pieces))
        labels = [rows.labels for rows in pieces if rows.labels is not None]
        return X, np.concatenate(labels) if labels else None

    def chunks(self, batch_size: int, start: Any) -> Iterator[Chunk]:
        """The rows after ``start``, ``batch_size`` lines at a time."""
        state = check_start(start, {"byte", "line", "labelled", "numeric", "base", "width"})
        columns, format = None, None
        if state:
            columns = Columns(state["base"], state["width"])
            format = LabelFormat(state["labelled"], state["numeric"])
        elif self._options.n_features is None:
            columns = self._columns_of_file()
        lines = Lines(self._source)
        lines.seek(state.get("byte", 0), state.get("line", 1))
        for text, line in lines.batches(batch_size):
            format = format or find_label_format(text, self._options.labels)
            if format is None:  # comments and blank lines only
                continue
            rows = parse(text, line, format, self._options.skip_bad_rows)
            self.skipped += rows.skipped
            if rows.n_rows:
                columns = self._find_columns([rows.features], columns)
                position = lines.position() | format._asdict() | columns._asdict()
                X = self._matrix([rows], columns)
                yield Chunk(X, rows.labels, None, position, zero_based=self.schema.zero_based)

    def _columns_of_file(self) -> Columns:
        """The columns of a file, found by reading it once."""
        if not can_reopen(self._source.path):
            problem = "the number of features is not known before its end"
            raise DataError(problem, remedy="give {n_features}")
        with open_source(self._source.path, self._source.format.name) as again:
            pieces = _parse_blocks(again, self._options)
            return self._find_columns(rows.features for rows in pieces)

    def _find_columns(self, ranges: Iterable[FeatureRange], known: Columns | None = None) -> Columns:
        """The columns of X for the features of rows; an error if these do not fit what is known."""
        found = [FeatureRange(), *ranges]
        lowest = min(features.lowest for features in found)
        highest = max((features.highest for features in found), key=lambda highest: highest.feature)
        zero_based = self._options.zero_based
        base = known.base if known else int(lowest.feature > 0 if zero_based is None else not zero_based)
        if lowest.feature < base:
            raise FeatureZero(
                "feature 0 occurs, but features are counted from 1",
                remedy="give {zero_based=True} if features are counted from 0",
                place=f"line {lowest.line}",
            )
        width = highest.feature + 1 - base
        expected = known.width if known else self._options.n_features
        if expected is not None and width > expected:
            raise TooManyFeatures(
                f"feature {highest.feature} is beyond the {expected} features expected (counted from {base})",
                remedy=f"give {{n_features={width}}} or more",
                place=f"line {highest.line}",
            )
        return Columns(base, max(width, 1) if expected is None else expected)

    def _matrix(self, pieces: list[Rows], columns: Columns) -> sparse.csr_array:
        self.schema = Schema(zero_based=columns.base == 0)
        indices = np.concatenate([rows.indices for rows in pieces])
        indices -= columns.base
        counts = np.concatenate([np.diff(rows.indptr) for rows in pieces])
        indptr = np.zeros(len(counts) + 1, dtype=np.int32 if len(indices) < 2**31 else np.int64)
        np.cumsum(counts, out=indptr[1:])
        values = np.concatenate([rows.values for rows in pieces])
        X = sparse.csr_array((values, indices, indptr), shape=(len(counts), columns.width))
        if all(rows.ordered for rows in pieces):
            X.has_canonical_format = True
        else:
            with np.errstate(over="ignore"):
                X.sum_duplicates()
            if not np.isfinite(X.data).all():
                raise DataError(
                    "the values of a repeated feature add up to infinity", remedy="correct the file"
                )
        return X


def _parse_blocks(source: Source, options: ReadOptions) -> Iterator[Rows]:
    """All rows in order, parsed block by block on several threads."""
    format = None
    n_threads = min(4, cpu_count())
    waiting: deque = deque()
    with ThreadPool(n_threads) as threads:
        for text, line in blocks(source, BLOCK):
            format = format or find_label_format(text, options.labels)
            if format:
                waiting.append(threads.submit(parse, text, line, format, options.skip_bad_rows))
            if len(waiting) > n_threads:
                yield threads.result(waiting.popleft())
        while waiting:
            yield threads.result(waiting.popleft())


def find_label_format(text: bytes, wanted: bool = True) -> LabelFormat | None:
    """The format of the first row's label; None if there is no row."""
    first = _FIRST_TOKEN.search(text)
    if first is None:
        return None
    return LabelFormat(b":" not in first[1] if wanted else None, parse_number(first[1]) is not None)


def parse(text: bytes, line: int, format: LabelFormat, skip: bool) -> Rows:
    """The rows of a text whose first line has the number ``line``; bad rows are skipped or raise an error."""
    if not text.endswith(b"\n"):
        text += b"\n"
    n_lines, n_pairs = text.count(b"\n"), text.count(b":")
    starts: np.ndarray = np.empty(n_lines, np.int64)
    labels: np.ndarray = np.empty(n_lines, np.uint64)
    indptr: np.ndarray = np.zeros(n_lines + 1, np.int64)
    indices: np.ndarray = np.empty(n_pairs, np.int32)
    values: np.ndarray = np.empty(n_pairs, np.uint64)
    problem, at, n_rows, skipped, ordered = kernel.parse_rows(
        np.frombuffer(text, np.uint8), format.code, skip, POWERS, starts, labels, indptr, indices, values
    )
    starts, labels, indptr = starts[:n_rows], labels[:n_rows], indptr[: n_rows + 1]
    indices, values = indices[: indptr[-1]], values[: indptr[-1]]
    bad = _parse_in_python(text, values, "is not a finite number", indptr)
    y = None
    if format.labelled:
        if format.numeric:
            bad_labels = _parse_in_python(text, labels, _BAD_LABEL)
            y = labels.view(np.float64)
        else:
            y, bad_labels = _text_labels(text, starts)
        bad = bad_labels | bad
    if bad and not skip:
        raise _bad_line(text, line, *bad[min(bad)])
    if problem != kernel.FINE:
        raise _bad_line(text, line, at, _PROBLEMS[problem])
    if bad:
        kept = np.ones(n_rows, dtype=bool)
        kept[list(bad)] = False
        counts = np.diff(indptr)
        entries = np.repeat(kept, counts)
        starts, y = starts[kept], None if y is None else y[kept]
        indptr = np.concatenate([[0], np.cumsum(counts[kept])])
        indices, values = indices[entries], values[entries]
    features = _feature_range(text, line, starts, indptr, indices)
    return Rows(y, indptr, indices, values.view(np.float64), ordered, skipped + len(bad), features)


def _feature_range(text: bytes, line: int, starts: Any, indptr: Any, indices: Any) -> FeatureRange:
    if not len(indices):
        return FeatureRange()
    found = []
    for k in (np.argmin(indices), np.argmax(indices)):
        row = np.searchsorted(indptr, k, side="right") - 1
        found.append(FeatureInLine(int(indices[k]), line + text.count(b"\n", 0, starts[row])))
    return FeatureRange(lowest=found[0], highest=found[1])


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


def _text_labels(text: bytes, starts: np.ndarray) -> tuple[np.ndarray, dict[int, tuple[int, str]]]:
    tokens = [_token(text, at) for at in starts.tolist()]
    problem = f"is a label of more than {LONGEST_LABEL} bytes"
    bad = {row: (int(starts[row]), problem) for row, token in enumerate(tokens) if len(token) > LONGEST_LABEL}
    decoded = [token[:LONGEST_LABEL].decode("utf-8", "backslashreplace") for token in tokens]
    return np.array(decoded, dtype=np.str_), bad


def _token(text: bytes, at: int) -> bytes:
    found = _TOKEN.match(text, at)
    return found[0] if found else b""


def _bad_line(text: bytes, line: int, at: int, problem: str) -> DataError:
    number = line + text.count(b"\n", 0, at)
    return DataError(f"{quoted(_token(text, at))} {problem}", remedy=CORRECT_LINE, place=f"line {number}")
