"""Means, variances and second moments of the columns in each class."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..kernels.rows import CSR, by_layout, count_rows
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from .array_products import ArrayProducts
from .newton import GradientNorm
from .products import Products, block_combine

CENTRE_ROWS = 256
TINY = 1e-300  # a square of which few digits are left
ROUNDING = 1e-14  # relative difference of two means that may be rounding alone


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


_add = by_layout(_dense_add, _csr_add, "Add ``c (x_i - centre)`` and its square, for stored entries.")


@kernel
def add_block(X, weight, centre, start, stop, out):
    """Add the stored entries of some rows to the sums and squares of each class."""
    for i in range(start, stop):
        if weight[i] > 0.0:
            _add(X, i, weight[i], centre, out[0], out[1])
        elif weight[i] < 0.0:
            _add(X, i, -weight[i], centre, out[2], out[3])


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
        size = np.abs([centre, *mean]).max(axis=0)
        tiny = (size > 0.0) & (size**2 < TINY) & (np.abs(square).max(axis=0) < TINY)
        if tiny.any():
            problem = f"Column {int(np.argmax(tiny))} of X has numbers too small to square"
            raise ValueError(f"{problem}; multiply it by a constant.")
        return cls(*(centre + mean), *np.maximum(square - mean**2, 0.0))

    def scaled(self, factor: np.ndarray) -> "Moments":
        """Moments of the columns multiplied by a factor each."""
        means = self.pos_mean * factor, self.neg_mean * factor
        return Moments(*means, self.pos_variance * factor**2, self.neg_variance * factor**2)

    @property
    def centre(self) -> np.ndarray:
        """Midpoint of the two class means."""
        return 0.5 * (self.pos_mean + self.neg_mean)

    @property
    def mean_difference(self) -> np.ndarray:
        """Mean of the positives minus that of the negatives."""
        return self.pos_mean - self.neg_mean

    @property
    def squared_loss_diagonal(self) -> np.ndarray:
        """Diagonal of the Hessian of the squared loss."""
        return 2.0 * (self.pos_variance + self.neg_variance + self.mean_difference**2)


def relative_gradient_norm(moments: Moments, loss: Loss, l2: float) -> GradientNorm:
    """Norm of a gradient relative to that at ``w = 0``, which follows from the means of the classes."""
    scale = moments.squared_loss_diagonal + l2
    slope = float(np.abs(loss.derivative(np.zeros(1)))[0])
    means = np.abs(moments.pos_mean) + np.abs(moments.neg_mean)
    difference = np.where(np.abs(moments.mean_difference) > ROUNDING * means, moments.mean_difference, 0.0)
    return GradientNorm.relative_to(slope * difference, np.where(scale > 0.0, scale, 1.0))


def class_moments(products: Products, classes: Classes) -> Moments:
    """Weighted column means and variances of both classes."""
    if isinstance(products, ArrayProducts):
        return Moments.about(*products.class_sums(classes))
    sample = np.zeros(products.n_rows)
    sample[:: max(1, products.n_rows // CENTRE_ROWS)] = 1.0
    centre = products.combine(sample / sample.sum())
    signed = classes.by_row(classes.pos_weight, -classes.neg_weight)

    def part(start, stop):
        out = np.zeros((4, products.n_features))
        add_block(products.X, signed, centre, start, stop, out)
        return out

    total = products.total(part)
    if isinstance(products.X, CSR):  # entries that are not stored; the weights of each class sum to one
        total[::2] -= centre
        with np.errstate(over="ignore"):  # reported with the column
            total[1::2] += centre**2
    return Moments.about(centre, total)


def sum_rows(X: CSR, rows: np.ndarray, weight: np.ndarray, n_features: int) -> np.ndarray:
    """``sum_i weight_i x_i``."""
    n, out = count_rows(X), np.zeros(n_features)
    block_combine(X, np.bincount(rows, weight, n), 0, n, out)
    return out


@kernel
def add_outer_products(X, rows, weight, out):
    """Add ``sum_i weight_i x_i x_i'`` of CSR rows with sorted indices to the lower triangle of ``out``."""
    for r in range(len(rows)):
        start, stop = np.uintp(X.indptr[rows[r]]), np.uintp(X.indptr[rows[r] + 1])
        for k in range(start, stop):
            value, row = weight[r] * X.data[k], out[np.uintp(X.indices[k])]
            for m in range(start, k + np.uintp(1)):
                row[np.uintp(X.indices[m])] += value * X.data[m]
