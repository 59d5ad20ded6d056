"""Validated labels, scores and weights in ascending order of score."""

from typing import Any, NamedTuple

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
    zero: Any


def ranked(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> Ranked:
    """Check the input and sort it by score."""
    positive, values = check_positive(y), check_scores(score)
    check_same_length(y=positive.size, score=values.size)
    if sample_weight is None:
        signed = 2 * positive.view(np.int8) - np.int8(1)
        zero: Any = np.int64(0)
    else:
        weight = scale_class_weights(check_weights(sample_weight, positive.size), positive)
        signed = np.where(positive, weight, -weight)
        zero = np.float64(0.0)
    with defer_interrupts():  # Numba makes a SystemError of Ctrl-C while it hands over several arrays
        keys, signed = sort_by_key(order_keys(values), signed)
    return Ranked(keys, signed, zero)
