"""Sparse columns: rows divided by their usual norm, a step size for each column."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..kernels.scales import HUGE
from ..kernels.vectors import lines_of_four
from .constants import CLIP, MAX_LENGTH, MAX_RATIO, TINY, UNEVEN

WEIGHT, OFFSET, SQUARES, SCALE = 0, 1, 2, 3


class SparseColumns(NamedTuple):
    """A line of four numbers per column: weight, offset, sum of squared slopes, scale of the values.

    They lie together since fetching them takes most of the time. ``shrunk`` has what ``state.penalty`` and
    ``state.average_weight`` were when a column was last shrunk.
    """

    table: np.ndarray
    shrunk: np.ndarray

    def linear(self, at, state, classes):
        """The same as in ``DenseColumns``, shrunk by the whole penalty."""
        table = self.table[at]
        if state.penalty > 0.0:
            table = table.copy()
            shrink(table, self.shrunk[at].copy(), slice(None), state, classes)
        return table[:, WEIGHT], table[:, OFFSET], table[:, SCALE]

    @property
    def offsets(self):
        return self.table[:, OFFSET]

    @classmethod
    def begin(cls, X, n_features, state):
        """The usual value and row norm: medians, which a few broken rows hardly move."""
        values, n_rows = np.abs(np.asarray(X.data, dtype=float)), len(X.indptr) - 1
        unit = np.clip(np.median(values[values > 0.0]), HUGE**-2, HUGE**2) if values.any() else 1.0
        rows = np.repeat(np.arange(n_rows), np.diff(X.indptr))
        with np.errstate(over="ignore"):
            squares = np.bincount(rows, np.minimum(values / unit, MAX_RATIO) ** 2, n_rows)
        usual = np.median(squares[squares > 0.0]) if squares.any() else 1.0
        state.unit, state.norm = unit, np.sqrt(max(usual, MAX_RATIO**-2))
        return cls(np.zeros((0, 4)), np.zeros((0, 2))).widened(n_features, state)

    def widened(self, extra, state):
        table = lines_of_four(len(self.table) + extra)
        table[:-extra] = self.table
        table[-extra:, SCALE] = 1.0 / state.unit
        return SparseColumns(table, np.pad(self.shrunk, ((0, extra), (0, 0))))


def score_csr(X, i, columns, scratch, state, classes, rate, new):
    """The same as ``score_dense``; a new row also adapts the scales of its columns."""
    table, largest, square, score, offset = columns.table, 0.0, 0.0, 0.0, 0.0
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    if state.penalty > 0.0:
        for e in range(n):
            if X.data[start + e] != 0.0:
                shrink(table, columns.shrunk, np.uintp(X.indices[start + e]), state, classes)
    for e in range(n):
        j = np.uintp(X.indices[start + e])
        z = X.data[start + e] * table[j, SCALE]
        scratch.scaled[e], scratch.squares[e] = z, table[j, SQUARES]
        largest = max(largest, abs(z))
        square += z * z
        score += z * table[j, WEIGHT]
        offset += z * table[j, OFFSET]
    if largest > MAX_RATIO:
        square, score, offset = reduce_large(X, i, table, scratch, new)
    norm = np.sqrt(square)
    if rate > 0.0 and norm > 0.0:
        state.norm = max(state.norm + rate * (min(norm, CLIP * state.norm) - state.norm), 1.0 / MAX_RATIO)
    factor = 1.0 / max(state.norm, norm / MAX_LENGTH)
    return factor, factor * score, factor * offset


@inlined
def reduce_large(X, i, table, scratch, new):
    """Cut the values over ``MAX_RATIO``; each in a new row halves the scale of its column.

    By a bounded factor, and once for each row, not at each replay: the value may be broken.
    """
    square, score, offset = 0.0, 0.0, 0.0
    for e in range(X.indptr[i + 1] - X.indptr[i]):
        j, z = X.indices[X.indptr[i] + e], scratch.scaled[e]
        if abs(z) > MAX_RATIO:
            if new:
                table[j, SCALE] *= 0.5
                z *= 0.5
            z = min(max(z, -MAX_RATIO), MAX_RATIO)
            scratch.scaled[e] = z
        square += z * z
        score += z * table[j, WEIGHT]
        offset += z * table[j, OFFSET]
    return square, score, offset


def move_csr(X, i, columns, scratch, state, classes, hyper, slope, factor, weight, new):
    """The same as ``move_dense``, with a sum of squared slopes for each column."""
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    table, average_weight, g = columns.table, state.average_weight, slope * factor
    state.penalty += 0.5 * hyper.l2 * hyper.step_size * weight
    if g == 0.0:
        return
    neg, pos = classes[0].steps + 1.0, classes[1].steps + 1.0
    uneven = (neg - pos) / neg * ((neg - pos) / pos)
    least = (UNEVEN * uneven + 1e-9) * factor * factor * state.weight_unit  # above 0: its root is a divisor
    step = -hyper.step_size * longer(state, classes) * g
    has_small = take_step(scratch.scaled, scratch.squares, n, g * g * state.weight_unit, step, least)
    if has_small and new:
        enlarge_small(X, i, table, scratch, state)
    for e in range(n):
        j = np.uintp(X.indices[start + e])
        table[j, WEIGHT] += scratch.scaled[e]
        table[j, OFFSET] += average_weight * scratch.scaled[e]
        table[j, SQUARES] = scratch.squares[e]


@vectorised
def take_step(scaled, squares, n, g_2, step, least):
    """Turn scaled values into steps of their columns, add to the squares; returns whether some are small.

    Small values are usual in a column that has others. In one that has not moved so far they mean that its
    scale is too small, and make no step.
    """
    number = 0
    for e in range(n):
        small = (abs(scaled[e]) < 1.0 / MAX_RATIO) & (squares[e] == 0.0)
        tiny = abs(scaled[e]) < TINY
        z = 0.0 if small else scaled[e]
        squares[e] += g_2 * (z * z)
        scaled[e] = z * (step / np.sqrt(squares[e] + least))
        number += small | tiny
    return number > 0


@inlined
def enlarge_small(X, i, table, scratch, state):
    """Enlarge the scales of columns that made no step, or have tiny values now; next to nothing is zero."""
    for e in range(X.indptr[i + 1] - X.indptr[i]):
        j, x = X.indices[X.indptr[i] + e], X.data[X.indptr[i] + e]
        z = abs(x * table[j, SCALE])
        if scratch.squares[e] == 0.0 and z > 1.0 / HUGE:
            table[j, SCALE] = min(4.0 * table[j, SCALE], HUGE * HUGE)
        elif 0.0 < z < TINY and table[j, SCALE] * state.unit < 1.0 / MAX_RATIO:
            table[j, SCALE] = 1.0 / state.unit  # it was lowered too far, by a burst of broken values


@inlined
def longer(state, classes):
    """t^(1/4), as in ``move_dense``, for squares in this unit."""
    return np.sqrt(np.sqrt(classes[0].steps + classes[1].steps) * state.weight_unit)


@inlined
def shrink(table, shrunk, j, state, classes):
    """Shrink column j by the penalty of all steps since it was last shrunk, as if at each of them.

    The average changes as it would have, had the column fallen at once half-way, or earlier if it falls fast.
    """
    fall = longer(state, classes) * (state.penalty - shrunk[j, 0])
    fall /= np.sqrt(np.maximum(table[j, SQUARES], 1.0 / HUGE))
    change = table[j, WEIGHT] * np.expm1(-fall)
    then = (shrunk[j, 1] / state.average_weight) ** (1.0 - 1.0 / (2.0 + fall))
    table[j, WEIGHT] += change
    table[j, OFFSET] += state.average_weight * then * change
    shrunk[j, 0], shrunk[j, 1] = state.penalty, state.average_weight
