"""Means and variances of the columns in each class, in one pass."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..kernels.rows import by_layout
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from .newton import GradientNorm
from .objective import Products

FEW_ROWS = 256


def _dense_add(X, i, c, centre, sums, squares):
    for j in range(X.shape[1]):
        x = np.float64(X[i, j]) - centre[j]
        sums[j] += c * x
        squares[j] += c * x * x


def _csr_add(X, i, c, centre, sums, squares):
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        sums[j] += c * x
        squares[j] += c * x * (x - 2.0 * centre[j])


def _dense_finish(X, centre, sums, squares):
    return


def _csr_finish(X, centre, sums, squares):
    for j in range(len(centre)):
        sums[j] -= centre[j]
        squares[j] += centre[j] * centre[j]


_add = by_layout(_dense_add, _csr_add, "Add ``c (x_i - centre)`` and its square, of stored entries.")
_finish = by_layout(_dense_finish, _csr_finish, "Add what entries not stored give, for weights of sum 1.")


@kernel
def add_block(X, weight, centre, start, stop, out):
    """Add, for each class, what the stored entries of some rows give to ``sums`` and ``squares``."""
    for i in range(start, stop):
        if weight[i] > 0.0:
            _add(X, i, weight[i], centre, out[0], out[1])
        elif weight[i] < 0.0:
            _add(X, i, -weight[i], centre, out[2], out[3])


@kernel
def _close(X, centre, out):
    _finish(X, centre, out[0], out[1])
    _finish(X, centre, out[2], out[3])


class Moments(NamedTuple):
    """Column means and variances of each class."""

    pos_mean: np.ndarray
    neg_mean: np.ndarray
    pos_variance: np.ndarray
    neg_variance: np.ndarray

    @classmethod
    def about(cls, centre: np.ndarray, total: np.ndarray) -> "Moments":
        """From weighted sums of ``x - centre`` and of its square, of the positives and of the negatives."""
        if not np.isfinite(total).all():
            column = int(np.argmin(np.isfinite(total).all(axis=0)))
            raise ValueError(
                f"Column {column} of X has numbers too large to square; divide it by a constant."
            )
        mean, square = total[::2], total[1::2]
        return cls(*(centre + mean), *np.maximum(square - mean**2, 0.0))

    @property
    def mean_difference(self) -> np.ndarray:
        """Mean of the positives less that of the negatives."""
        return self.pos_mean - self.neg_mean

    @property
    def curvature_scale(self) -> np.ndarray:
        """Diagonal of the Hessian of the squared loss."""
        return 2.0 * (self.pos_variance + self.neg_variance + self.mean_difference**2)


def relative_gradient_norm(moments: Moments, loss: Loss, l2: float) -> GradientNorm:
    """Norm of a gradient relative to that at ``w = 0``, which follows from the means of the classes."""
    scale = moments.curvature_scale + l2
    slope = float(np.abs(loss.derivative(np.zeros(1)))[0])
    return GradientNorm.at_start(slope * moments.mean_difference, np.where(scale > 0.0, scale, 1.0))


def class_moments(products: Products, classes: Classes) -> Moments:
    """Weighted column means and variances of both classes."""
    few = np.zeros(products.n_rows)
    few[:: max(1, products.n_rows // FEW_ROWS)] = 1.0
    centre = products.combine(few / few.sum())
    weight = classes.spread(classes.pos_weight, -classes.neg_weight)

    def part(start, stop):
        out = np.zeros((4, products.n_features))
        add_block(products.X, weight, centre, start, stop, out)
        return out

    total = products.total(part)
    _close(products.X, centre, total)
    return Moments.about(centre, total)
