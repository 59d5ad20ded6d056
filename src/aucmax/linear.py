"""The linear model that every stochastic method moves, and the one loop that moves it."""

from typing import Any, NamedTuple

import numpy as np

from ._jit import inlined
from .rows import Rows, axpy, axpy2, dot

TINY = 1e-9  # below this the scale is folded into u
REFRESH = 8191  # every REFRESH + 1 rows the tracked norm is computed afresh


class Model(NamedTuple):
    """``w = scale * u``; the weighted sum of past iterates is ``drift * u + v``.

    ``v`` is empty when no average is kept, ``sqnorm`` is ``|w|^2``, ``kappa2`` the largest
    squared norm of a row so far.
    """

    u: np.ndarray
    v: np.ndarray
    radius: float = np.inf
    scale: float = 1.0
    sqnorm: float = 0.0
    drift: float = 0.0
    weight: float = 0.0
    kappa2: float = 0.0
    seen: int = 0

    @classmethod
    def at(cls, w: np.ndarray, *, average: bool, radius: float = np.inf, kappa2: float = 0.0) -> "Model":
        """A model that starts at ``w``."""
        v = np.zeros(len(w) if average else 0)
        return cls(w.copy(), v, radius=radius, sqnorm=float(w @ w), kappa2=kappa2)

    def copy(self) -> "Model":
        return self._replace(u=self.u.copy(), v=self.v.copy())

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.scale * self.u

    def result(self) -> np.ndarray:
        """The average where one is kept and has begun, the last iterate otherwise."""
        if self.weight == 0.0 or not len(self.v):
            return self.last()
        return (self.drift * self.u + self.v) / self.weight


class Row(NamedTuple):
    """What a step may know of a row: everything but its features.

    ``pace`` is one over the largest squared row norm so far, so that ``step_size`` means the
    same for rows of any length; ``side`` holds what the method knew of the row beforehand.
    """

    score: float
    positive: bool
    weight: float
    sqnorm: float
    pace: float
    side: Any


class Data(NamedTuple):
    """Rows, signed weights (``+`` positive, ``-`` negative), scalars known per row, the order."""

    X: Rows
    y: np.ndarray
    side: np.ndarray
    order: np.ndarray


@inlined
def descend(step, hyper, state, model, data):
    """Visit the rows in order; ``step`` says how far each one moves ``w``.

    ``step(hyper, state, row)`` returns ``(c, shrink, gamma, state)``: the iterate that scored
    the row counts ``gamma`` in the average, and the next one is ``shrink * w + c * x``,
    projected on the ball of ``radius``. Every row costs O(non-zeros).
    """
    u, v, radius, scale, sqnorm, drift, weight, kappa2, seen = model
    X, y, side, order = data
    pace = 1.0 / kappa2 if kappa2 > 0.0 else 0.0
    for i in order:
        inner, x2 = dot(X, i, u)
        if x2 > kappa2:
            kappa2 = x2
            pace = 1.0 / x2
        score = scale * inner
        row = Row(score, y[i] > 0.0, abs(y[i]), x2, pace, side[i])
        c, shrink, gamma, state = step(hyper, state, row)
        drift += gamma * scale
        weight += gamma
        sqnorm = shrink * shrink * sqnorm + 2.0 * c * shrink * score + c * c * x2
        scale *= shrink
        seen += 1
        if scale < TINY or seen & REFRESH == 0:
            if len(v):
                v += drift * u
            u *= scale
            drift, scale = 0.0, 1.0
        move = c / scale
        if len(v):
            axpy2(X, i, move, u, -drift * move, v)
        else:
            axpy(X, i, move, u)
        if seen & REFRESH == 0:
            sqnorm = np.dot(u, u)
        if sqnorm > radius * radius:
            scale *= radius / np.sqrt(sqnorm)
            sqnorm = radius * radius
    return state, Model(u, v, radius, scale, sqnorm, drift, weight, kappa2, seen)
