"""Validation of sample weights: finite, not negative, one for each row, above zero in both classes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DataError


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """The weight of each row in float64; None means ones, a single number is the weight of all rows."""
    if sample_weight is None:
        return np.ones(n_rows)
    from sklearn.utils import check_array  # slow to import

    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        input_name="sample_weight",
        ensure_min_samples=0,
        ensure_all_finite=False,
    )
    if weights.ndim == 0:
        weights = np.full(n_rows, weights[()])
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight has shape {weights.shape} for {n_rows} rows",
            remedy="give one weight for each row",
        )
    allowed = np.isfinite(weights) & (weights >= 0)
    if not allowed.all():
        row = int(allowed.argmin())
        raise DataError(
            f"sample_weight is {weights[row]:g} at row {row}",
            remedy="give a finite number of at least 0, where 0 leaves the row out",
        )
    return weights


def check_class_weights(negative: float, positive: float) -> None:
    """Raise a DataError if the sum, or the maximum, of the weights of a class is zero."""
    for weight, which in ((negative, "negative"), (positive, "positive")):
        if not weight > 0:
            raise _zero_weight_error(f"every {which} row")


def check_total_weight(weight: float) -> None:
    """Raise a DataError unless a sum of weights is above zero, and it and its inverse are finite."""
    if weight == 0:
        raise _zero_weight_error("every row")
    if not 1e-300 < weight < 1e300:
        raise DataError(
            f"sample_weight adds up to {weight:g}",
            remedy="multiply all weights by a number that brings them near 1",
        )


def _zero_weight_error(rows: str) -> DataError:
    return DataError(
        f"sample_weight is zero on {rows}", remedy="give some rows of each class a weight above 0"
    )


def scale_class_weights(weights: np.ndarray, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights of each class divided by a power of two, so that no product over- or underflows."""
    largest = weights.max(where=~positive, initial=0), weights.max(where=positive, initial=0)
    check_class_weights(*largest)
    exponent = np.frexp(largest)[1]
    return np.ldexp(weights, -np.where(positive, exponent[1], exponent[0]))


def signed_weights(y: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``+weight`` for a positive row (label ``classes[1]``), ``-weight`` for a negative row."""
    return np.where(y == classes[1], weights, -weights)
