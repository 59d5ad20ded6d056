"""Dense rows of ``OnlineAUCClassifier``, standardised on the way: scale one, score it, move all columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel, vectorised
from ..kernels.rows import axpy2, dot2
from .class_moments import State, add_iterate, count_row, divide_large, is_due, step_length, update_moments
from .constants import CLIP, FLOOR, HUGE, LARGE, LONG, MAX_SIMILARITY, OUTLIER, PRIOR


class DenseColumns(NamedTuple):
    """Weights and running statistics of columns that are standardised; see ``State`` for the first two."""

    u: np.ndarray
    average_coef: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    inverse_std: np.ndarray
    std: np.ndarray
    earlier_row: np.ndarray

    @classmethod
    def zeros(cls, n_features: int) -> "DenseColumns":
        return cls(*np.zeros((7, n_features)))

    def weights(self, state: State, at: np.ndarray | slice, by_u: float, by_average: float) -> np.ndarray:
        """``by_u * u - by_average * average_coef`` of some columns, for rows that are not standardised."""
        scale = self.inverse_std[at] / np.sqrt(len(self.u))
        return (by_u * self.u[at] - by_average * self.average_coef[at]) * scale

    def append(self, extra: int) -> "DenseColumns":
        """The same with columns added that were zero in all rows so far."""
        d, wider = len(self.u), DenseColumns(*(np.append(part, np.zeros(extra)) for part in self))
        # Standardised values are divided by the root of the number of columns: scores stay the same.
        wider.u[:] *= np.sqrt((d + extra) / d)
        wider.average_coef[:] *= np.sqrt((d + extra) / d)
        wider.earlier_row[:] *= np.sqrt(d / (d + extra))
        return wider


@kernel
def dense_epoch(hyper, state, moments, columns, data):
    """Visit dense rows, standardised on the way. All columns share one sum of squared slopes."""
    X, y, order = data.X, data.y, data.order
    u, average_coef, mean, variance, inverse_std, std, earlier_row = columns
    powers, standardised = np.empty(len(hyper.choose) + 4), np.empty((1, X.shape[1]))
    z = standardised[0]
    for i in order:
        positive, q = y[i] > 0.0, abs(y[i])
        state = count_row(hyper, state, positive, q)
        step, forget_scale, average_offset = (
            step_length(hyper, state),
            state.forget_scale,
            state.average_offset,
        )
        step = step_length(hyper, state)
        step *= np.sqrt(min(max(state.similarity, 1.0), MAX_SIMILARITY) * len(z))
        prior = PRIOR * mean_square_weight(state.pos, state.neg) * forget_scale
        if hyper.l2 > 0.0:
            strength = hyper.l2 * step * np.sqrt(forget_scale / (state.squared_slopes + prior))
            shrink(u, average_coef, strength, average_offset)
        rate, fresh = q / (state.pos + state.neg), is_due(state.rows, 64, 16)
        length = standardise(X, i, mean, variance, inverse_std, std, z, rate, fresh)
        inner_u, inner_average = dot2(standardised, 0, u, average_coef)
        score, decision = 0.0, 0.0
        if state.average_weight > 0.0:
            score = inner_u / forget_scale
            decision = (average_offset * inner_u - inner_average) / state.average_weight
        grad, _, pos_score, neg_score = update_moments(
            hyper, state, moments, powers, score, decision, positive, q
        )
        slope = grad * np.sqrt(forget_scale) * (LONG / max(length, LONG))
        squares = state.squared_slopes + slope * slope
        if grad != 0.0:
            move = -step * forget_scale * slope / np.sqrt(squares + prior)
            axpy2(standardised, 0, move, u, average_offset * move, average_coef)
        similarity = state.similarity
        if is_due(state.rows, 1024, 16):
            rate *= 1.0 if state.rows <= 1024 else 16.0
            similarity += min(rate, 1.0) * (compare_rows(z, earlier_row, inverse_std) - similarity)
        state = add_iterate(state, pos_score, neg_score, 0.0, 0.0, similarity, squares)
        if max(state.average_weight, forget_scale) > LARGE:
            state = divide_large(state, moments, u, average_coef, u[:0], u[:0])  # no sums by column
    return state


@inlined
def mean_square_weight(pos, neg):
    """Mean square of the rows' weights 1/p and 1/(1-p): 4 for even classes, more the rarer one is."""
    # By ratios, since weights may be of any size; a class that has been forgotten weighs next to nothing.
    return min((pos + neg) / max(pos, FLOOR) * ((pos + neg) / max(neg, FLOOR)), HUGE)


@vectorised
def standardise(X, i, mean, variance, inverse_std, std, z, rate, fresh):
    """Add row i to the running means and variances, then write its standardised form to ``z``.

    That is divided by the root of the number of columns; its squared length is returned, 1 in the mean.
    """
    root, length = 1.0 / np.sqrt(len(z)), 0.0
    for j in range(len(z)):
        gap = np.float64(X[i, j]) - mean[j]
        clipped = (
            min(max(gap * inverse_std[j], -OUTLIER), OUTLIER) * std[j]
            if inverse_std[j] > 0.0
            else min(max(gap, -HUGE), HUGE)
        )
        mean[j] += rate * clipped
        variance[j] = (1.0 - rate) * (variance[j] + rate * clipped * clipped)
        z[j] = (1.0 - rate) * clipped
    if fresh:
        for j in range(len(z)):
            std[j] = np.sqrt(variance[j])
            inverse_std[j] = 1.0 / std[j] if std[j] > 0.0 else 0.0
    for j in range(len(z)):
        z[j] = min(max(z[j] * inverse_std[j], -CLIP), CLIP) * root
        length += z[j] * z[j]
    return length


@vectorised
def compare_rows(z, earlier_row, inverse_std):
    """The square of two rows' inner product over the number of columns that vary; 1 if none are alike.

    In the mean, it is that number over the number of directions in which the rows vary. ``z`` replaces
    the earlier row.
    """
    product, varying = 0.0, 0
    for j in range(len(z)):
        product += z[j] * earlier_row[j]
        varying += inverse_std[j] > 0.0
    for j in range(len(z)):
        earlier_row[j] = z[j]
    return (len(z) * product) ** 2 / max(varying, 1)


@vectorised
def shrink(u, average_coef, strength, average_offset):
    for j in range(len(u)):
        step = u[j] / (1.0 + strength) - u[j]
        u[j] += step
        average_coef[j] += average_offset * step
