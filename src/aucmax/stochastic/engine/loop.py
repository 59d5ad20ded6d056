"""The order of a pass over the rows; the loop that most stochastic methods share; what it passes to steps."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import Rows, axpy, axpy2, bytes_per_row, count_rows, dot
from ...kernels.vectors import inner_product
from .model import SCORE_MEMORY, LinearModel, Model, apply_scales, update_mean_scores

# The scale is applied to the model's arrays when it falls below this. The average is a difference of numbers
# of size 1 / scale, so that a smaller scale loses more digits.
MIN_SCALE, MIN_SCALE_AVERAGED = 1e-100, 1e-5
# The norm is recomputed after this many rows, or as many as there are features if that is more, so that
# rounding errors do not accumulate. Counted over all chunks: the result does not depend on their sizes.
REFRESH_PERIOD = 8192
# Data larger than the cache are shuffled by blocks of neighbouring rows: a random row from memory costs
# four times as much as a neighbouring one, a random block of 32 KiB hardly more than its neighbour.
CACHE_BYTES = 8 * 2**20
BLOCK_BYTES = 32 * 2**10


def visiting_order(X: Rows, rng: np.random.RandomState | None) -> np.ndarray:
    """Indices of the rows in the order of one pass: shuffled by ``rng``, or in stored order without it."""
    n_rows, size = count_rows(X), bytes_per_row(X)
    if rng is None:
        return np.arange(n_rows)
    if size * n_rows <= CACHE_BYTES or size >= BLOCK_BYTES:
        return rng.permutation(n_rows)
    block = int(np.ceil(BLOCK_BYTES / size))
    order = (rng.permutation(-(-n_rows // block))[:, None] * block + np.arange(block)).ravel()
    return order[order < n_rows]  # the last block may be short


class Row(NamedTuple):
    """All that a step sees of a row.

    ``max_norm`` is the largest row norm so far and ``inv_max_sqnorm`` one over its square: steps in units of
    it do not depend on the scale of the rows. ``context`` has the method's own numbers for the row.
    """

    score: float
    positive: bool
    weight: float
    sqnorm: float
    max_norm: float
    inv_max_sqnorm: float
    context: tuple[float, ...]


class Data(NamedTuple):
    """Rows, signed weights (positive for the positive class), arrays of a method, order of visits.

    ``deferred_average`` is empty, or has the multiple of each row that is still to be added to the model's
    ``v``: during the passes of a fit, one number per row is updated instead of ``v`` at each non-zero.
    """

    X: Rows
    y: np.ndarray
    context: tuple[np.ndarray, ...]
    order: np.ndarray
    deferred_average: np.ndarray = np.zeros(0)

    @classmethod
    def of(cls, X: Rows, y: np.ndarray) -> "Data":
        """Rows without a context; ``in_order`` sets their order."""
        return cls(X, y, (), np.zeros(0, dtype=np.intp))

    def in_order(self, order: np.ndarray) -> "Data":
        """The rows in this order, without those of weight zero."""
        return self._replace(order=order if self.y.all() else order[self.y[order] != 0.0])

    def defer_average(self, model: LinearModel) -> "Data":
        """Defer the updates of the model's average, if it keeps one, until ``add_deferred``."""
        averaged = isinstance(model, Model) and len(model.v) > 0
        return self._replace(deferred_average=np.zeros(len(self.y) if averaged else 0))

    def add_deferred(self, model: LinearModel) -> LinearModel:
        """The model with the deferred updates of its average, if any; the arguments do not change."""
        if not isinstance(model, Model) or not len(self.deferred_average):
            return model
        v = model.v.copy()
        _add_multiples(self.X, self.deferred_average, v)
        return model._replace(v=v)


@kernel
def _add_multiples(X, multiples, v):
    for i in range(len(multiples)):
        axpy(X, i, multiples[i], v)


@inlined
def no_context(context, X, i, signed_weight):
    """For methods whose steps need nothing but the score of a row."""
    return ()


@inlined
def descend(step, row_context, hyper, state, model, data):
    """Visit the rows in order and move the model along each of them; a row costs O(its non-zeros).

    ``step(hyper, state, row)`` returns ``(c, shrink, gamma, state)``: the iterate counts ``gamma`` in the
    average; the next is ``shrink * w + c * x``, on the ball. ``row_context(...)`` returns ``row.context``.
    """
    u, v, radius, scale, sqnorm, average_scale, average_weight, max_sqnorm, scores, n_seen = model
    X, y, context, order, deferred_average = data
    averaged, deferred = len(v) > 0, len(deferred_average) > 0
    memory, min_scale = (np.inf, MIN_SCALE_AVERAGED) if averaged else (SCORE_MEMORY, MIN_SCALE)
    max_norm, period = np.sqrt(max_sqnorm), max(REFRESH_PERIOD, len(u))
    inv_max_sqnorm = 1.0 / (max_norm * max_norm) if max_sqnorm > 0.0 else 0.0
    rows_to_refresh, n_seen = period - n_seen % period, n_seen + len(order)
    for i in order:
        inner, x2 = dot(X, i, u)
        if x2 > max_sqnorm:  # Recomputed only when the largest norm grows: division is slow.
            max_sqnorm, max_norm = x2, np.sqrt(x2)
            inv_max_sqnorm = 1.0 / (max_norm * max_norm)
        score, own = scale * inner, row_context(context, X, i, y[i])
        row = Row(score, y[i] > 0.0, abs(y[i]), x2, max_norm, inv_max_sqnorm, own)
        c, shrink, gamma, state = step(hyper, state, row)

        average_scale, average_weight = average_scale + gamma * scale, average_weight + gamma
        sqnorm = shrink * shrink * sqnorm + 2.0 * c * shrink * score + c * c * x2
        scale *= shrink
        rows_to_refresh -= 1
        if rows_to_refresh == 0 or scale < min_scale:
            apply_scales(u, v, scale, average_scale)
            scale, average_scale = 1.0, 0.0
        move = c * (1.0 / scale)  # times 1 / scale instead of divided by scale: division need not wait for c
        if deferred:
            deferred_average[i] -= average_scale * move
            axpy(X, i, move, u)
        elif averaged:
            axpy2(X, i, move, u, -average_scale * move, v)
        else:
            axpy(X, i, move, u)
        scores = update_mean_scores(scores, score, row.positive, gamma if averaged else row.weight, memory)
        if rows_to_refresh == 0:
            rows_to_refresh, sqnorm = period, inner_product(u, u)
        if sqnorm > radius * radius:
            scale, sqnorm = scale * (radius / np.sqrt(sqnorm)), radius * radius
    return state, Model(
        u, v, radius, scale, sqnorm, average_scale, average_weight, max_sqnorm, scores, n_seen
    )
