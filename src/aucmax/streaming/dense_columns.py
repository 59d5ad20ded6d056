"""Dense columns: running means and standard deviations, one step size for all columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import vectorised
from .constants import CLIP, HUGE, LONG, RECENT, ROUNDING


class DenseColumns(NamedTuple):
    """A number per column each. The average of the weights is ``weights - offsets / average_weight``."""

    weights: np.ndarray
    offsets: np.ndarray
    inverse: np.ndarray  # 1 / standard deviation; 0 where a column is constant
    mean: np.ndarray
    variance: np.ndarray

    @classmethod
    def begin(cls, X, n_features, state):
        """Means and variances without the two smallest and the two largest values of each column."""
        trim = len(X) // 32
        middle = np.sort(np.asarray(X, dtype=float), axis=0)[trim : len(X) - trim]
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = middle.mean(axis=0), middle.var(axis=0)
            smallest = np.maximum(ROUNDING * np.abs(mean), 1.0 / HUGE)
            usable = np.isfinite(variance) & (variance > smallest**2)
            mean, variance = np.where(np.isfinite(mean), mean, 0.0), np.where(usable, variance, 0.0)
            inverse = np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=usable)
            scaled = np.clip((X - mean) * inverse, -HUGE, HUGE)
            state.columns_per_direction = max(columns_per_direction(scaled), 1.0)
        state.norm = np.sqrt(max(usable.sum(), 1))
        return cls(*np.zeros((2, n_features)), inverse, mean, variance)

    def linear(self):
        """Weights, offsets, and factors of the values, of all columns."""
        return self.weights, self.offsets, self.inverse

    def widened(self, extra, state):
        """The same with columns added that were zero so far."""
        return DenseColumns(*(np.pad(part, (0, extra)) for part in self))


def columns_per_direction(Z):
    """Columns that vary over directions that rows take: 1 if the columns are unrelated."""
    length = np.sqrt((Z * Z).sum(axis=1))
    Z = Z[length > 0.0] / length[length > 0.0, None]
    if len(Z) < 2:
        return 1.0
    # Not by BLAS or einsum, whose rounding depends on where the numbers lie in memory.
    squares = sum(float(((Z * z).sum(axis=1) ** 2).sum()) - 1.0 for z in Z)
    return squares / (len(Z) * (len(Z) - 1)) * float(Z.any(axis=0).sum())


def score_dense(X, i, columns, scratch, state, rate, new):
    """Scale row i into ``scratch`` and take it into the running scales at this rate, 0 for replayed rows.

    Returns the factor that brings it to the usual norm, at most, and its products with weights and offsets.
    """
    scaled, square, score, offset = scratch.scaled, 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        scaled[j] = min(max((X[i, j] - columns.mean[j]) * columns.inverse[j], -HUGE), HUGE)
    # Sums in a loop of their own: beside a store they would be vectorised or not, and so rounded, depending
    # on where the arrays lie in memory.
    for j in range(X.shape[1]):
        square += scaled[j] * scaled[j]
        score += scaled[j] * columns.weights[j]
        offset += scaled[j] * columns.offsets[j]
    norm = np.sqrt(square)
    cut = 1.0 / max(state.norm, norm / LONG)
    if rate > 0.0:
        restandardise(X, i, columns, state, rate, min(1.0, CLIP * state.norm / max(norm, 1.0)))
    return cut, cut * score, cut * offset


@vectorised
def restandardise(X, i, columns, state, rate, trust):
    """Take a row into the running means and variances; the deviations of a broken one count ``trust``."""
    mean, variance, inverse = columns.mean, columns.variance, columns.inverse
    for j in range(X.shape[1]):
        bound = CLIP * variance[j] * inverse[j] if inverse[j] > 0.0 else HUGE
        gap = min(max(trust * (X[i, j] - mean[j]), -bound), bound)
        mean[j] += rate * gap
        variance[j] = (1.0 - rate) * (variance[j] + rate * gap * gap)
    if int(state.rows) % 16 == 0:  # roots are slow
        varying = 0.0
        for j in range(X.shape[1]):
            std = np.sqrt(variance[j])
            varies = std > max(ROUNDING * abs(mean[j]), 1.0 / HUGE)
            inverse[j] = 1.0 / std if varies else 0.0
            varying += varies
        state.norm = np.sqrt(max(varying, 1.0))


def move_dense(X, i, columns, scratch, state, classes, hyper, slope, cut, weight, new):
    """An AdaGrad step along a scored row; standardised columns can share one sum of squared slopes."""
    state.slopes += slope * slope
    share = state.columns_per_direction / (state.slopes + RECENT)
    step_length = hyper.step_size * np.sqrt(share * np.sqrt(state.steps))
    step, past = -step_length * state.norm * slope * cut, state.average_weight
    for j in range(X.shape[1]):
        columns.weights[j] += step * scratch.scaled[j]
        columns.offsets[j] += past * step * scratch.scaled[j]
    if hyper.l2 > 0.0:
        shrink = np.exp(-0.5 * hyper.l2 * weight * step_length * state.norm) - 1.0
        for j in range(X.shape[1]):
            change = shrink * columns.weights[j]
            columns.weights[j] += change
            columns.offsets[j] += past * change
