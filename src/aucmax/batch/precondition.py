"""Approximate inverses of the Hessian of a pair loss, for conjugate gradients."""

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._jit import kernel
from ..objective import Objective, Point
from ..rows import axpy, bytes_per_row
from .columns import class_moments
from .newton import Solve

MOST_FEATURES = 1024
MOST_ROWS = 8192
MOST_SOLVES = 6
SMALL = 2**24


class Preconditioner:
    """Solves with an estimate of the Hessian from a sample of rows, or with its diagonal.

    Which pairs are active depends on the scores alone, so given its score a row hardly knows its
    partners: the Hessian is close to the covariance of each class, every row counted by the
    mass of its active pairs, plus the product of the difference of the two means. Rows drawn in
    proportion to that mass give it; columns that the sample misses get their diagonal over all
    rows. Conjugate gradients correct what is left.

    An estimate serves until a Newton step needs many solves with it.
    """

    def __init__(self, objective: Objective, scale: np.ndarray) -> None:
        self._objective, self._scale = objective, scale
        products = objective.products
        n, d, size = products.n_rows, products.n_features, bytes_per_row(products.X) * products.n_rows
        # As many rows as make the estimate cost about as much as some products with X; all of few, so
        # that weights and repeated rows lead to the same steps.
        worth = int(min(n, MOST_ROWS, 4.0 * size / d**2))
        self._sample = worth if d <= min(MOST_FEATURES, worth) else 0
        if n * d**2 <= SMALL:
            self._sample = 2 * n
        self._factor: Any = None
        self._solves = 0

    def __call__(self, point: Point) -> Solve:
        if self._sample and (self._factor is None or self._solves > MOST_SOLVES):
            self._factor = self._factorise(point)
        self._solves = 0
        return self._solve

    def _solve(self, r: np.ndarray) -> np.ndarray:
        self._solves += 1
        if self._factor is None:
            return r / self._scale
        return cho_solve(self._factor, r, check_finite=False)

    def _factorise(self, point: Point) -> Any:
        mass = point.sums.mass()
        total = float(mass[self._objective.classes.pos].sum())
        if not total > 0.0:
            return None
        hessian = self._estimate(mass, total)
        own, true = np.diagonal(hessian).copy(), self._diagonal(mass, total)
        own += np.where(own < 0.5 * true, true - own, 0.0)
        hessian[np.diag_indices(len(own))] = own + self._objective.l2 + 1e-10 * self._scale
        return cho_factor(hessian, lower=True, check_finite=False)

    def _diagonal(self, mass: np.ndarray, total: float) -> np.ndarray:
        classes = self._objective.classes
        weights = classes._replace(pos_weight=mass[classes.pos] / total, neg_weight=mass[classes.neg] / total)
        return 0.5 * total * class_moments(self._objective.products, weights).bend

    def _estimate(self, mass: np.ndarray, total: float) -> np.ndarray:
        products, classes = self._objective.products, self._objective.classes
        d = products.n_features
        hessian, means = np.zeros((d, d)), []
        for rows in (classes.pos, classes.neg):
            rows, weight = _draw(rows, mass[rows], self._sample // 2)
            block = unpack(products.X, rows, np.zeros((len(rows), d)))
            mean = weight @ block
            block -= mean
            block *= np.sqrt(total * weight)[:, None]
            hessian += block.T @ block
            means.append(mean)
        apart = means[0] - means[1]
        return hessian + total * np.outer(apart, apart)


def _draw(rows: np.ndarray, mass: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """At most ``size`` rows at even steps of their cumulated mass, and weights that sum to one."""
    heavy = np.flatnonzero(mass > 0.0)
    if len(heavy) <= size:
        return rows[heavy], mass[heavy] / mass[heavy].sum()
    steps = np.cumsum(mass[heavy])
    picks = np.searchsorted(steps, steps[-1] * (np.arange(size) + 0.5) / size)
    return rows[heavy[np.minimum(picks, len(heavy) - 1)]], np.full(size, 1.0 / size)


@kernel
def unpack(X, rows, out):
    """Those rows as a dense block; ``out`` comes in as zeros."""
    for k in range(len(rows)):
        axpy(X, rows[k], 1.0, out[k])
    return out
