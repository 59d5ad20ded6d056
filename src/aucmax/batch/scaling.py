"""Standardised columns without a copy: spreads of columns, and the problem with columns divided by them.

With ``standardize = a`` the penalty on weight j is multiplied by ``s_j**(2 a)``, where ``s_j`` is the spread
of column j. For ``v_j = s_j**a w_j`` that is the plain penalty, on rows whose column j is divided by
``s_j**a``. Vectors are scaled instead of these rows, so nothing is copied; nothing is centred, because a pair
loss does not change if a column is shifted.
"""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.rows import CSR
from ..pairs.sums import Classes
from ..validation.namespaces import find_arrays
from ..validation.parameters import Rule, boolean, is_number, one_of
from .moments import Moments, class_moments
from .products import Products
from .solver import Problem

DENSE_EXPONENT = 1.0  # multiplying a column by a constant then changes no ranking
SPARSE_EXPONENT = 0.5  # rare words are less reliable, so they stay smaller than others, as in AdaGrad
SPARSE_EXPONENTS = (0.5, 0.75, 1.0)  # tried by cross-validation
CONSTANT_TOL = 1e-12  # a smaller spread, relative to the mean, is rounding: the column is constant
SPARSE_CONSTANT_TOL = 1e-6  # the same where the mean is not subtracted first, as in sparse columns

standardize_rule = (
    one_of("auto")
    | boolean
    | Rule(lambda value: is_number(value) and 0.0 <= value <= 1.0, "a number from 0 to 1")
)


def scaling_exponent(standardize: bool | float | str, sparse: bool) -> float:
    """The exponent ``a`` that the parameter ``standardize`` stands for."""
    if isinstance(standardize, str):
        return SPARSE_EXPONENT if sparse else DENSE_EXPONENT
    return float(standardize)


def column_factor(spread: np.ndarray, exponent: float) -> np.ndarray:
    """What to multiply columns by: ``spread**-exponent``, 0 for constant columns; 1 for exponent 0."""
    if exponent == 0.0:
        return np.ones_like(spread)
    constant = spread == 0.0
    return np.where(constant, 0.0, np.where(constant, 1.0, spread) ** -exponent)


def column_spread(moments: Moments, positive_share: float, sparse: bool) -> np.ndarray:
    """Spread of each column; 0 for a constant one.

    Dense columns: the standard deviation within classes, or where that is 0, the standard deviation. Sparse
    columns: the root mean square. All rows count alike, whatever their class, so that columns with few
    entries, most of them in rows of a rare class, stay small.
    """
    pos_share, neg_share = positive_share, 1.0 - positive_share
    variance = pos_share * moments.pos_variance + neg_share * moments.neg_variance
    if sparse:
        size = np.sqrt(variance + pos_share * moments.pos_mean**2 + neg_share * moments.neg_mean**2)
        rounding = SPARSE_CONSTANT_TOL * size
        varies = (np.sqrt(variance) > rounding) | (np.abs(moments.mean_difference) > rounding)
        return np.where(varies, size, 0.0)
    rounding = CONSTANT_TOL * (np.abs(moments.pos_mean) + np.abs(moments.neg_mean))
    between = np.sqrt(pos_share * neg_share) * np.abs(moments.mean_difference)
    spread = np.where(np.sqrt(variance) > rounding, np.sqrt(variance), between)
    return np.where(spread > rounding, spread, 0.0)


def _positive_share(signed: Any) -> float:
    """Share of the total weight that positive rows have; ``signed`` may be an array of any library."""
    arrays = find_arrays(signed)
    total = np.sum if arrays is None else arrays.xp.sum
    return 0.5 + 0.5 * float(total(signed)) / float(total(abs(signed)))


class Columns(NamedTuple):
    """Rows of two classes as given, and the moments and spread of their columns."""

    products: Products
    classes: Classes
    moments: Moments
    spread: np.ndarray

    @property
    def sparse(self) -> bool:
        """Whether the rows are CSR."""
        return isinstance(self.products.X, CSR)

    @classmethod
    def of(cls, products: Products, signed: np.ndarray) -> "Columns":
        """Measure the columns; ``signed`` holds weights, negative for rows of the negative class."""
        classes = products.split(signed)
        moments = class_moments(products, classes)
        spread = column_spread(moments, _positive_share(signed), isinstance(products.X, CSR))
        return cls(products, classes, moments, spread)

    def problem(self, exponent: float) -> Problem:
        """The problem in which every column is divided by that power of its spread."""
        if exponent == 0.0:
            return Problem(self.products, self.classes, self.moments)
        factor = column_factor(self.spread, exponent)
        return Problem(self.products.scaled(factor), self.classes, self.moments.scaled(factor))
