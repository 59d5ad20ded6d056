"""The squared loss from class statistics: its minimiser for one ``l2`` or for many.

With class means ``m`` and covariances ``C``, ``A = C+ + C- + b b'`` and ``b = m+ - m-``, the mean pair
loss of ``w`` is ``1 - 2 b.w + w'A w``, so its minimiser solves ``(A + l2/2 I) w = b``. Statistics of parts of
the rows add up, so those of a training fold are the total minus those of the test fold.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from ..kernels.rows import CSR
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from .array_products import ArrayProducts
from .moments import add_outer_products, sum_rows
from .products import Products

MAX_FEATURES = 2048  # with more, iterations are faster than the decomposition of a matrix
BLOCK_BYTES = 2**22  # of rows centred at a time


def applies(loss: Loss, l1: float, products: Products) -> bool:
    """Whether the closed form gives the minimiser, and in less time than iterations."""
    few_features = products.n_features <= MAX_FEATURES and not isinstance(products, ArrayProducts)
    return loss.closed_form and l1 == 0.0 and few_features


class Statistics(NamedTuple):
    """Total weight, sum and sum of outer products of the rows of each class, less a common centre."""

    pos_weight: float
    neg_weight: float
    pos_sum: np.ndarray
    neg_sum: np.ndarray
    pos_square: np.ndarray
    neg_square: np.ndarray

    def minus(self, part: "Statistics") -> "Statistics":
        """Statistics of the rows that are not in ``part``."""
        pairs: Any = zip(self, part, strict=True)
        return Statistics(*(a - b for a, b in pairs))

    def plus(self, part: "Statistics") -> "Statistics":
        """Statistics of these rows and those of ``part``."""
        pairs: Any = zip(self, part, strict=True)
        return Statistics(*(a + b for a, b in pairs))

    def system(self) -> tuple[np.ndarray, np.ndarray]:
        """``A`` and ``b``."""
        pos, neg = self.pos_sum / self.pos_weight, self.neg_sum / self.neg_weight
        b = pos - neg
        A = self.pos_square / self.pos_weight + self.neg_square / self.neg_weight
        A += np.outer(b, b) - np.outer(pos, pos) - np.outer(neg, neg)
        return A, b


class RegularisationPath:
    """Minimisers for every ``l2`` from one eigendecomposition."""

    def __init__(self, statistics: Statistics) -> None:
        A, self._b = statistics.system()
        self._eigenvalues, self._eigenvectors = eigh(A, check_finite=False)
        self._eigenvalues = np.maximum(self._eigenvalues, 0.0)
        self._rotated_b = self._eigenvectors.T @ self._b

    def coef(self, l2s: np.ndarray) -> np.ndarray:
        """One column of weights for each ``l2``."""
        shifted = self._eigenvalues[:, None] + 0.5 * np.asarray(l2s)
        rounding = len(self._eigenvalues) * np.finfo(float).eps * self._eigenvalues[-1]
        inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > rounding)
        return self._eigenvectors @ (inverse * self._rotated_b[:, None])


class Minimiser(NamedTuple):
    """Weights, objective, and residual of the equations relative to their right-hand side."""

    w: np.ndarray
    objective: float
    optimality: float


def solve(statistics: Statistics, l2: float) -> Minimiser:
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
        w = RegularisationPath(statistics).coef(np.array([l2]))[:, 0]
    residual = np.linalg.norm(shifted @ w - b) / (np.linalg.norm(b) or 1.0)
    return Minimiser(w, float(1.0 - 2.0 * (b @ w) + w @ shifted @ w), float(residual))


def class_statistics(products: Products, classes: Classes, centre: np.ndarray) -> Statistics:
    """Statistics of the rows in ``classes``, less ``centre``, or as they are if CSR."""
    factor = products.factor
    if factor is not None:
        centre = np.divide(centre, factor, out=np.zeros_like(centre), where=factor > 0.0)
    pos_sum, pos_square = _sum_and_square(products, classes.pos, classes.pos_weight, centre)
    neg_sum, neg_square = _sum_and_square(products, classes.neg, classes.neg_weight, centre)
    if factor is not None:
        pos_sum, neg_sum = pos_sum * factor, neg_sum * factor
        pos_square, neg_square = (square * np.outer(factor, factor) for square in (pos_square, neg_square))
    pos_total, neg_total = float(classes.pos_weight.sum()), float(classes.neg_weight.sum())
    return Statistics(pos_total, neg_total, pos_sum, neg_sum, pos_square, neg_square)


def _sum_and_square(
    products: Products, rows: np.ndarray, weight: np.ndarray, centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    d = products.n_features
    total, square = np.zeros(d), np.zeros((d, d))
    if isinstance(products.X, CSR):
        add_outer_products(products.X, rows, weight, square)
        return sum_rows(products.X, rows, weight, d), np.tril(square) + np.tril(square, -1).T
    n_block_rows = max(64, BLOCK_BYTES // (8 * d))
    block = np.empty((min(n_block_rows, len(rows)), d))
    for start in range(0, len(rows), n_block_rows):
        part, root_weight = rows[start : start + n_block_rows], np.sqrt(weight[start : start + n_block_rows])
        scaled = np.subtract(products.X[part], centre, out=block[: len(part)])
        scaled *= root_weight[:, None]
        total += root_weight @ scaled
        square += scaled.T @ scaled
    return total, square
