"""Running statistics of the scores in ``OnlineAUCClassifier``, and the derivative of the loss they give.

The mean loss of a row over all pairs with the other class is a polynomial in the row's own score. Its
coefficients come from the other class's mean Bernstein basis, which is updated with each row.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..pairs.bernstein import binomials, pair_matrix
from ..pairs.losses import Loss
from .constants import BIN_RANGE, BINS, FILL, LARGE, MEMORY


class Hyper(NamedTuple):
    """Step size, penalty, what a row keeps of the past, length of the range of scores, tables of the loss.

    ``count_prequential`` says whether the rows are new, so that their scores count in the prequential AUC.
    """

    eta: float
    l2: float
    keep: float
    length: float
    count_prequential: bool
    choose: np.ndarray
    slope_matrix: np.ndarray


class State(NamedTuple):
    """Counts and running means.

    ``n``, ``pos`` and ``neg``, the number of rows and the weight of each class, fade with the half-life. All
    else that fades is stored relative to ``forget_scale``, which grows instead: the weights are
    ``w = u / forget_scale``, and their average is ``(average_offset * u - average_coef) / average_weight``.
    ``usual_square`` is the square of the usual size of values that are not zero, ``similarity`` says how
    alike columns are. ``squared_slopes`` is the sum of the rows' squared slopes, or, where columns are not
    standardised, of these without the weights of rows and classes.
    """

    rows: int = 0
    pos_rows: int = 0
    neg_rows: int = 0
    n: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    pos_score: float = 0.0
    neg_score: float = 0.0
    average_weight: float = 0.0
    average_offset: float = 0.0
    forget_scale: float = 1.0
    mean_norm: float = 0.0
    usual_square: float = 0.0
    similarity: float = 0.0
    squared_slopes: float = 0.0


class Moments(NamedTuple):
    """Per class (negative, positive): mean basis, the slope it gives the other class, score counts.

    The basis is ``u^k (1 - u)^(degree - k)``: Bernstein's without its binomials, which are part of the
    slope's coefficients.
    """

    basis: np.ndarray
    slope: np.ndarray
    bins: np.ndarray

    @classmethod
    def zeros(cls, degree: int) -> "Moments":
        return cls(np.zeros((2, degree + 1)), np.zeros((2, degree)), np.zeros((2, BINS)))

    def auc(self) -> float:
        """AUC of the counted scores; those in one bin are ties. NaN until there are rows of both classes."""
        neg, pos = self.bins / np.maximum(self.bins.sum(axis=1, keepdims=True), 1e-300)
        if not (neg.any() and pos.any()):
            return np.nan
        return float(pos @ (np.cumsum(neg) - 0.5 * neg))


@lru_cache(maxsize=32)
def loss_tables(loss: Loss, degree: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """``choose`` and ``slope_matrix`` of ``Hyper``: from a mean basis to the slope's coefficients.

    The matrix contains the binomials of the mean basis, ``choose`` those of the slope's: the product of both
    would overflow.
    """
    matrix = np.diff(pair_matrix(loss.value, degree, length), axis=0) * (degree / length)
    if not np.isfinite(matrix).all():
        raise ValueError(f"The loss is no finite number at a margin of {length:g}; lower score_range.")
    return binomials(degree - 1), matrix * binomials(degree)


@inlined
def is_due(count, often, period):
    """Whether to recompute a number that changes by 1/count: always at first, then once in a period."""
    return count <= often or count % period == 0


@inlined
def step_length(hyper, state):
    """Length of a step: by the fourth root, steps fall like t^(-1/4) instead of t^(-1/2)."""
    return hyper.eta * np.sqrt(np.sqrt(state.n))


@inlined
def count_row(hyper, s, positive, q):
    """The state after all rows have faded and a row of weight ``q`` is counted."""
    keep, pos_rows, neg_rows = hyper.keep, s.pos_rows, s.neg_rows
    n, pos, neg, forget_scale = keep * s.n + 1.0, keep * s.pos, keep * s.neg, s.forget_scale / keep
    if positive:
        pos += q
        pos_rows += 1
    else:
        neg += q
        neg_rows += 1
    return State(
        s.rows + 1, pos_rows, neg_rows, n, pos, neg, s.pos_score, s.neg_score, s.average_weight,
        s.average_offset, forget_scale, s.mean_norm, s.usual_square, s.similarity, s.squared_slopes,
    )  # fmt: skip


@inlined
def update_moments(hyper, s, moments, powers, score, decision, positive, q):
    """The derivative of the pair loss in the row's score; then the row is added to the moments.

    It is returned with the weights of row and class, and without; then the classes' mean scores.
    ``decision`` is the score by the average of the iterates, ``powers`` is scratch space.
    """
    own, sign = (1, 1.0) if positive else (0, -1.0)
    own_weight, own_rows = (s.pos, s.pos_rows) if positive else (s.neg, s.neg_rows)
    # A common shift of all scores changes no pair, so the range is centred. Rows beyond one end of it
    # look like ties, which larger scores would never resolve: where scores grow, so does the range, and the
    # loss with it, as if scores were given in larger units.
    middle, length = 0.5 * (s.pos_score + s.neg_score), max(hyper.length, (s.pos_score - s.neg_score) / FILL)
    if hyper.count_prequential:
        count_score(moments.bins, own, (decision - middle) * (BIN_RANGE / length), q * s.forget_scale)
    u = min(max(0.5 + sign * (score - middle) / length, 0.0), 1.0)
    rate = min(q * max(1.0 / own_weight, s.n / (MEMORY * (s.pos + s.neg))), 1.0)
    # Zero until the other class has rows.
    derivative = evaluate_slope(moments.slope, moments.basis, own, u, rate, powers)
    weighted = sign * q * s.n / own_weight * derivative
    if is_due(own_rows, 32, 16):
        update_slope(hyper.slope_matrix, hyper.choose, moments.basis, own, moments.slope)
    pos_score, neg_score = s.pos_score, s.neg_score
    if positive:
        pos_score += rate * (decision - pos_score)
    else:
        neg_score += rate * (decision - neg_score)
    return weighted, derivative, pos_score, neg_score


@inlined
def count_score(bins, own, decision, weight):
    """Count a score in its bin; bins are narrow near zero and reach to infinity."""
    place = decision / (1.0 + abs(decision))
    if -1.0 < place < 1.0:
        bins[own, min(int(0.5 * BINS * (1.0 + place)), BINS - 1)] += weight
    else:
        bins[own, 0 if decision < 0.0 else BINS - 1] += weight


@inlined
def evaluate_slope(slope, basis, own, u, rate, powers):
    """The other class's slope at ``u``; then ``basis[own]`` moves towards the basis of ``u``.

    Four powers are computed at a time, since each product waits for the last: rising ones of u, stored in
    ``powers``, and falling ones of v = 1 - u.
    """
    other, degree, v = 1 - own, slope.shape[1], 1.0 - u
    u_2, v_2, keep, gain = u * u, v * v, 1.0 - rate, rate * v
    u_4, v_4 = u_2 * u_2, v_2 * v_2
    p_0, p_1, p_2, p_3 = 1.0, u, u_2, u_2 * u
    for k in range(0, degree + 1, 4):
        powers[k], powers[k + 1], powers[k + 2], powers[k + 3] = p_0, p_1, p_2, p_3
        p_0, p_1, p_2, p_3 = p_0 * u_4, p_1 * u_4, p_2 * u_4, p_3 * u_4
    basis[own, degree] = keep * basis[own, degree] + rate * powers[degree]
    p_0, p_1, p_2, p_3 = 1.0, v, v_2, v_2 * v
    on_0, on_1, on_2, on_3 = 0.0, 0.0, 0.0, 0.0
    for k in range(degree - 1, 2, -4):
        b_0, b_1, b_2, b_3 = powers[k] * p_0, powers[k - 1] * p_1, powers[k - 2] * p_2, powers[k - 3] * p_3
        on_0, on_1 = on_0 + slope[other, k] * b_0, on_1 + slope[other, k - 1] * b_1
        on_2, on_3 = on_2 + slope[other, k - 2] * b_2, on_3 + slope[other, k - 3] * b_3
        basis[own, k] = keep * basis[own, k] + gain * b_0
        basis[own, k - 1] = keep * basis[own, k - 1] + gain * b_1
        basis[own, k - 2] = keep * basis[own, k - 2] + gain * b_2
        basis[own, k - 3] = keep * basis[own, k - 3] + gain * b_3
        p_0, p_1, p_2, p_3 = p_0 * v_4, p_1 * v_4, p_2 * v_4, p_3 * v_4
    for k in range(degree % 4 - 1, -1, -1):
        b_0, p_0 = powers[k] * p_0, p_0 * v
        on_0 += slope[other, k] * b_0
        basis[own, k] = keep * basis[own, k] + gain * b_0
    return (on_0 + on_1) + (on_2 + on_3)


@vectorised
def update_slope(matrix, choose, basis, own, slope):
    """``slope[own] = choose * (matrix @ basis[own])``."""
    for k in range(slope.shape[1]):
        total = 0.0
        for l in range(basis.shape[1]):
            total += matrix[k, l] * basis[own, l]
        slope[own, k] = choose[k] * total


@inlined
def add_iterate(s, pos_score, neg_score, mean_norm, usual_square, similarity, squared_slopes):
    """The state once the newest iterate counts in the average: iterate t counts t if nothing is forgotten."""
    begun = s.n > 1.0 and s.average_weight > 0.0
    average_weight = s.average_weight * ((s.n + 1.0) / (s.n - 1.0)) if begun else 1.0
    average_offset = s.average_offset + 2.0 * average_weight / ((s.n + 1.0) * s.forget_scale)
    return State(
        s.rows, s.pos_rows, s.neg_rows, s.n, s.pos, s.neg, pos_score, neg_score, average_weight,
        average_offset, s.forget_scale, mean_norm, usual_square, similarity, squared_slopes,
    )  # fmt: skip


@inlined
def divide_large(s, moments, u, average_coef, squares, sizes):
    """Divide what has grown beyond ``LARGE`` by it: a power of two, so that nothing is rounded."""
    average_weight, average_offset, forget_scale = s.average_weight, s.average_offset, s.forget_scale
    squared_slopes = s.squared_slopes
    if average_weight > LARGE:
        average_weight, average_offset = average_weight / LARGE, average_offset / LARGE
        average_coef[:] /= LARGE
    if forget_scale > LARGE:
        forget_scale, average_offset = forget_scale / LARGE, average_offset * LARGE
        squared_slopes /= LARGE
        u[:] /= LARGE
        squares[:] /= LARGE
        sizes[:] /= LARGE
        moments.bins[:] /= LARGE
    return State(
        s.rows, s.pos_rows, s.neg_rows, s.n, s.pos, s.neg, s.pos_score, s.neg_score, average_weight,
        average_offset, forget_scale, s.mean_norm, s.usual_square, s.similarity, squared_slopes,
    )  # fmt: skip
