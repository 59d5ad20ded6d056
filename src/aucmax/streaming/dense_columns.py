"""Dense columns: standardised by running means and deviations, one step size for all columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.scales import HUGE, RunningScales, columns_per_direction, update_inverses, update_moments
from .constants import CLIP, MAX_LENGTH, RECENT


class DenseColumns(NamedTuple):
    """Fields with a number per column. The average weights are ``weights - offsets / average_weight``."""

    weights: np.ndarray
    offsets: np.ndarray
    scales: RunningScales

    @classmethod
    def begin(cls, X, n_features, state):
        scales = RunningScales.of(X)
        state.columns_per_direction = max(columns_per_direction(scales.standardise(X)), 1.0)
        state.norm = np.sqrt(max((scales.inverse > 0.0).sum(), 1))
        return cls(*np.zeros((2, n_features)), scales)

    def linear(self, at, state, classes):
        """Weights, offsets, and factors of the values, of some columns."""
        return self.weights[at], self.offsets[at], self.scales.inverse[at]

    def widened(self, extra, state):
        """The same with columns added that were zero so far."""
        weights, offsets = (np.pad(part, (0, extra)) for part in (self.weights, self.offsets))
        return DenseColumns(weights, offsets, self.scales.widened(extra))


def score_dense(X, i, columns, scratch, state, classes, rate, new):
    """Scale row i into ``scratch``; at a rate above 0, take it into the running scales.

    Returns the factor for the scaled values, one over the usual norm or less if the row is long, and the
    products of the row, so scaled, with weights and offsets.
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
    factor = 1.0 / max(state.norm, norm / MAX_LENGTH)
    if rate > 0.0:
        update_moments(X, i, scales, rate, min(1.0, CLIP * state.norm / max(norm, 1.0)), CLIP)
        if int(state.rows) % 16 == 0:  # roots are slow
            state.norm = np.sqrt(max(update_inverses(scales), 1.0))
    return factor, factor * score, factor * offset


def move_dense(X, i, columns, scratch, state, classes, hyper, slope, factor, weight, new):
    """A step along a scored row: AdaGrad's times t^(1/4), as the average of the iterates allows for.

    Standardised columns can share one sum of squared slopes.
    """
    state.squared_slopes += slope * slope
    share = state.columns_per_direction / (state.squared_slopes + RECENT)
    step_length = hyper.step_size * np.sqrt(share * np.sqrt(classes[0].steps + classes[1].steps))
    step, average_weight = -step_length * state.norm * slope * factor, state.average_weight
    # Half of the penalty: a pair of the loss is one step along its positive row and one along its negative.
    shrink = np.expm1(-0.5 * hyper.l2 * weight * step_length * state.norm) if hyper.l2 > 0.0 else 0.0
    for j in range(X.shape[1]):
        change = step * scratch.scaled[j]
        change += shrink * (columns.weights[j] + change)
        columns.weights[j] += change
        columns.offsets[j] += average_weight * change
