"""Validation of scores: finite real numbers, one for each row."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DataError
from .namespaces import as_vector


def check_scores(score: ArrayLike, name: str = "score") -> NDArray:
    """The scores as a contiguous array of float32, float64 or integers."""
    array = as_vector(score, name)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype.kind not in "biu" and array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64, casting="same_kind" if array.dtype != object else "unsafe")
        except (TypeError, ValueError):
            raise DataError(
                f"{name} has dtype {array.dtype}", remedy="give real numbers, one for each row"
            ) from None
    if array.ndim != 1:
        raise DataError(f"{name} has shape {array.shape}", remedy="give one number for each row, shape (n,)")
    if array.dtype.kind == "f":
        finite = np.isfinite(array)
        if not finite.all():
            row = int(finite.argmin())
            raise DataError(
                f"{name} is {array[row]} at row {row}", remedy="scores must be finite, so drop such rows"
            )
    return np.ascontiguousarray(array)


def check_same_length(**lengths: int) -> None:
    """Raise a DataError unless two inputs, given as ``name=length``, have the same number of rows."""
    (first, n), (second, m) = lengths.items()
    if n != m:
        raise DataError(f"{first} has {n} rows and {second} has {m}", remedy="give one of each for every row")
