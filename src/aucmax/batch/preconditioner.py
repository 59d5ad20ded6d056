"""Approximate inverses of the Hessian of a pair loss, for conjugate gradients."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..kernels.rows import CSR, Rows
from ..pairs.sums import Classes
from .array_products import ArrayProducts
from .moments import add_outer_products, sum_rows
from .newton import Solve
from .objective import Point
from .products import Products

MAX_FEATURES = 1024
MAX_ROWS = 8192
HOST_FEATURES = 256  # up to which a factorisation is faster on the host than an inverse on a GPU
MAX_SOLVES = 6  # a Newton step that needs more solves gets a new estimate
MAX_PUSHED_SOLVES = 3  # the same with a push, whose curvature changes more from step to step
SMALL = 2**24  # rows times squared features, up to which all rows are used
PUSHED = 1.01  # ratio of the classes' curvatures above which the negatives' own is used
RARE = 0.1  # share of a column's curvature over all rows, below which the sample's is replaced


class Preconditioner:
    """Solves with an estimate of the Hessian from a sample of rows, or with its diagonal.

    Given its score, a row's features are nearly independent of its active pairs. So the Hessian is close to
    the covariance of each class plus the outer product of the difference of the means, with every row
    weighted by the diagonal of the Hessian in the scores. Rows are sampled in proportion to that weight;
    columns that are rare in the sample get their diagonal over all rows. Conjugate gradients do the rest.

    An estimate is kept, also for other penalties, until a Newton step needs many solves with it.
    """

    def __init__(self, products: Products, classes: Classes) -> None:
        self._products, self._classes = products, classes
        self._sample_size = _sample_size(products)
        self._hessian: np.ndarray | None = None
        self._factor: Solve | None = None
        self._solves, self._max_solves = 0, MAX_SOLVES

    def for_penalty(self, l2: float, scale: np.ndarray) -> "Preconditioner":
        """Use the last estimate with another ``l2``; ``scale`` is the diagonal for the squared loss."""
        self._l2, self._scale = l2, scale
        self._factor = None if self._hessian is None else self._factorise(self._hessian)
        return self

    def __call__(self, point: Point) -> Solve:
        if self._sample_size and (self._factor is None or self._solves > self._max_solves):
            diagonal = point.sums.diagonal()
            total = float(self._classes.xp.sum(diagonal[self._classes.pos]))
            if total > 0.0:
                self._hessian = self._estimate(diagonal, total)
                self._factor = self._factorise(self._hessian)
        self._solves = 0
        return self._solve

    def _solve(self, r: np.ndarray) -> np.ndarray:
        self._solves += 1
        return r / self._scale if self._factor is None else self._factor(r)

    def _factorise(self, hessian: np.ndarray) -> Solve | None:
        ridge = self._l2 + 1e-10 * self._scale
        if isinstance(self._products, ArrayProducts):
            regularised = self._products.add_to_diagonal(hessian, ridge)
            if len(ridge) > HOST_FEATURES:
                return self._products.solver(regularised)
            regularised = self._products.arrays.get(regularised)
        else:
            regularised = hessian + np.diag(ridge)
        try:
            factor = cho_factor(regularised, lower=True, check_finite=False)
        except LinAlgError:  # indefinite by rounding: the diagonal is used instead
            return None
        return lambda r: cho_solve(factor, r, check_finite=False)

    def _estimate(self, diagonal: np.ndarray, total: float) -> np.ndarray:
        """The Hessian; on the host its lower triangle."""
        classes, half = self._classes, self._sample_size // 2
        neg_total = float(classes.xp.sum(diagonal[classes.neg]))
        pushed = neg_total > PUSHED * total
        self._max_solves = MAX_PUSHED_SOLVES if pushed else MAX_SOLVES
        if not pushed:  # then the totals of the classes differ by rounding
            neg_total = total
        samples = [
            (*classes.sample_rows(rows, diagonal[rows], half), size)
            for rows, size in ((classes.pos, total), (classes.neg, neg_total))
        ]
        # Columns that are rare in the sample get their variance over all rows, as if all pairs were active.
        all_rows = 0.5 * total * (self._scale - self._l2)
        if isinstance(self._products, ArrayProducts):
            on_device = self._products.pooled_covariance(samples, total)
            sampled = self._products.arrays.get(classes.xp.linalg.diagonal(on_device))
            return self._products.add_to_diagonal(on_device, _missing(sampled, all_rows))
        hessian = pooled_covariance(self._products, samples, total)
        hessian[np.diag_indices(len(hessian))] += _missing(np.diagonal(hessian), all_rows)
        return hessian


def _missing(sampled: np.ndarray, all_rows: np.ndarray) -> np.ndarray:
    return np.where(sampled < RARE * all_rows, all_rows - sampled, 0.0)


def pooled_covariance(products: Products, samples: list, total: float) -> np.ndarray:
    """Lower triangle of the covariances of two samples, plus ``total`` times their mean difference squared.

    In scaled columns. A sample is given by its rows, their weights, and what its covariance is multiplied by.
    """
    hessian = np.zeros((products.n_features, products.n_features))
    pos_mean, neg_mean = (
        add_covariance(products.X, rows, weight, size, hessian) for rows, weight, size in samples
    )
    if products.factor is not None:
        hessian *= np.outer(products.factor, products.factor)
    mean_difference = products.coef(pos_mean - neg_mean)
    hessian += total * np.outer(mean_difference, mean_difference)
    return hessian


def _sample_size(products: Products) -> int:
    """Number of rows for which the estimate costs about as much as a few products with X; 0 if too few.

    Small data are used whole, so that weights and repeated rows lead to the same steps.
    """
    n, d = products.n_rows, products.n_features
    if n * d**2 <= SMALL:
        return 2 * n
    # A dense row costs d^2 operations of BLAS; a CSR row the square of its stored entries, one by one.
    if isinstance(products.X, CSR):
        affordable = 32.0 * n * n / max(1, len(products.X.data))
    else:
        affordable = 4.0 * products.row_bytes * n / d**2
    size = int(min(n, MAX_ROWS, affordable))
    return size if d <= min(MAX_FEATURES, size) else 0


def add_covariance(X: Rows, rows: np.ndarray, weight: np.ndarray, c: float, out: np.ndarray) -> np.ndarray:
    """Add ``c`` times the weighted covariance to the lower triangle of ``out``; the mean is returned."""
    d = len(out)
    if isinstance(X, CSR):
        mean = sum_rows(X, rows, weight, d)
        add_outer_products(X, rows, c * weight, out)
        out -= c * np.outer(mean, mean)
        return mean
    block = X[rows].astype(np.float64, copy=False)
    mean = weight @ block
    block -= mean
    block *= np.sqrt(c * weight)[:, None]
    out += block.T @ block
    return mean
