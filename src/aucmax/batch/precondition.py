"""Approximate inverses of the Hessian of a pair loss, for conjugate gradients."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._jit import kernel
from ..objective import Objective, Point
from ..rows import axpy, bytes_per_row
from .newton import Solve

MOST_FEATURES = 1024
MOST_ROWS = 8192


class Preconditioner:
    """Solves with an estimate of the Hessian from a sample of rows, or with its diagonal.

    Which pairs are active depends on the scores alone, so given its score a row hardly knows its
    partners: the Hessian is close to the covariance of each class, every row counted by the
    mass of its active pairs, plus the product of the difference of the two means. Rows drawn in
    proportion to that mass give it; columns that the sample misses get what ``bend``, the
    diagonal over all rows, says. Conjugate gradients correct what is left.

    The estimate is made once, at the first point asked for, and serves the points after it.
    """

    def __init__(self, objective: Objective, bend: np.ndarray) -> None:
        self._objective, self._bend = objective, bend
        scale = bend + objective.l2
        self.scale = np.where(scale > 0.0, scale, 1.0)
        products = objective.products
        d, size = products.n_features, bytes_per_row(products.X) * products.n_rows
        # As many rows as make the estimate cost about as much as some products with X.
        worth = int(min(products.n_rows, MOST_ROWS, 4.0 * size / d**2))
        self._sample = worth if d <= min(MOST_FEATURES, worth) else 0
        self._solve: Solve | None = None

    def __call__(self, point: Point) -> Solve:
        if self._solve is None:
            mass = point.sums.mass() if self._sample else np.zeros(1)
            if self._sample == 0 or not mass.max() > 0.0:
                return lambda r: r / self.scale
            factor = cho_factor(self._estimate(mass), lower=True, check_finite=False)
            self._solve = lambda r: cho_solve(factor, r, check_finite=False)
        return self._solve

    def _estimate(self, mass: np.ndarray) -> np.ndarray:
        products, classes = self._objective.products, self._objective.classes
        d = products.n_features
        total = float(mass[classes.pos].sum())
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
        hessian += total * np.outer(apart, apart)
        missed = np.maximum(0.5 * total * self._bend - np.diagonal(hessian), 0.0)
        hessian[np.diag_indices(d)] += missed + self._objective.l2 + 1e-10 * self.scale
        return hessian


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
