"""The penalty in the columns' own units: column spreads, and the problem in which all columns have one size.

With ``standardize = a`` the penalty on weight j is multiplied by ``s_j**(2 a)``, where ``s_j`` is the spread
of column j. In ``v_j = s_j**a w_j`` that is the plain penalty on rows whose column j is multiplied by
``s_j**-a``. Products with these rows take and give scaled vectors, so nothing is copied; a pair loss does not
change if a column is shifted, so nothing is centred.
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

DENSE_EXPONENT = 1.0  # columns in their own units: multiplying one by a constant changes no ranking
SPARSE_EXPONENT = 0.5  # rare words keep part of their small size, as in AdaGrad: they are less reliable
SPARSE_EXPONENTS = (0.5, 0.75, 1.0)  # tried by cross-validation
CONSTANT = 1e-12  # spread relative to the mean, below which it is rounding

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
    """What columns are multiplied by: ``spread**-exponent``; 0 for constant ones, except for exponent 0."""
    if exponent == 0.0:
        return np.ones_like(spread)
    constant = spread == 0.0
    return np.where(constant, 0.0, np.where(constant, 1.0, spread) ** -exponent)


def column_spread(moments: Moments, positive_share: float, sparse: bool) -> np.ndarray:
    """Spread of each column; 0 for a constant one.

    Dense columns: the standard deviation within classes, or where that is 0, the standard deviation. Sparse
    columns: the root mean square. All rows count alike, so that columns that only few rows have, most of them
    of a rare class, stay small.
    """
    pos_share, neg_share = positive_share, 1.0 - positive_share
    variance = pos_share * moments.pos_variance + neg_share * moments.neg_variance
    if sparse:
        return np.sqrt(variance + pos_share * moments.pos_mean**2 + neg_share * moments.neg_mean**2)
    rounding = CONSTANT * (np.abs(moments.pos_mean) + np.abs(moments.neg_mean))
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
