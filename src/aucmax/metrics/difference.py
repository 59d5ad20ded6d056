"""Difference of the AUCs, or partial AUCs, of two scores of the same rows: DeLong's paired test."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from ..kernels.jit import kernel
from ..kernels.sorting import order_keys, sort_by_key
from ..validation.labels import positive_mask
from ..validation.parameters import fraction
from ..validation.scores import check_same_length, check_scores
from .delong import ClassPair, degrees_of_freedom, half_length, region_components, rows_in_region
from .partial import Region, area_in_region


class AUCDifference(NamedTuple):
    """AUC of the first score minus AUC of the second, its interval, and the p-value of no difference."""

    difference: float
    low: float
    high: float
    p_value: float


def auc_difference(
    y: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    level: float = 0.95,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    standardized: bool = False,
) -> AUCDifference:
    """Difference of the AUCs of two scores of the same rows, with an interval and a p-value.

    DeLong's paired test: the variance of each row's part in the difference, and Student's t at Welch's
    degrees of freedom. With less than two rows of a class (in the region): Hoeffding's bound.

    Parameters
    ----------
    y, score_a, score_b : array-like of shape (n,)
        As ``y`` and ``score`` in :func:`aucmax.metrics.auc`.
    level : float, default=0.95
        Share of samples whose interval should cover the true difference.
    max_fpr, min_tpr, standardized
        Compare partial areas, as in :func:`aucmax.metrics.partial_auc`.

    Returns
    -------
    AUCDifference
        ``(difference, low, high, p_value)``; the p-value is two-sided.

    Examples
    --------
    >>> from aucmax.metrics import auc_difference
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = auc_difference(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 2, 7, 3, 6, 4, 8])
    >>> [round(x, 3) for x in result]
    [0.25, -0.194, 0.694, 0.212]
    """
    fraction.check("level", level)
    region, positive = Region.from_arguments(max_fpr, min_tpr), positive_mask(y)
    share, change = _compare_orders(positive, score_a, score_b, region)
    n = ClassPair(int(positive.sum()), int(positive.size - positive.sum()))
    counted = rows_in_region(region, n)
    half, p_value = _paired_test(change, positive, counted, share, (1 - level) / 2)
    scale = region.standardize(region.best) - region.standardize(0.0) if standardized else region.best
    low, high = max(share - half, -1.0), min(share + half, 1.0)
    return AUCDifference(scale * share, scale * low, scale * high, p_value)


def _compare_orders(
    positive: NDArray[np.bool_], score_a: ArrayLike, score_b: ArrayLike, region: Region
) -> tuple[float, NDArray[np.float64]]:
    """Difference of the areas and of the components of each row, as shares of the best area."""
    if region.whole:  # in integers, and faster
        placements = _count_placements(positive, score_a, "score_a")
        placements -= _count_placements(positive, score_b, "score_b")
        n_pos = int(positive.sum())
        n_neg = positive.size - n_pos
        share = int(placements[positive].sum()) / (2 * n_pos * n_neg)
        return share, placements / np.where(positive, 2.0 * n_neg, 2.0 * n_pos)
    area_a, component_a = _row_components(positive, score_a, "score_a", region)
    area_b, component_b = _row_components(positive, score_b, "score_b", region)
    return (area_a - area_b) / region.best, (component_a - component_b) / region.best


def _row_components(
    positive: NDArray[np.bool_], score: ArrayLike, name: str, region: Region
) -> tuple[float, NDArray[np.float64]]:
    """Partial area of a score, and the component of each row."""
    values = check_scores(score, name)
    check_same_length(**{"y": positive.size, name: values.size})
    keys, row = sort_by_key(order_keys(values), np.arange(values.size))
    piece = np.zeros(values.size, np.int64)  # of the curve, numbered from the highest score down
    piece[row[::-1][1:]] = np.cumsum(keys[::-1][1:] != keys[::-1][:-1])
    true, false = (np.append(0.0, np.cumsum(np.bincount(piece, mask))) for mask in (positive, ~positive))
    fpr, tpr = false / false[-1], true / true[-1]
    of_positive, of_negative = region_components(fpr, tpr, region)
    return area_in_region(fpr, tpr, region), np.where(positive, of_positive[piece], of_negative[piece])


def _count_placements(positive: NDArray[np.bool_], score: ArrayLike, name: str) -> NDArray[np.int64]:
    """For each row, twice the number of its pairs that are ordered correctly; ties count once."""
    values = check_scores(score, name)
    check_same_length(**{"y": positive.size, name: values.size})
    signed_row = np.arange(1, positive.size + 1) * np.where(positive, 1, -1)
    keys, signed_row = sort_by_key(order_keys(values), signed_row)
    return _placements_of_sorted(keys, signed_row, int(positive.sum()))


def _paired_test(
    change: NDArray[np.float64],
    positive: NDArray[np.bool_],
    counted: ClassPair,
    difference: float,
    tail: float,
) -> tuple[float, float]:
    """Half the length of the interval, and the p-value."""
    if not change.any():  # both scores order every pair alike
        return 0.0, 1.0
    if min(counted) >= 2:
        by_class = change[positive], change[~positive]
        # From the first value: the variance of equal values is then exactly 0.
        variance = ClassPair(*(float((part - part[0]).var(ddof=1)) / part.size for part in by_class))
        if sum(variance) > 0:
            t = abs(difference) / math.sqrt(sum(variance))
            p_value = float(2 * special.stdtr(degrees_of_freedom(variance, counted), -t))
            return half_length(variance, counted, tail), p_value
    pairs = max(1, math.floor(min(counted) + 1e-9))
    p_value = min(1.0, 2 * math.exp(-pairs * difference**2 / 2))
    return math.sqrt(-2 * math.log(tail) / pairs), p_value


@kernel
def _placements_of_sorted(keys, signed_row, positive):
    """The counts, from sorted keys; ``signed_row`` is the row, from 1, with the sign of its class."""
    placement = np.empty(keys.size, np.int64)
    i, negative_below, positive_left = 0, 0, positive  # positives with this score or a higher one
    while i < keys.size:
        start, n_pos = i, 0
        while i < keys.size and keys[i] == keys[start]:
            n_pos += 1 if signed_row[i] > 0 else 0
            i += 1
        n_neg = i - start - n_pos
        for j in range(start, i):
            if signed_row[j] > 0:
                placement[signed_row[j] - 1] = 2 * negative_below + n_neg
            else:
                placement[-signed_row[j] - 1] = 2 * positive_left - n_pos
        negative_below += n_neg
        positive_left -= n_pos
    return placement
