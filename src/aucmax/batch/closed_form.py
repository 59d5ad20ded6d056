"""The squared loss from class statistics: its minimiser for one ``l2`` or for many.

With class means ``m`` and covariances ``C``, ``A = C+ + C- + b b'`` and ``b = m+ - m-``, the mean pair
loss of ``w`` is ``1 - 2 b.w + w'A w``, so its minimiser solves ``(A + l2/2 I) w = b``. Statistics of parts of
the rows add, so those of a training fold are the total less the fold's own.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from ..kernels.jit import kernel
from ..kernels.rows import CSR, axpy, by_layout
from ..pairs.sums import Classes
from .objective import Products

MOST_FEATURES = 2048
BLOCK_BYTES = 2**22


class Statistics(NamedTuple):
    """Weight, sum and second moment of each class, about a common ``centre``."""

    pos_weight: float
    neg_weight: float
    pos_sum: np.ndarray
    neg_sum: np.ndarray
    pos_square: np.ndarray
    neg_square: np.ndarray

    def less(self, part: "Statistics") -> "Statistics":
        """Statistics of the rows that are not in ``part``."""
        pairs: Any = zip(self, part, strict=True)
        return Statistics(*(whole - own for whole, own in pairs))

    def plus(self, part: "Statistics") -> "Statistics":
        """Statistics of these rows and those of ``part``."""
        pairs: Any = zip(self, part, strict=True)
        return Statistics(*(whole + own for whole, own in pairs))

    def system(self) -> tuple[np.ndarray, np.ndarray]:
        """``A`` and ``b``."""
        pos, neg = self.pos_sum / self.pos_weight, self.neg_sum / self.neg_weight
        b = pos - neg
        A = self.pos_square / self.pos_weight + self.neg_square / self.neg_weight
        A += np.outer(b, b) - np.outer(pos, pos) - np.outer(neg, neg)
        return A, b


class Path:
    """Minimisers for every ``l2`` from one eigendecomposition."""

    def __init__(self, statistics: Statistics) -> None:
        A, self._b = statistics.system()
        self._values, self._vectors = eigh(A, check_finite=False)
        self._values = np.maximum(self._values, 0.0)
        self._inner = self._vectors.T @ self._b

    def coef(self, l2s: np.ndarray) -> np.ndarray:
        """One column of weights for each ``l2``."""
        curvature_scale = self._values[:, None] + 0.5 * np.asarray(l2s)
        floor = len(self._values) * np.finfo(float).eps * self._values[-1]
        inverse = np.divide(
            1.0, curvature_scale, out=np.zeros_like(curvature_scale), where=curvature_scale > floor
        )
        return self._vectors @ (inverse * self._inner[:, None])


class Exact(NamedTuple):
    """Weights, objective, and residual of the equations relative to their right-hand side."""

    w: np.ndarray
    objective: float
    optimality: float


def solve(statistics: Statistics, l2: float) -> Exact:
    """Minimise the squared pair loss plus ``l2/2 |w|^2``."""
    A, b = statistics.system()
    shifted = A + 0.5 * l2 * np.eye(len(b))
    try:
        if l2 == 0.0:
            raise LinAlgError("columns may be collinear")
        factor = cho_factor(shifted, lower=True, check_finite=False)
        w = cho_solve(factor, b, check_finite=False)
        w += cho_solve(factor, b - shifted @ w, check_finite=False)
    except LinAlgError:
        w = Path(statistics).coef(np.array([l2]))[:, 0]
    residual = np.linalg.norm(shifted @ w - b) / (np.linalg.norm(b) or 1.0)
    return Exact(w, float(1.0 - 2.0 * (b @ w) + w @ shifted @ w), float(residual))


def _dense_outer(X, i, c, out):
    return


def _csr_outer(X, i, c, out):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    for k in range(start, stop):
        value, row = c * X.data[k], out[np.uintp(X.indices[k])]
        for m in range(start, k + np.uintp(1)):
            row[np.uintp(X.indices[m])] += value * X.data[m]


_outer = by_layout(_dense_outer, _csr_outer, "Add ``c x_i x_i'`` to the lower triangle of ``out``.")


@kernel
def _sparse_moments(X, rows, weight, total, square):
    for k in range(len(rows)):
        axpy(X, rows[k], weight[k], total)
        _outer(X, rows[k], weight[k], square)


@kernel
def _block(X, rows, root, centre, out):
    for k in range(len(rows)):
        out[k] = -root[k] * centre
        axpy(X, rows[k], root[k], out[k])


def class_statistics(products: Products, classes: Classes, centre: np.ndarray) -> Statistics:
    """Statistics of the rows in ``classes``, weights as given; ``centre`` serves dense rows."""
    moments = _from_sparse if isinstance(products.X, CSR) else _from_dense
    pos, neg = classes.pos_weight, classes.neg_weight
    pos_sum, pos_square = moments(products, classes.pos, pos, centre)
    neg_sum, neg_square = moments(products, classes.neg, neg, centre)
    return Statistics(float(pos.sum()), float(neg.sum()), pos_sum, neg_sum, pos_square, neg_square)


def _from_sparse(products: Products, rows, weight, centre) -> tuple[np.ndarray, np.ndarray]:
    d = products.n_features
    total, square = np.zeros(d), np.zeros((d, d))
    _sparse_moments(products.X, rows, weight, total, square)
    return total, np.tril(square) + np.tril(square, -1).T


def _from_dense(products: Products, rows, weight, centre) -> tuple[np.ndarray, np.ndarray]:
    d = products.n_features
    total, square = np.zeros(d), np.zeros((d, d))
    height = max(64, BLOCK_BYTES // (8 * d))
    block = np.empty((min(height, len(rows)), d))
    for start in range(0, len(rows), height):
        part = rows[start : start + height]
        root = np.sqrt(weight[start : start + height])
        rooted = block[: len(part)]
        _block(products.X, part, root, centre, rooted)
        total += root @ rooted
        square += rooted.T @ rooted
    return total, square
