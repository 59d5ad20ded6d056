"""AUC of an endless stream, in fixed memory."""

import copy
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.sorting import order_keys, sort_by_key
from ..validation.parameters import none, positive_integer
from ..validation.scores import check_same_length, check_scores
from .auc import count_pairs
from .sketch import Cells, compress, single_cells, union

BUFFER_ROWS = 1 << 16  # sorted at once: few enough for the cache


class _Sketch:
    """All rows so far: most in cells, the last ones in a buffer of unsorted rows."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.cells = Cells(*np.empty((2, 0), np.uint64), *np.empty((2, 0), np.int64))
        self.keys, self.signed = np.empty(BUFFER_ROWS, np.uint64), np.empty(BUFFER_ROWS, np.int8)
        self.n_buffered = 0

    def add(self, score: NDArray[np.float64], signed: NDArray[np.int8]) -> None:
        start = 0
        while start < score.size:
            stop = min(score.size, start + BUFFER_ROWS - self.n_buffered)
            part = slice(self.n_buffered, self.n_buffered + stop - start)
            self.keys[part], self.signed[part] = order_keys(score[start:stop]), signed[start:stop]
            self.n_buffered += stop - start
            start = stop
            if self.n_buffered == BUFFER_ROWS:
                self._flush_buffer()

    def _flush_buffer(self) -> None:
        # The sort overwrites its arguments, which is harmless: the buffer is refilled.
        sorted_rows = sort_by_key(self.keys[: self.n_buffered], self.signed[: self.n_buffered])
        self.cells = Cells(*union(self.cells, Cells(*single_cells(*sorted_rows))))
        self.n_buffered = 0
        if self.cells.low.size > 2 * self.capacity:  # only then, because merging is slow
            self.cells = Cells(*compress(self.cells, self.capacity))

    def all_cells(self) -> Cells:
        """The cells of all rows so far."""
        if self.n_buffered:
            self._flush_buffer()
        if self.cells.low.size > self.capacity:
            self.cells = Cells(*compress(self.cells, self.capacity))
        return self.cells

    def counts(self) -> tuple[int, int, int]:
        """Twice the pairs won (pairs within a cell count once), pairs in merged cells, twice all pairs."""
        cells = self.all_cells()
        twice_pairs = 2 * int(cells.positive.sum()) * int(cells.negative.sum())
        dtype = np.int64 if twice_pairs < 2**63 else object  # Python integers do not overflow
        positive, negative = cells.positive.astype(dtype), cells.negative.astype(dtype)
        twice_won = positive @ (2 * np.cumsum(negative) - negative)
        unordered = positive @ (negative * (cells.low < cells.high))
        return int(twice_won), int(unordered), twice_pairs

    def __getstate__(self) -> dict[str, Any]:
        return {"capacity": self.capacity, "cells": self.all_cells()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["capacity"])  # type: ignore[misc]
        self.cells = state["cells"]


class _Window:
    """The last rows, in a ring buffer."""

    def __init__(self, size: int) -> None:
        self.keys, self.signed = np.empty(size, np.uint64), np.empty(size, np.int8)
        self.seen = 0

    def add(self, score: NDArray[np.float64], signed: NDArray[np.int8]) -> None:
        skipped = max(score.size - self.keys.size, 0)
        slots = np.arange(self.seen + skipped, self.seen + score.size) % self.keys.size
        self.keys[slots], self.signed[slots] = order_keys(score[skipped:]), signed[skipped:]
        self.seen += score.size

    def counts(self) -> tuple[int, int, int]:
        size = min(self.seen, self.keys.size)
        keys, signed = sort_by_key(self.keys[:size].copy(), self.signed[:size].copy())
        twice_won, positive, negative = count_pairs(keys, signed, np.int64(0))
        return int(twice_won), 0, 2 * int(positive) * int(negative)


class StreamingAUC:
    r"""AUC of a stream: exact up to a number of distinct scores, then between proven bounds.

    Memory is fixed, a few megabytes by default. Up to ``capacity`` distinct scores are counted one by
    one, and ``value`` is the exact AUC. Beyond that, neighbouring scores share a cell, and the order of
    pairs within one cell is unknown. Which scores share a cell depends on the set of rows only, not on
    their order nor on how streams were split and merged.

    Parameters
    ----------
    capacity : int, default=16384
        Number of cells kept, 32 bytes each; the width of ``bounds`` shrinks in about inverse proportion.
    window : int, optional
        Count only this many of the last rows, exactly, 9 bytes each; ``capacity`` is then not used.
    classes : pair of labels, optional
        The negative and the positive label. By default the positive label is 1 or True and the
        negative one 0, -1 or False.

    Notes
    -----
    *Why the bounds hold.* Cells are disjoint intervals of scores in ascending order. A pair from two cells is
    ordered as its cells are, and a pair from a cell with a single score is a tie: both are counted
    exactly. Each of the :math:`p_c q_c` pairs of any other cell adds between 0 and 1 to the number of
    pairs won; ``bounds`` counts 0 and 1, ``value`` 1/2. So

    .. math:: |\mathrm{value} - \mathrm{AUC}| \le \frac{1}{2 n_+ n_-} \sum_c p_c q_c.

    *Why more cells tighten them.* With more distinct scores than ``capacity`` every cell is used, and each
    half of an interval gets as many cells as the other if it can fill them, so twice the capacity halves the
    cells.

    Examples
    --------
    >>> from aucmax.metrics import StreamingAUC
    >>> stream = StreamingAUC()
    >>> stream.update([0, 0], [0.1, 0.4]).value
    nan
    >>> stream.update([1, 1], [0.35, 0.8]).value
    0.75
    >>> stream.bounds
    (0.75, 0.75)
    """

    def __init__(
        self, capacity: int = 16384, window: int | None = None, classes: tuple[Any, Any] | None = None
    ) -> None:
        positive_integer.check("capacity", capacity)
        (positive_integer | none).check("window", window)
        if classes is not None and (len(classes) != 2 or classes[0] == classes[1]):
            raise ValueError(f"classes is {classes!r}; pass two different labels, the negative one first.")
        self.capacity = int(capacity)
        self.window = None if window is None else int(window)
        self.classes = classes
        self._rows = _Sketch(self.capacity) if self.window is None else _Window(self.window)

    def update(self, y: ArrayLike, score: ArrayLike) -> "StreamingAUC":
        """Count more rows; a chunk may hold rows of one class only, or none.

        Parameters
        ----------
        y : array-like of shape (n,) or a label
            Labels.
        score : array-like of shape (n,) or a number
            Finite real numbers, compared as float64.

        Returns
        -------
        StreamingAUC
            This object.
        """
        labels = np.atleast_1d(np.asarray(y))
        values = check_scores(np.atleast_1d(np.asarray(score))).astype(np.float64, copy=False)
        check_same_length(y=labels.size, score=values.size)
        if values.size:
            self._rows.add(values, self._signs(labels))
        return self

    def merge(self, other: "StreamingAUC") -> "StreamingAUC":
        """Add the rows of another stream; the result does not depend on the order of merging.

        Parameters
        ----------
        other : StreamingAUC
            A stream with the same ``capacity`` and ``classes`` and without a window; it is not changed.

        Returns
        -------
        StreamingAUC
            This object.
        """
        rows, other_rows = self._rows, other._rows
        if isinstance(rows, _Window) or isinstance(other_rows, _Window):
            raise ValueError(
                "streams with a window cannot be merged, because it is not known which rows came last; "
                "use capacity instead of window."
            )
        if self.capacity != other.capacity or self.classes != other.classes:
            raise ValueError(
                f"streams with capacity {self.capacity} and {other.capacity}, classes {self.classes} and "
                f"{other.classes} cannot be merged; give both the same."
            )
        rows.cells = Cells(*union(rows.all_cells(), other_rows.all_cells()))
        return self

    @property
    def value(self) -> float:
        """AUC of the rows so far; pairs of unknown order count one half. NaN until both classes were seen."""
        twice_won, _, twice_pairs = self._rows.counts()
        return twice_won / twice_pairs if twice_pairs else math.nan

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the AUC, equal while it is exact. NaN until both classes were seen."""
        twice_won, unordered, twice_pairs = self._rows.counts()
        if not twice_pairs:
            return math.nan, math.nan
        return (twice_won - unordered) / twice_pairs, (twice_won + unordered) / twice_pairs

    def _signs(self, labels: NDArray) -> NDArray[np.int8]:
        if self.classes is not None:
            negative, positive = labels == self.classes[0], labels == self.classes[1]
        elif labels.dtype.kind in "biuf":
            negative, positive = (labels == 0) | (labels == -1), labels == 1
        else:
            raise ValueError(f"y has dtype {labels.dtype}; name the two labels in StreamingAUC(classes=...).")
        unknown = ~(negative | positive)
        if unknown.any():
            expected = ("0 or -1", "1") if self.classes is None else [repr(label) for label in self.classes]
            row = int(np.argmax(unknown))
            raise ValueError(
                f"y is {labels[row]!r} at row {row}, but the negative label is {expected[0]} and the "
                f"positive label is {expected[1]}; name other labels in StreamingAUC(classes=...)."
            )
        return 2 * positive.view(np.int8) - np.int8(1)

    def __copy__(self) -> "StreamingAUC":
        return copy.deepcopy(self)  # a copy that shared its rows would change with the original

    def __repr__(self) -> str:
        size = f"capacity={self.capacity}" if self.window is None else f"window={self.window}"
        return f"StreamingAUC({size}{'' if self.classes is None else f', classes={self.classes!r}'})"
