"""Area under the ROC curve: the share of pairs in which the positive row scores higher."""

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.jit import kernel
from ..validation.namespaces import find_arrays
from .array_counts import array_counts, check_arrays
from .sorted_rows import sort_rows


def auc(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    r"""Share of (positive, negative) pairs in which the positive row has the higher score.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} [s_i > s_j] + \tfrac12 [s_i = s_j]

    Pairs are counted in integers, so without weights the result is the exact ratio, rounded once.
    Time is linear in the number of rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score : array-like of shape (n,)
        Real numbers, higher for rows more likely positive. float32 is sorted as float32. Arrays of torch or
        CuPy are sorted where they are, under scikit-learn's array API dispatch.
    sample_weight : array-like of shape (n,), optional
        Weights, finite and not negative; a pair counts the product of its two weights.

    Returns
    -------
    float
        AUC, in [0, 1].

    Examples
    --------
    >>> from aucmax.metrics import auc
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    arrays = find_arrays(score)
    if arrays is not None:
        return auc_from_counts(*array_counts(check_arrays(arrays, y, score, sample_weight)))
    return auc_from_counts(*count_pairs(*sort_rows(y, score, sample_weight)))


def auc_from_counts(twice_won: float, positive: float, negative: float) -> float:
    """AUC from the counts of ``count_pairs``; integers are divided with a single rounding."""
    if isinstance(twice_won, np.integer | int):
        return int(twice_won) / (2 * int(positive) * int(negative))
    return min(max(float(twice_won / (2 * positive * negative)), 0.0), 1.0)


@kernel
def count_pairs(keys, signed, zero):
    """Twice the weight of the pairs won (those tied count once), and the weight of each class."""
    twice_won, below, total, i = zero, zero, zero, 0
    while i < keys.size:
        key = keys[np.uintp(i)]
        positive, negative = zero, zero
        while i < keys.size and keys[np.uintp(i)] == key:
            s = signed[np.uintp(i)]
            positive += s if s > 0 else zero
            negative -= s if s < 0 else zero
            i += 1
        twice_won += positive * (below + below + negative)
        below += negative
        total += positive
    return twice_won, total, below
