"""LIBSVM text (``label index:value ...``), whole or by chunks."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from scipy import sparse

from ...kernels.interrupts import ThreadPool
from ...validation.errors import DataError
from ..columns.errors import FeatureZero, TooManyFeatures
from ..columns.options import ReadOptions
from ..columns.schema import Schema
from .file_set import FileSet
from .libsvm_kernel import MAX_INDEX
from .libsvm_rows import FeatureInLine, LabelFormat, ParsedRows, find_label_format, parse
from .lines import Lines, blocks
from .reader import Position, Rows, check_start

BLOCK = 1 << 20  # bytes parsed at a time by one thread


class Columns(NamedTuple):
    """The columns of X: the index of the first in the file, 0 or 1, and how many there are."""

    base: int
    width: int


class LibsvmReader:
    """Reads LIBSVM text; streaming without ``n_features`` reads the file twice, first to find it."""

    encoder = None
    found: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, files: FileSet, options: ReadOptions, streaming: bool) -> None:
        self.schema = Schema()
        self.skipped = 0
        self._files = files
        self._options = options

    def read(self) -> tuple[sparse.csr_array, np.ndarray | None]:
        """X and y of the whole file."""
        pieces = list(_parse_blocks(self._files, self._options))
        self.skipped = sum(rows.skipped for rows in pieces)
        if not pieces:
            pieces = [parse(b"", 1, LabelFormat(labelled=False), skip=True)]
        X = self._matrix(pieces, self._find_columns(pieces))
        labels = [rows.labels for rows in pieces if rows.labels is not None]
        return X, np.concatenate(labels) if labels else None

    def chunks(self, batch_size: int, start: Position) -> Iterator[Rows]:
        """The rows after ``start``, ``batch_size`` lines at a time; a chunk has rows of one file."""
        state = check_start(start, {"file", "byte", "line", "labelled", "numeric", "base", "width"})
        columns, format = None, None
        if state:
            columns = Columns(state["base"], state["width"])
            format = LabelFormat(state["labelled"], state["numeric"])
        elif self._options.n_features is None:
            columns = self._columns_of_files()
        for k in range(state.get("file", 0), len(self._files)):
            with self._files.open(k) as source:
                lines = Lines(source, self._options.live)
                if state and k == state["file"]:
                    lines.seek(state["byte"], state["line"])
                for text, line in lines.batches(batch_size):
                    format = format or find_label_format(text, self._options.labels)
                    if format is None:  # comments and blank lines only
                        continue
                    options = self._options
                    rows = parse(text, line, format, options.skip_bad_rows, classes=options.classes)
                    self.skipped += rows.skipped
                    if len(rows.indptr) > 1:
                        columns = self._find_columns([rows], columns)
                        position = {"file": k, **lines.position(), **format._asdict(), **columns._asdict()}
                        yield Rows(self._matrix([rows], columns), rows.labels, position)

    def _columns_of_files(self) -> Columns:
        """The columns of the files, found by reading them once."""
        if not self._files.can_reopen():
            problem = "the number of features is not known before its end"
            raise DataError(problem, remedy="give {n_features}")
        return self._find_columns(_parse_blocks(self._files, self._options))

    def _find_columns(self, pieces: Iterable[ParsedRows], known: Columns | None = None) -> Columns:
        """The columns of X for the features of rows; an error if these do not fit what is known."""
        found = [feature for rows in pieces for feature in rows.features]
        lowest = min(found, default=FeatureInLine(MAX_INDEX, 0))
        highest = max(found, key=lambda found: found.feature, default=FeatureInLine(-1, 0))
        zero_based = self._options.zero_based
        base = known.base if known else int(lowest.feature > 0 if zero_based is None else not zero_based)
        if lowest.feature < base:
            raise FeatureZero(
                "feature 0 occurs, but features are counted from 1",
                remedy="give {zero_based=True} if features are counted from 0",
                file=lowest.file,
                place=f"line {lowest.line}",
            )
        width = highest.feature + 1 - base
        expected = known.width if known else self._options.n_features
        if expected is not None and width > expected:
            raise TooManyFeatures(
                f"feature {highest.feature} is beyond the {expected} features expected (counted from {base})",
                remedy=f"give {{n_features={width}}} or more",
                file=highest.file,
                place=f"line {highest.line}",
            )
        return Columns(base, max(width, 1) if expected is None else expected)

    def _matrix(self, pieces: list[ParsedRows], columns: Columns) -> sparse.csr_array:
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


def _parse_blocks(files: FileSet, options: ReadOptions) -> Iterator[ParsedRows]:
    """All rows in order, parsed block by block on several threads."""
    format = None
    n_threads = min(4, cpu_count())
    with ThreadPool(n_threads) as threads:
        for k in range(len(files)):
            waiting: deque = deque()
            with files.open(k) as source:
                for text, line in blocks(source, BLOCK):
                    format = format or find_label_format(text, options.labels)
                    if format:
                        given = text, line, format, options.skip_bad_rows, source.name, options.classes
                        waiting.append(threads.submit(parse, *given))
                    if len(waiting) > n_threads:
                        yield threads.result(waiting.popleft())
                while waiting:
                    yield threads.result(waiting.popleft())
