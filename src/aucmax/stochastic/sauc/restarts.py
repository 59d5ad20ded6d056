"""A linear model that restarts from its own average, and is drawn to where it restarted."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined
from ...kernels.rows import axpy2, note
from ..engine.model import Scores, fold, inner_product

TINY = 1e-5  # a smaller scale would cost digits of the stage's average


class Place(NamedTuple):
    """Where ``w = hold * z + scale * u`` is in a stage whose centre is ``lift * z``.

    The stage's weighted sum of iterates is ``held * z + drift * u + v``. ``square`` is ``|z|^2``, ``cross``
    is ``w . z``, ``sqnorm`` is ``|w|^2``.
    """

    square: float
    cross: float
    sqnorm: float
    touched: int = 0
    lift: float = 1.0
    hold: float = 1.0
    scale: float = 1.0
    held: float = 0.0
    drift: float = 0.0
    weight: float = 0.0


class Staged(NamedTuple):
    """The vectors, the place, and what ``linear.Model`` keeps besides.

    ``u`` and ``v`` are zero outside the first ``touched`` of ``columns``, unless that is more than there are:
    a short stage of sparse rows ends without a look at the other columns.
    """

    z: np.ndarray
    u: np.ndarray
    v: np.ndarray
    columns: np.ndarray
    place: Place
    radius: float
    kappa2: float = 0.0
    scores: Scores = Scores()

    @classmethod
    def at(cls, w: np.ndarray, radius: float) -> "Staged":
        """A model that starts at the point of the ball nearest to ``w``."""
        w = w * (radius / max(float(np.linalg.norm(w)), radius))
        columns, square = np.zeros(len(w), dtype=np.uint32), inner_product(w, w)
        return cls(w, np.zeros(len(w)), np.zeros(len(w)), columns, Place(square, square, square), radius)

    @property
    def sqnorm(self) -> float:
        return self.place.sqnorm

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.place.hold * self.z + self.place.scale * self.u

    def result(self) -> np.ndarray:
        """The average of the last complete stage."""
        return self.place.lift * self.z

    def threshold(self) -> float:
        """Midway between the classes' mean scores."""
        return self.scores.middle()


@inlined
def advance(X, i, vectors, place, radius, weight, c, pull, score, xz, x2):
    """Count the iterate, then take ``(w + c x + pull * centre) / (1 + pull)``, projected on the ball."""
    _, u, v, columns = vectors
    square, cross, sqnorm, touched, lift, hold, scale, held, drift, total = place
    held, drift, total = held + weight * hold, drift + weight * scale, total + weight
    shrink, tug = 1.0 / (1.0 + pull), pull * lift
    inner = c * score + tug * cross + c * tug * xz
    sqnorm = shrink * shrink * (sqnorm + c * c * x2 + tug * tug * square + 2.0 * inner)
    cross = shrink * (cross + c * xz + tug * square)
    hold, scale = shrink * (hold + tug), shrink * scale
    if scale < TINY:
        fold(u, v, scale, drift)
        scale, drift = 1.0, 0.0
    move = shrink * c / scale
    axpy2(X, i, move, u, -drift * move, v)
    if touched <= len(columns):
        touched = note(X, i, columns, touched)
    if sqnorm > radius * radius:
        back = radius / np.sqrt(sqnorm)
        hold, scale, cross, sqnorm = back * hold, back * scale, back * cross, radius * radius
    return Place(square, cross, sqnorm, touched, lift, hold, scale, held, drift, total)


@inlined
def recentre(vectors, place):
    """Start a stage at the average of the one that ends."""
    z, u, v, columns = vectors
    square, lift = place.square, place.held / place.weight
    if place.touched > len(columns) or lift < TINY:
        a, b, c, lift = lift, place.drift / place.weight, 1.0 / place.weight, 1.0
        for j in range(len(z)):
            z[j] = a * z[j] + b * u[j] + c * v[j]
            u[j], v[j] = 0.0, 0.0
        square = inner_product(z, z)
    else:
        b, c = place.drift / place.held, 1.0 / place.held
        for k in range(place.touched):
            j = columns[k]
            before, z[j] = z[j], z[j] + b * u[j] + c * v[j]
            square += (z[j] - before) * (z[j] + before)
            u[j], v[j] = 0.0, 0.0
    return Place(square, lift * square, lift * lift * square, 0, lift, lift, 1.0, 0.0, 0.0, 0.0)
