"""Sparse columns: rows over their usual norm, a step size for each column."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..kernels.scales import HUGE
from ..kernels.vectors import lines_of_four
from .constants import BAND, CLIP, LONG, UNEVEN

WEIGHT, OFFSET, SQUARES, SCALE = 0, 1, 2, 3


class SparseColumns(NamedTuple):
    """A line of four numbers per column: weight, offset, sum of squared slopes, scale of the values.

    They lie together since fetching them takes most of the time. ``penalised`` is what the penalty had summed
    up to when a column was last moved.
    """

    table: np.ndarray
    penalised: np.ndarray

    def linear(self):
        """Weights, offsets, and factors of the values, of all columns."""
        return self.table[:, WEIGHT], self.table[:, OFFSET], self.table[:, SCALE]

    @classmethod
    def begin(cls, X, n_features, state):
        """The usual value and row norm: medians, which a few broken rows hardly move."""
        values, n_rows = np.abs(np.asarray(X.data, dtype=float)), len(X.indptr) - 1
        unit = min(max(np.median(values[values > 0.0]), 1.0 / HUGE**2), HUGE**2) if values.any() else 1.0
        rows = np.repeat(np.arange(n_rows), np.diff(X.indptr))
        with np.errstate(over="ignore"):
            squares = np.bincount(rows, np.minimum(values / unit, BAND) ** 2, n_rows)
        state.norm = np.sqrt(np.median(squares[squares > 0.0])) if squares.any() else 1.0
        state.unit = unit
        return cls(np.zeros((0, 4)), np.zeros(0)).widened(n_features, state)

    def widened(self, extra, state):
        """The same with columns added that were zero so far."""
        table = lines_of_four(len(self.table) + extra)
        table[:-extra] = self.table
        table[-extra:, SCALE] = 1.0 / state.unit
        return SparseColumns(table, np.pad(self.penalised, (0, extra)))


def score_csr(X, i, columns, scratch, state, rate, new):
    """The same as ``score_dense``; a new row also adapts the scales of its columns."""
    table, largest, square, score, offset = columns.table, 0.0, 0.0, 0.0, 0.0
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    for e in range(n):
        j = np.uintp(X.indices[start + e])
        z = X.data[start + e] * table[j, SCALE]
        scratch.scaled[e], scratch.squares[e] = z, table[j, SQUARES]
        largest = max(largest, abs(z))
        square += z * z
        score += z * table[j, WEIGHT]
        offset += z * table[j, OFFSET]
    if largest > BAND:
        square, score, offset = reduce_large(X, i, table, scratch, new)
    norm = np.sqrt(square)
    if rate > 0.0 and norm > 0.0:
        state.norm += rate * (min(norm, CLIP * state.norm) - state.norm)
    cut = 1.0 / max(state.norm, norm / LONG)
    return cut, cut * score, cut * offset


@inlined
def reduce_large(X, i, table, scratch, new):
    """Cut the values over ``BAND``; each in a new row halves the scale of its column.

    By a bounded factor, and once for each row, not at each replay: the value may be broken.
    """
    square, score, offset = 0.0, 0.0, 0.0
    for e in range(X.indptr[i + 1] - X.indptr[i]):
        j, z = X.indices[X.indptr[i] + e], scratch.scaled[e]
        if abs(z) > BAND:
            if new:
                table[j, SCALE] *= 0.5
                z *= 0.5
            z = min(max(z, -BAND), BAND)
            scratch.scaled[e] = z
        square += z * z
        score += z * table[j, WEIGHT]
        offset += z * table[j, OFFSET]
    return square, score, offset


def move_csr(X, i, columns, scratch, state, classes, hyper, slope, cut, weight, new):
    """An AdaGrad step along a scored row, with a sum of squared slopes for each column."""
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    table, past, g = columns.table, state.average_weight, slope * cut
    step_length = hyper.step_size * np.sqrt(np.sqrt(classes[0].steps + classes[1].steps) * state.newest)
    if hyper.l2 > 0.0:
        state.penalty += 0.5 * hyper.l2 * weight
        for e in range(n):
            j = np.uintp(X.indices[start + e])
            penalise(table, columns.penalised, j, state.penalty, step_length, past)
    if g == 0.0:
        return
    neg, pos = classes[0].steps + 1.0, classes[1].steps + 1.0
    uneven = (neg - pos) / neg * ((neg - pos) / pos)
    least = (UNEVEN * uneven + 1e-9) * cut * cut * state.newest  # above 0: it is divided by
    has_small = take_step(scratch.scaled, scratch.squares, n, g * g * state.newest, -step_length * g, least)
    if has_small and new:
        enlarge_small(X, i, table, scratch)
    for e in range(n):
        j = np.uintp(X.indices[start + e])
        table[j, WEIGHT] += scratch.scaled[e]
        table[j, OFFSET] += past * scratch.scaled[e]
        table[j, SQUARES] = scratch.squares[e]


@vectorised
def take_step(scaled, squares, n, g_2, step, least):
    """Turn scaled values into steps of their columns, and add to the squares; whether some are too small.

    Small values are usual in a column that has others. In one that has not moved so far they mean a small
    scale, and make no step.
    """
    number = 0
    for e in range(n):
        small = (abs(scaled[e]) < 1.0 / BAND) & (squares[e] == 0.0)
        z = 0.0 if small else scaled[e]
        squares[e] += g_2 * (z * z)
        scaled[e] = z * (step / np.sqrt(squares[e] + least))
        number += small
    return number > 0


@inlined
def enlarge_small(X, i, table, scratch):
    """Enlarge the scales of the columns that made no step; values next to nothing count as zeros."""
    for e in range(X.indptr[i + 1] - X.indptr[i]):
        j, x = X.indices[X.indptr[i] + e], X.data[X.indptr[i] + e]
        if scratch.squares[e] == 0.0 and abs(x * table[j, SCALE]) > 1.0 / HUGE:
            table[j, SCALE] = min(4.0 * table[j, SCALE], HUGE * HUGE)


@inlined
def penalise(table, penalised, j, penalty, step_length, past):
    """Shrink a column by the penalty of all steps since it was last moved."""
    root = np.sqrt(max(table[j, SQUARES], 1.0 / HUGE))
    change = table[j, WEIGHT] * (np.exp(-step_length * (penalty - penalised[j]) / root) - 1.0)
    table[j, WEIGHT] += change
    table[j, OFFSET] += past * change
    penalised[j] = penalty
