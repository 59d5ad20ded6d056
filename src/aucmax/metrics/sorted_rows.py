"""Labels, scores and weights, validated and sorted by score."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.interrupts import defer_interrupts
from ..kernels.sorting import Keys, argsort, order_keys, sort_by_key
from ..validation.labels import positive_mask
from ..validation.scores import check_same_length, check_scores
from ..validation.weights import check_weights, scale_class_weights

# Up to so many scores are sorted as a fit sorts its own: that is faster for them, and it is compiled already.
LARGE = 10_000


class SortedRows(NamedTuple):
    """Rows in ascending order of score.

    ``keys`` are the scores, or integers in their order. ``signed`` is the weight of each row, negative for
    the negative class. ``zero`` is 0 in the type of a sum of weights: int64 without sample weights, so that
    sums are exact, else float64.
    """

    keys: Keys | NDArray[np.float64]
    signed: NDArray
    zero: np.int64 | np.float64


def check_scores_and_weights(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[NDArray, NDArray]:
    """Validated scores and signed weights: -1 and 1 as int8 without sample weights, else scaled floats."""
    positive, values = positive_mask(y), check_scores(score)
    check_same_length(y=positive.size, score=values.size)
    if sample_weight is None:
        return values, 2 * positive.view(np.int8) - np.int8(1)
    weight = scale_class_weights(check_weights(sample_weight, positive.size), positive)
    return values, np.where(positive, weight, -weight)


def sort_rows(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> SortedRows:
    """Validate the input and sort the rows by score."""
    values, signed = check_scores_and_weights(y, score, sample_weight)
    zero = np.int64(0) if sample_weight is None else np.float64(0.0)
    with defer_interrupts():  # Numba raises SystemError if Ctrl-C arrives while it returns several arrays
        if values.dtype == np.float64 and values.size <= LARGE:
            order, ordered = argsort(values)
            return SortedRows(ordered, signed[order], zero)
        return SortedRows(*sort_by_key(order_keys(values), signed), zero)
