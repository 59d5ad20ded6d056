"""Weights and running scales of the columns, dense and sparse: scale a row, score it, move its columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..kernels.prefetch import prefetch
from ..kernels.rows import by_layout
from .constants import BAND, CLIP, HUGE, LONG, RECENT, ROUNDING, UNEVEN

WEIGHT, OFFSET, SQUARES, SCALE = 0, 1, 2, 3  # the numbers of a sparse column


class Row(NamedTuple):
    """Room for one row: its values, their columns if sparse, the scaled values, and the columns' squares."""

    values: np.ndarray
    columns: np.ndarray
    scaled: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, width: int, index_type: np.dtype) -> "Row":
        return cls(np.empty(width), np.empty(width, dtype=index_type), np.empty(width), np.empty(width))


class DenseColumns(NamedTuple):
    """A number per column each. The average of the weights is ``weights - offsets / average_weight``."""

    weights: np.ndarray
    offsets: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    std: np.ndarray
    inverse: np.ndarray

    def widened(self, extra: int) -> "DenseColumns":
        """The same with columns added that were zero so far."""
        return DenseColumns(*(np.pad(part, (0, extra)) for part in self))


class SparseColumns(NamedTuple):
    """A line of four numbers per column: weight, offset, sum of squared slopes, scale of the values.

    They lie together since fetching them takes most of the time. ``penalised`` is what the penalty had summed
    up to when a column was last moved.
    """

    table: np.ndarray
    penalised: np.ndarray

    def widened(self, extra: int, scale: float) -> "SparseColumns":
        """The same with columns added that were zero so far."""
        table = np.pad(self.table, ((0, extra), (0, 0)))
        table[-extra:, SCALE] = scale
        return SparseColumns(table, np.pad(self.penalised, (0, extra)))


def _load_dense(X, i, row):
    for j in range(X.shape[1]):
        row.values[j] = X[i, j]
    return X.shape[1]


def _load_csr(X, i, row):
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    for e in range(n):
        row.values[e] = X.data[start + e]
        row.columns[e] = X.indices[start + e]
    return np.intp(n)


def _fetch_dense(X, order, done, columns):
    start = order[min(done + 2, len(order) - 1)] * X.shape[1]
    for k in range(start, start + X.shape[1], 8):
        prefetch(X, k)


def _fetch_csr(X, order, done, columns):
    # The columns of a row are known once its indices have come, so these are fetched a turn earlier.
    last = len(order) - 1
    i = order[min(done + 2, last)]
    for k in range(X.indptr[i], X.indptr[i + 1], 8):
        prefetch(X.data, k)
        prefetch(X.indices, k)
    i = order[min(done + 1, last)]
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        prefetch(columns.table, np.uintp(4) * np.uintp(X.indices[k]))


def _score_dense(X, columns, row, n, state, rate, new):
    length, score, offset = 0.0, 0.0, 0.0
    for j in range(n):
        row.scaled[j] = min(max((row.values[j] - columns.mean[j]) * columns.inverse[j], -HUGE), HUGE)
    # Sums in a loop of their own: beside a store they would be vectorised or not, and so rounded, depending
    # on where the arrays lie in memory.
    for j in range(n):
        length += row.scaled[j] * row.scaled[j]
        score += row.scaled[j] * columns.weights[j]
        offset += row.scaled[j] * columns.offsets[j]
    norm = np.sqrt(length / max(state.varying, 1.0))
    cut = min(1.0, LONG / max(norm, 1.0))
    if rate > 0.0:
        restandardise(row, columns, n, state, rate, min(1.0, CLIP / max(norm, 1.0)))
    return cut, cut * score, cut * offset


@vectorised
def restandardise(row, columns, n, state, rate, trust):
    """Take a row into the running means and variances; the deviations of a broken one count ``trust``."""
    for j in range(n):
        bound = CLIP * columns.std[j] if columns.std[j] > 0.0 else HUGE
        gap = min(max(trust * (row.values[j] - columns.mean[j]), -bound), bound)
        columns.mean[j] += rate * gap
        columns.variance[j] = (1.0 - rate) * (columns.variance[j] + rate * gap * gap)
    if int(state.rows) % 16 == 0:  # roots are slow
        varying = 0.0
        for j in range(n):
            std = np.sqrt(columns.variance[j])
            columns.std[j] = std if std > max(ROUNDING * abs(columns.mean[j]), 1.0 / HUGE) else 0.0
            columns.inverse[j] = 1.0 / std if columns.std[j] > 0.0 else 0.0
            varying += columns.inverse[j] > 0.0
        state.varying = varying


def _score_csr(X, columns, row, n, state, rate, new):
    table, length, score, offset, entries = columns.table, 0.0, 0.0, 0.0, 0.0
    for e in range(n):
        j = np.uintp(row.columns[e])
        z = row.values[e] * table[j, SCALE]
        size = abs(z)
        if not (1.0 / BAND <= size <= BAND):
            z = within_band(table, j, z, size, new)
        row.scaled[e] = z
        row.squares[e] = table[j, SQUARES]
        score += z * table[j, WEIGHT]
        offset += z * table[j, OFFSET]
        length += z * z
        entries += 1.0 if row.values[e] != 0.0 else 0.0
    norm = np.sqrt(length)
    if rate > 0.0:
        state.norm += rate * (min(norm, CLIP * state.norm) - state.norm)
        state.entries += rate * (entries - state.entries)
    cut = 1.0 / max(state.norm, norm / LONG)
    return cut, cut * score, cut * offset


@inlined
def within_band(table, j, z, size, new):
    """Bring a value of unusual size closer; that of a new row also adapts the scale of its column.

    By a bounded factor, and once for each row, not at each replay: the value may be broken. Small values are
    usual in columns that have others; only in a column that has not moved so far they mean a small scale, and
    what is next to nothing is a 0.
    """
    if size > BAND:
        if new:
            table[j, SCALE] *= 0.5
            z *= 0.5
        return min(max(z, -BAND), BAND)
    if size > 1.0 / HUGE and table[j, SQUARES] == 0.0:
        if new:
            table[j, SCALE] = min(4.0 * table[j, SCALE], HUGE * HUGE)
        return 0.0
    return z


def _move_dense(X, columns, row, n, state, classes, hyper, slope, cut, weight):
    state.slopes += slope * slope
    step_length = hyper.step_size * np.sqrt(state.alike * np.sqrt(state.steps) / (state.slopes + RECENT))
    root = np.sqrt(max(state.varying, 1.0))
    step, average_weight = -step_length / root * slope * cut, state.average_weight
    late = average_weight * step
    for j in range(n):
        columns.weights[j] += step * row.scaled[j]
        columns.offsets[j] += late * row.scaled[j]
    if hyper.l2 > 0.0:
        shrink = np.exp(-0.5 * hyper.l2 * weight * step_length * root) - 1.0
        for j in range(n):
            change = shrink * columns.weights[j]
            columns.weights[j] += change
            columns.offsets[j] += average_weight * change


def _move_csr(X, columns, row, n, state, classes, hyper, slope, cut, weight):
    table, past, g = columns.table, state.average_weight, slope * cut
    state.penalty += 0.5 * hyper.l2 * weight
    step_length = hyper.step_size * np.sqrt(np.sqrt(state.steps))
    if hyper.l2 > 0.0:
        penalise(columns, row, n, state.penalty, step_length * np.sqrt(state.newest), past)
    if g == 0.0:
        return
    square = cut * cut * state.norm * state.norm / max(state.entries, 1.0)
    floor, g_2 = (UNEVEN * imbalance(classes) + 1e-9) * square, g * g * state.newest
    faded, step = 1.0 / state.newest, -step_length * g
    # Vectorised. Single precision has faster roots, and one Newton step makes them double.
    for e in range(n):
        z = row.scaled[e]
        row.squares[e] += g_2 * (z * z)
        total = faded * row.squares[e] + floor
        root = np.float64(np.float32(1.0) / np.sqrt(np.float32(total)))
        row.scaled[e] = step * z * (root * (1.5 - 0.5 * total * (root * root)))
    for e in range(n):
        j = np.uintp(row.columns[e])
        table[j, WEIGHT] += row.scaled[e]
        table[j, OFFSET] += past * row.scaled[e]
        table[j, SQUARES] = row.squares[e]


@inlined
def imbalance(classes):
    """Squared difference of the classes' steps over their product: 0 if they are even."""
    neg, pos = classes[0].steps + 1.0, classes[1].steps + 1.0
    return (neg - pos) / neg * ((neg - pos) / pos)


@inlined
def penalise(columns, row, n, penalty, step_length, past):
    """Shrink the columns of a row by the penalty of all steps since they were last moved."""
    table, penalised = columns.table, columns.penalised
    for e in range(n):
        j = np.uintp(row.columns[e])
        missed_shrinkage = (
            step_length * (penalty - penalised[j]) / np.sqrt(max(table[j, SQUARES], 1.0 / HUGE))
        )
        change = table[j, WEIGHT] * (np.exp(-missed_shrinkage) - 1.0)
        table[j, WEIGHT] += change
        table[j, OFFSET] += past * change
        penalised[j] = penalty


def _divide_dense(X, columns, offsets, squares):
    for j in range(len(columns.offsets)):
        columns.offsets[j] /= offsets


def _divide_csr(X, columns, offsets, squares):
    for j in range(len(columns.table)):
        columns.table[j, OFFSET] /= offsets
        columns.table[j, SQUARES] /= squares


load = by_layout(_load_dense, _load_csr, "``load(X, i, row)``: copy row i; its number of entries.")
fetch_ahead = by_layout(
    _fetch_dense,
    _fetch_csr,
    "``fetch_ahead(X, order, done, columns)``: ask for the rows to come and their columns. In random order"
    " they lie anywhere in memory, and waiting for them would take a third of the time.",
)
score_row = by_layout(
    _score_dense,
    _score_csr,
    "``score_row(X, columns, row, n, state, rate, new)``: scale a row into ``row.scaled`` and, if it is new,"
    " update the running scales at this rate. Returns the factor that shortens it, and its products with"
    " weights and offsets.",
)
move = by_layout(
    _move_dense,
    _move_csr,
    "``move(X, columns, row, n, state, classes, hyper, slope, cut, weight)``: an AdaGrad step along a scored"
    " row. Dense columns are standardised, so one sum of squares serves all; sparse ones have their own.",
)
divide = by_layout(
    _divide_dense, _divide_csr, "``divide(X, columns, offsets, squares)``: divide the columns' sums by these."
)
