"""What the metrics accept, checked once at the boundary."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.interrupts import defer_interrupts
from .order import Keys, order_keys, sort_by_key


class Ranked(NamedTuple):
    """Rows in ascending order of score.

    ``signed`` is the weight of a row, negative for the negative class; without sample weights it is
    a small integer and every sum made from it is exact. ``zero`` has the type of such sums.
    """

    keys: Keys
    signed: NDArray
    zero: Any


def as_score(score: ArrayLike, name: str = "score") -> NDArray:
    """Return the scores as one finite array: float32, float64 or integers."""
    array = np.asarray(score)
    if array.dtype.kind == "f" and array.dtype.itemsize == 2:
        array = array.astype(np.float32)
    elif array.dtype.kind not in "biu" and array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64, casting="same_kind" if array.dtype != object else "unsafe")
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} has dtype {array.dtype}; pass real numbers, one for each row."
            ) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; pass one number for each row, shape (n,).")
    if array.dtype.kind == "f":
        finite = np.isfinite(array)
        if not finite.all():
            row = int(np.argmin(finite))
            raise ValueError(
                f"{name} is {array[row]} at row {row}; scores must be finite, so drop or mend such rows."
            )
    return np.ascontiguousarray(array)


def as_positive(y: ArrayLike) -> NDArray[np.bool_]:
    """Return where the label is the larger of the two that occur."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"y has shape {array.shape}; pass one label for each row, shape (n,) with n > 0.")
    if array.dtype.kind in "fmM" and (missing := array != array).any():  # NaN and NaT differ from themselves
        raise ValueError(f"y has no label at row {int(np.argmax(missing))}; drop such rows.")
    if array.dtype.kind in "biuf":
        smaller, larger = array.min(), array.max()
        positive = array == larger
        third = ~(positive | (array == smaller))
    else:
        try:
            labels, code = np.unique(array, return_inverse=True)
        except TypeError:
            raise ValueError("y mixes labels that have no order; pass two labels of one type.") from None
        smaller, larger = labels[0], labels[-1]
        positive = code == labels.size - 1
        third = (code > 0) & ~positive
    if third.any():
        row = int(np.argmax(third))
        raise ValueError(
            f"y holds {_shown(array[row])} at row {row} beside {_shown(smaller)} and {_shown(larger)}; "
            "pass exactly two labels, the larger being the positive one."
        )
    if smaller == larger:
        raise ValueError(
            f"y holds only the label {_shown(larger)}; AUC compares two classes, so pass rows of both."
        )
    return positive


def _shown(label: object) -> str:
    """A label as its owner would write it: 0, not np.int64(0)."""
    return repr(label.item() if isinstance(label, np.number | np.bool_ | np.str_) else label)


def as_weight(sample_weight: ArrayLike, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights, each class divided by a power of two so that no product overflows or vanishes."""
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != positive.shape:
        raise ValueError(
            f"sample_weight has shape {weight.shape} for {positive.size} rows; pass one weight for each row."
        )
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight is {weight[row]} at row {row}; weights must be finite and not negative."
        )
    largest = weight.max(where=~positive, initial=0), weight.max(where=positive, initial=0)
    if not min(largest) > 0:
        name = "negative" if largest[0] == 0 else "positive"
        raise ValueError(f"sample_weight is zero on every {name} row; give each class some weight.")
    exponent = np.frexp(largest)[1]
    return np.ldexp(weight, -np.where(positive, exponent[1], exponent[0]))


def same_length(positive: NDArray, score: NDArray, name: str = "score") -> None:
    """Refuse labels and scores of different lengths."""
    if positive.size != score.size:
        raise ValueError(
            f"y has {positive.size} rows and {name} has {score.size}; pass one label and one score a row."
        )


def ranked(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> Ranked:
    """Check the input and sort it by score."""
    positive = as_positive(y)
    values = as_score(score)
    same_length(positive, values)
    if sample_weight is None:
        signed = 2 * positive.view(np.int8) - np.int8(1)
        zero: Any = np.int64(0)
    else:
        weight = as_weight(sample_weight, positive)
        signed = np.where(positive, weight, -weight)
        zero = np.float64(0.0)
    with defer_interrupts():  # Numba makes a SystemError of Ctrl-C while it hands over several arrays
        keys, signed = sort_by_key(order_keys(values), signed)
    return Ranked(keys, signed, zero)


def check_fraction(name: str, value: float) -> float:
    """Refuse a number outside the open interval (0, 1)."""
    if not 0 < value < 1:
        raise ValueError(f"{name} is {value}; pass a number between 0 and 1, for example 0.95.")
    return float(value)
