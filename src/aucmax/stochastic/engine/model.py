"""The linear model that every stochastic method moves, and the one loop that moves it."""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ...kernels.jit import VECTORISED, inlined, kernel
from ...kernels.rows import Rows, axpy, axpy2, dot, dot2

# A smaller scale is folded into u. The average is a difference of numbers 1 / scale times its
# size, so where one is kept the scale must not get far below one.
TINY, TINY_AVERAGED = 1e-100, 1e-5
PERIOD = 8192  # rows, or features if more, after which the norm is computed afresh, whatever the chunks
MEMORY = 1000.0  # rows that the mean scores add_to_class_sum where no average is kept


class Scores(NamedTuple):
    """Sums of the scores that the rows of each class had as they came, and their weights."""

    pos: float = 0.0
    pos_weight: float = 0.0
    neg: float = 0.0
    neg_weight: float = 0.0

    def middle(self) -> float:
        """Midway between the classes' means; the one mean while only one is known, 0 before."""
        means = [
            total / weight
            for total, weight in ((self.pos, self.pos_weight), (self.neg, self.neg_weight))
            if weight > 0.0
        ]
        return sum(means) / max(len(means), 1)


class Model(NamedTuple):
    """``w = scale * u``; the weighted sum of past iterates is ``drift * u + v``.

    ``v`` is empty when no average is kept. ``sqnorm`` is ``|w|^2`` and ``kappa2`` the largest
    ``|x|^2`` so far.
    """

    u: np.ndarray
    v: np.ndarray
    radius: float = np.inf
    scale: float = 1.0
    sqnorm: float = 0.0
    drift: float = 0.0
    weight: float = 0.0
    kappa2: float = 0.0
    scores: Scores = Scores()
    seen: int = 0

    @classmethod
    def at(cls, w: np.ndarray, *, average: bool, radius: float = np.inf) -> "Model":
        """A model that starts at ``w``."""
        return cls(w.copy(), np.zeros(len(w) if average else 0), radius, sqnorm=inner_product(w, w))

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.scale * self.u

    def result(self) -> np.ndarray:
        """The average where one is kept and has begun, the last iterate otherwise."""
        if self.weight == 0.0 or not len(self.v):
            return self.last()
        return (self.drift * self.u + self.v) / self.weight

    def threshold(self) -> float:
        """Midway between the classes' mean scores."""
        return self.scores.middle()


class Row(NamedTuple):
    """What a step may know of a row: everything but its features.

    ``kappa`` is the largest row norm so far, and ``inv_max_sqnorm`` one over its square, so that
    ``step_size`` means the same for rows of any length; ``context`` is
    what the method knew of the row beforehand.
    """

    score: float
    positive: bool
    weight: float
    sqnorm: float
    kappa: float
    inv_max_sqnorm: float
    context: Any


class ClassSums(NamedTuple):
    """Running sums of the rows of each class; the ``context`` of a row is its product with both."""

    pos: np.ndarray
    neg: np.ndarray


class Data(NamedTuple):
    """Rows, signed weights (``+`` positive, ``-`` negative), what is known per row, the order.

    ``context``, for ``descend``, is a tuple of arrays with a number per row, or running ``ClassSums``.
    ``deferred_average`` is empty, or has the multiple of each row that the model's ``v`` still lacks: over
    the passes of a fit a number a row adds up what would otherwise touch ``v`` at every non-zero.
    """

    X: Rows
    y: np.ndarray
    context: Any
    order: np.ndarray
    deferred_average: np.ndarray = np.zeros(0)

    @classmethod
    def of(cls, X: Rows, y: np.ndarray) -> "Data":
        """Rows of which nothing is known beforehand, not yet put in order."""
        return cls(X, y, (), np.zeros(0, dtype=np.intp))

    def defer_average(self, model: Model) -> "Data":
        """The rows, with the average of the model, if it keeps one, put off until ``flush_average``."""
        return self._replace(deferred_average=np.zeros(len(self.y) if len(model.v) else 0))

    def visited(self, order: np.ndarray) -> "Data":
        """The rows in this order, without those of weight zero."""
        return self._replace(order=order if self.y.all() else order[self.y[order] != 0.0])


@inlined
def descend(step, hyper, state, model, data):
    """Visit the rows in order; ``step`` says how far each one moves ``w``.

    ``step(hyper, state, row)`` returns ``(c, shrink, gamma, state)``: the iterate that scored
    the row counts ``gamma`` in the average, and the next one is ``shrink * w + c * x``,
    projected on the ball of ``radius``. A row costs O(its non-zeros).
    """
    u, v, radius, scale, sqnorm, drift, weight, kappa2, scores, seen = model
    X, y, context, order, deferred_average = data
    averaged, put_off = len(v) > 0, len(deferred_average) > 0
    memory, tiny = (np.inf, TINY_AVERAGED) if averaged else (MEMORY, TINY)
    kappa = np.sqrt(kappa2)
    inv_max_sqnorm = 1.0 / (kappa * kappa) if kappa2 > 0.0 else 0.0
    period = max(PERIOD, len(u))
    left = period - seen % period
    seen += len(order)
    for i in order:
        inner, x2 = dot(X, i, u)
        if x2 > kappa2:
            kappa2, kappa = x2, np.sqrt(x2)
            inv_max_sqnorm = 1.0 / (kappa * kappa)  # costly enough to be a jump: no row waits for it in vain
        score = scale * inner
        row = Row(score, y[i] > 0.0, abs(y[i]), x2, kappa, inv_max_sqnorm, read_context(context, X, i))
        c, shrink, gamma, state = step(hyper, state, row)

        drift += gamma * scale
        weight += gamma
        sqnorm = shrink * shrink * sqnorm + 2.0 * c * shrink * score + c * c * x2
        scale *= shrink
        left -= 1
        fresh = left == 0
        if fresh or scale < tiny:
            fold(u, v, scale, drift)
            scale, drift = 1.0, 0.0
        move = c * (1.0 / scale)  # the quotient is known before c
        if put_off:
            deferred_average[i] -= drift * move
            axpy(X, i, move, u)
        elif averaged:
            axpy2(X, i, move, u, -drift * move, v)
        else:
            axpy(X, i, move, u)
        add_to_class_sum(context, X, i, y[i])
        scores = update_mean_scores(scores, score, row.positive, gamma if averaged else row.weight, memory)
        if fresh:
            left = period
            sqnorm = inner_product(u, u)
        if sqnorm > radius * radius:
            scale *= radius / np.sqrt(sqnorm)
            sqnorm = radius * radius
    return state, Model(u, v, radius, scale, sqnorm, drift, weight, kappa2, scores, seen)


def flush_average(model: Model, data: Data) -> Model:
    """The model with the deferred part added to its average; neither argument is changed."""
    if not len(data.deferred_average):
        return model
    v = model.v.copy()
    add_rows(data.X, data.deferred_average, v)
    return model._replace(v=v)


@kernel
def add_rows(X, multiples, v):
    for i in range(len(multiples)):
        axpy(X, i, multiples[i], v)


@inlined
def update_mean_scores(scores, score, positive, counts, memory):
    """The scores with that of one more row; ``memory`` bounds the weight of a class.

    The same instructions whichever the class: the processor cannot foresee a label.
    """
    to_pos = counts if positive else 0.0
    to_neg = counts - to_pos
    pos, pos_weight = scores.pos + to_pos * score, scores.pos_weight + to_pos
    neg, neg_weight = scores.neg + to_neg * score, scores.neg_weight + to_neg
    if memory < np.inf:
        keep_pos, keep_neg = memory / max(pos_weight, memory), memory / max(neg_weight, memory)
        return Scores(keep_pos * pos, keep_pos * pos_weight, keep_neg * neg, keep_neg * neg_weight)
    return Scores(pos, pos_weight, neg, neg_weight)


@inlined
def fold(u, v, scale, drift):
    """Take scale and drift into the arrays: afterwards ``w = u`` and the sum is ``v``."""
    for j in range(len(v)):
        v[j] += drift * u[j]
    for j in range(len(u)):
        u[j] *= scale


def inner_product(u, v):
    """``u . v`` on this thread alone: those that BLAS wakes would spin beside the loop for a while."""
    return float(np.einsum("i,i", u, v))


@overload(inner_product, jit_options=VECTORISED)
def _inner_product(u, v):
    def loop(u, v):
        total = 0.0
        for j in range(len(u)):
            total += u[j] * v[j]
        return total

    return loop


def read_context(context, X, i):
    """What is known of row ``i``: its numbers, or its products with the class sums."""
    if isinstance(context, ClassSums):
        return dot2(X, i, context.pos, context.neg)
    return tuple(known[i] for known in context)


def add_to_class_sum(context, X, i, signed):
    """Add row ``i`` to the sum of its class, if such sums are kept."""
    if isinstance(context, ClassSums):
        axpy(X, i, abs(signed), context.pos if signed > 0.0 else context.neg)


# Numbers, not a line of a table: Numba would count references to it at each row.
@overload(read_context)
def _read_context(context, X, i):
    if _is_sums(context):
        return lambda context, X, i: dot2(X, i, context.pos, context.neg)
    if len(context) == 0:
        return lambda context, X, i: ()
    return lambda context, X, i: (context[0][i], *read_context(context[1:], X, i))


@overload(add_to_class_sum, inline="always")
def _add_to_class_sum(context, X, i, signed):
    if not _is_sums(context):
        return lambda context, X, i, signed: None

    def add(context, X, i, signed):
        if signed > 0.0:
            axpy(X, i, signed, context.pos)
        else:
            axpy(X, i, -signed, context.neg)

    return add


def _is_sums(context: types.Type) -> bool:
    return getattr(context, "instance_class", None) is ClassSums
