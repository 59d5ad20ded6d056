"""Approximate inverses of the Hessian of a pair loss, for conjugate gradients."""

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..kernels.jit import kernel
from ..kernels.rows import CSR, Rows, axpy, bytes_per_row
from ..pairs.sums import Classes
from .newton import Solve
from .objective import Products

MOST_FEATURES = 1024
MOST_ROWS = 8192
MOST_SOLVES = 6
SMALL = 2**24
RARE = 0.1


class Preconditioner:
    """Solves with an estimate of the Hessian from a sample of rows, or with its diagonal.

    Which pairs are active depends on the scores alone, so given its score a row hardly knows its
    partners: the Hessian is close to the covariance of each class, every row counted by the
    mass of its active pairs, plus the product of the difference of the two means. Rows drawn in
    proportion to that mass give it; columns that the sample misses get their diagonal over all
    rows. Conjugate gradients correct what is left.

    An estimate serves, for one penalty after another, until a Newton step needs many solves with it.
    """

    def __init__(self, products: Products, classes: Classes) -> None:
        self._products, self._classes = products, classes
        self._sample = _rows_worth(products)
        self._hessian: np.ndarray | None = None
        self._factor: Any = None
        self._solves = 0

    def aim(self, l2: float, scale: np.ndarray) -> "Preconditioner":
        """Take up another penalty, or another loss, with the last estimate."""
        self._l2, self._scale = l2, scale
        self._factor = None if self._hessian is None else self._factorise(self._hessian)
        return self

    def __call__(self, point: Any) -> Solve:
        if self._sample and (self._factor is None or self._solves > MOST_SOLVES):
            mass = point.sums.diagonal()
            total = float(mass[self._classes.pos].sum())
            if total > 0.0:
                self._hessian = self._estimate(mass, total)
                self._factor = self._factorise(self._hessian)
        self._solves = 0
        return self._solve

    def _solve(self, r: np.ndarray) -> np.ndarray:
        self._solves += 1
        if self._factor is None:
            return r / self._scale
        return cho_solve(self._factor, r, check_finite=False)

    def _factorise(self, hessian: np.ndarray) -> Any:
        ridge = self._l2 + 1e-10 * self._scale
        try:
            return cho_factor(hessian + np.diag(ridge), lower=True, check_finite=False)
        except LinAlgError:  # rounding left it indefinite: the diagonal serves
            return None

    def _estimate(self, mass: np.ndarray, total: float) -> np.ndarray:
        d = self._products.n_features
        hessian, means = np.zeros((d, d)), []
        for rows in (self._classes.pos, self._classes.neg):
            rows, weight = _draw(rows, mass[rows], self._sample // 2)
            means.append(add_covariance(self._products.X, rows, weight, total, hessian))
        apart = means[0] - means[1]
        hessian += total * np.outer(apart, apart)
        # Columns that the sample hardly meets: their spread over all rows, as if all pairs counted alike.
        own, all_rows = np.diagonal(hessian), 0.5 * total * (self._scale - self._l2)
        hessian[np.diag_indices(d)] += np.where(own < RARE * all_rows, all_rows - own, 0.0)
        return hessian


def _draw(rows: np.ndarray, mass: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """At most ``size`` rows at even steps of their cumulated mass, and weights that sum to one."""
    heavy = np.flatnonzero(mass > 0.0)
    if len(heavy) <= size:
        return rows[heavy], mass[heavy] / mass[heavy].sum()
    steps = np.cumsum(mass[heavy])
    picks = np.searchsorted(steps, steps[-1] * (np.arange(size) + 0.5) / size)
    return rows[heavy[np.minimum(picks, len(heavy) - 1)]], np.full(size, 1.0 / size)


def _rows_worth(products: Products) -> int:
    """As many rows as make the estimate cost about as much as some products with X, or none.

    All of few, so that weights and repeated rows lead to the same steps.
    """
    n, d, size = products.n_rows, products.n_features, bytes_per_row(products.X) * products.n_rows
    if n * d**2 <= SMALL:
        return 2 * n
    # Products of entries: all of a dense row, by BLAS; those stored of a CSR one, one by one.
    if isinstance(products.X, CSR):
        afford = 32.0 * n * n / max(1, len(products.X.data))
    else:
        afford = 4.0 * size / d**2
    worth = int(min(n, MOST_ROWS, afford))
    return worth if d <= min(MOST_FEATURES, worth) else 0


def add_covariance(X: Rows, rows: np.ndarray, weight: np.ndarray, c: float, out: np.ndarray) -> np.ndarray:
    """Add ``c`` times the weighted covariance of some rows to ``out``; their mean is returned."""
    d = len(out)
    if isinstance(X, CSR):
        mean = outer_products(X, rows, weight, c, out)
        out -= c * np.outer(mean, mean)
        return mean
    block = unpack(X, rows, np.zeros((len(rows), d)))
    mean = weight @ block
    block -= mean
    block *= np.sqrt(c * weight)[:, None]
    out += block.T @ block
    return mean


@kernel
def outer_products(X, rows, weight, c, out):
    """Add ``c weight x x'`` of those CSR rows to ``out``; the weighted sum of the rows is returned."""
    mean = np.zeros(len(out))
    for r in range(len(rows)):
        i = rows[r]
        axpy(X, i, weight[r], mean)
        for k in range(X.indptr[i], X.indptr[i + 1]):
            axpy(X, i, c * weight[r] * X.data[k], out[X.indices[k]])
    return mean


@kernel
def unpack(X, rows, out):
    """Those rows as a dense block; ``out`` comes in as zeros."""
    for k in range(len(rows)):
        axpy(X, rows[k], 1.0, out[k])
    return out
