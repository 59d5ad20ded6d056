"""LIBSVM text (``label index:value ...``), whole or by chunks."""

from collections import deque
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count
from scipy import sparse

from ...kernels.interrupts import ThreadPool
from .lines import Lines, blocks
from .options import Chunk, Options, Table, check_start, no_rows
from .source import Source, failure, opened, reopens
from .svmrows import Rows, Traits, parse, traits_of

BLOCK = 1 << 20  # bytes parsed at a time by one thread


class Frame(NamedTuple):
    """What the columns are: the index of the first, 0 or 1, and how many there are."""

    base: int
    width: int

    @property
    def zero_based(self) -> bool:
        """Whether features are counted from 0."""
        return self.base == 0


def read(source: Source, options: Options) -> Table:
    """The whole source as one table."""
    pieces = list(_parsed(source, options))
    skipped = sum(rows.skipped for rows in pieces)
    pieces = [rows for rows in pieces if rows.n_rows]
    if not pieces:
        raise no_rows(source.name, skipped)
    frame = _frame(source.name, pieces, options)
    X = _matrix(source.name, pieces, frame)
    labels = [rows.labels for rows in pieces if rows.labels is not None]
    return Table(X, np.concatenate(labels) if labels else None, None, skipped, frame.zero_based)


def stream(source: Source, batch_size: int, options: Options, start: Any) -> Generator[Chunk, None, int]:
    """Chunks of ``batch_size`` lines; at the end, how many rows were left out after the last one."""
    state = check_start(start, {"byte", "line", "labelled", "numeric", "base", "width"})
    frame, traits = None, None
    if state:
        frame, traits = Frame(state["base"], state["width"]), Traits(state["labelled"], state["numeric"])
    elif options.n_features is None:
        frame = _scanned(source, options)
    lines = Lines(source)
    lines.go(state.get("byte", 0), state.get("line", 1))
    skipped = 0
    while True:
        line = lines.line
        text = lines.take(batch_size)
        if not text:
            break
        traits = traits or traits_of(text)
        if traits is None:  # comments and blank lines only
            continue
        rows = parse(text, line, traits, options, source.name)
        skipped += rows.skipped
        if not rows.n_rows:
            continue
        frame = _frame(source.name, [rows], options, frame)
        X = _matrix(source.name, [rows], frame)
        position = lines.position() | traits._asdict() | frame._asdict()
        yield Chunk(X, rows.labels, None, position, skipped, frame.zero_based)
        skipped = 0
    if frame is None:
        raise no_rows(source.name, skipped)
    return skipped


def _parsed(source: Source, options: Options) -> Iterator[Rows]:
    """All rows in order, parsed block by block on several threads."""
    traits = None
    n_threads = min(4, cpu_count())
    waiting: deque = deque()
    with ThreadPool(n_threads) as helpers:
        for text, line in blocks(source, BLOCK):
            traits = traits or traits_of(text)
            if traits:
                waiting.append(helpers.submit(parse, text, line, traits, options, source.name))
            if len(waiting) > n_threads:
                yield helpers.result(waiting.popleft())
        while waiting:
            yield helpers.result(waiting.popleft())


def _scanned(source: Source, options: Options) -> Frame:
    """The columns of a file, learnt by reading it once."""
    if not reopens(source.path):
        raise failure(source.name, "", "its width is not known before its end", "give n_features")
    with opened(source.path, source.format) as again:
        seen = [rows.summary() for rows in _parsed(again, options)]
    if not any(rows.n_rows for rows in seen):
        raise no_rows(source.name, sum(rows.skipped for rows in seen))
    return _frame(source.name, seen, options)


def _frame(name: str, pieces: list[Rows], options: Options, known: Frame | None = None) -> Frame:
    """The columns that the rows and the options make, or a clear error if they disagree."""
    lowest = min(pieces, key=lambda rows: rows.lowest)
    highest = max(pieces, key=lambda rows: rows.highest)
    base = known.base if known else _base(options, lowest.lowest)
    if lowest.lowest < base:
        advice = "give zero_based=True if features are counted from 0"
        raise failure(name, f"line {lowest.lowest_line}", "feature 0 in a file that counts from 1", advice)
    width = highest.highest + 1 - base
    wanted = known.width if known else options.n_features
    if wanted is not None and width > wanted:
        what = f"feature {highest.highest} is beyond the {wanted} features expected (counted from {base})"
        raise failure(name, f"line {highest.highest_line}", what, f"give n_features={width} or more")
    return Frame(base, max(width, 1) if wanted is None else wanted)


def _base(options: Options, lowest: int) -> int:
    if options.zero_based is None:
        return 0 if lowest == 0 else 1
    return 0 if options.zero_based else 1


def _matrix(name: str, pieces: list[Rows], frame: Frame) -> sparse.csr_array:
    indices = np.concatenate([rows.indices for rows in pieces])
    indices -= frame.base
    counts = np.concatenate([np.diff(rows.indptr) for rows in pieces])
    indptr = np.zeros(len(counts) + 1, dtype=np.int32 if len(indices) < 2**31 else np.int64)
    np.cumsum(counts, out=indptr[1:])
    values = np.concatenate([rows.values for rows in pieces])
    X = sparse.csr_array((values, indices, indptr), shape=(len(counts), frame.width))
    if all(rows.ordered for rows in pieces):
        X.has_canonical_format = True
    else:
        with np.errstate(over="ignore"):
            X.sum_duplicates()
        if not np.isfinite(X.data).all():
            raise failure(name, "", "values of a repeated feature add up to infinity", "correct the file")
    return X
