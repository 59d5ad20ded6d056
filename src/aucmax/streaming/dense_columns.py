"""Dense columns: standardised by running means and deviations, one step size for all columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.scales import HUGE, RunningScales, columns_per_direction, update_inverses, update_moments
from .constants import CLIP, LONG, RECENT


class DenseColumns(NamedTuple):
    """A number per column each. The average of the weights is ``weights - offsets / average_weight``."""

    weights: np.ndarray
    offsets: np.ndarray
    scales: RunningScales

    @classmethod
    def begin(cls, X, n_features, state):
        scales = RunningScales.of(X)
        state.columns_per_direction = max(columns_per_direction(scales.standardise(X)), 1.0)
        state.norm = np.sqrt(max((scales.inverse > 0.0).sum(), 1))
        return cls(*np.zeros((2, n_features)), scales)

    def linear(self):
        """Weights, offsets, and factors of the values, of all columns."""
        return self.weights, self.offsets, self.scales.inverse

    def widened(self, extra, state):
        """The same with columns added that were zero so far."""
        weights, offsets = (np.pad(part, (0, extra)) for part in (self.weights, self.offsets))
        return DenseColumns(weights, offsets, self.scales.widened(extra))


def score_dense(X, i, columns, scratch, state, rate, new):
    """Scale row i into ``scratch`` and take it into the running scales at this rate, 0 for replayed rows.

    Returns the factor that brings it to the usual norm, at most, and its products with weights and offsets.
    """
    scaled, scales, square, score, offset = scratch.scaled, columns.scales, 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        scaled[j] = min(max((X[i, j] - scales.mean[j]) * scales.inverse[j], -HUGE), HUGE)
    # Sums in a loop of their own: beside a store they would be vectorised or not, and so rounded, depending
    # on where the arrays lie in memory.
    for j in range(X.shape[1]):
        square += scaled[j] * scaled[j]
        score += scaled[j] * columns.weights[j]
        offset += scaled[j] * columns.offsets[j]
    norm = np.sqrt(square)
    cut = 1.0 / max(state.norm, norm / LONG)
    if rate > 0.0:
        update_moments(X, i, scales, rate, min(1.0, CLIP * state.norm / max(norm, 1.0)), CLIP)
        if int(state.rows) % 16 == 0:  # roots are slow
            state.norm = np.sqrt(max(update_inverses(scales), 1.0))
    return cut, cut * score, cut * offset


def move_dense(X, i, columns, scratch, state, classes, hyper, slope, cut, weight, new):
    """An AdaGrad step along a scored row; standardised columns can share one sum of squared slopes."""
    state.slopes += slope * slope
    share = state.columns_per_direction / (state.slopes + RECENT)
    step_length = hyper.step_size * np.sqrt(share * np.sqrt(classes[0].steps + classes[1].steps))
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
