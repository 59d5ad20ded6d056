"""Validated labels, scores and weights in ascending order of score."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.interrupts import defer_interrupts
from ..kernels.sorting import Keys, order_keys, sort_by_key
from ..validation.labels import check_positive
from ..validation.scores import check_same_length, check_scores
from ..validation.weights import check_weights, scale_class_weights


class Ranked(NamedTuple):
    """Rows in ascending order of score.

    ``signed`` is the weight of a row, negative for the negative class; without sample weights it is
    a small integer and every sum made from it is exact. ``zero`` has the type of such sums.
    """

    keys: Keys
    signed: NDArray
    zero: np.int64 | np.float64


def check_signed(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[NDArray, NDArray]:
    """Checked scores and signed weights: -1 and 1 as int8 without weights, else scaled floats."""
    positive, values = check_positive(y), check_scores(score)
    check_same_length(y=positive.size, score=values.size)
    if sample_weight is None:
        return values, 2 * positive.view(np.int8) - np.int8(1)
    weight = scale_class_weights(check_weights(sample_weight, positive.size), positive)
    return values, np.where(positive, weight, -weight)


def ranked(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> Ranked:
    """Check the input and sort the rows by score."""
    values, signed = check_signed(y, score, sample_weight)
    zero = np.int64(0) if sample_weight is None else np.float64(0.0)
    with defer_interrupts():  # Numba raises SystemError if Ctrl-C arrives while it returns several arrays
        keys, signed = sort_by_key(order_keys(values), signed)
    return Ranked(keys, signed, zero)
