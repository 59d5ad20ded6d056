"""Confidence intervals of an AUC and of a partial AUC."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from ..kernels.jit import kernel
from ..validation.namespaces import find_arrays
from ..validation.parameters import fraction
from .array_counts import array_counts, array_placement_squares, check_arrays
from .auc import auc_from_counts, count_pairs
from .delong import AUCInterval, ClassPair, region_components, rows_in_region, share_interval
from .partial import Region, area_in_region, cumulate
from .sorted_rows import sort_rows


def auc_interval(y: ArrayLike, score: ArrayLike, level: float = 0.95) -> AUCInterval:
    """AUC with a confidence interval that stays within [0, 1].

    The interval uses DeLong's variance on the logit scale and Student's t quantile at Welch's degrees of
    freedom. DeLong's variance is too small when a class has few rows and nearly all pairs agree. So one row
    is added to each class, with the variance of two normal classes whose AUC is moved towards 1/2 as by one
    tied pair among ``min(n+, n-)`` others; with many rows this changes nothing. With one row in a class, or
    when all pairs agree or tie, the interval is the Chernoff-Hoeffding bound for ``min(n+, n-)`` independent
    pairs, which holds for every distribution; where fewer than one of these pairs disagrees, the interval is
    cut to that bound.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    level : float, default=0.95
        Share of samples whose interval should cover the true AUC.

    Returns
    -------
    AUCInterval
        ``(auc, low, high, se)``; ``se`` is DeLong's, without the added rows. With one row in a class it
        is the largest possible one, ``sqrt(auc (1 - auc))``.

    Examples
    --------
    >>> from aucmax.metrics import auc_interval
    >>> result = auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.7, 0.9])
    >>> [round(x, 3) for x in result]
    [0.889, 0.173, 0.998, 0.157]
    """
    fraction.check("level", level)
    twice_won, n_pos, n_neg, squares = _count_pairs_and_squares(y, score)
    value = auc_from_counts(twice_won, n_pos, n_neg)
    n = ClassPair(n_pos, n_neg)
    return AUCInterval(value, *share_interval(value, squares, n, n, _normal_variance, (1 - level) / 2))


def _normal_variance(value: float) -> float:
    """Variance of a placement when both classes are normal with equal variance and this AUC."""
    return float(value - 2 * special.owens_t(special.ndtri(value), 1 / math.sqrt(3)) - value * value)


def _count_pairs_and_squares(y: ArrayLike, score: ArrayLike) -> tuple[Any, Any, Any, ClassPair]:
    """Twice the pairs won, the rows of each class, and the sums of squares of their placements."""
    arrays = find_arrays(score)
    if arrays is None:
        keys, signed, zero = sort_rows(y, score)
        counts = count_pairs(keys, signed, zero)
        return *counts, ClassPair(*_placement_squares(keys, signed, *counts))
    rows = check_arrays(arrays, y, score)
    array_count = array_counts(rows)
    return *array_count, ClassPair(*array_placement_squares(rows, array_count[0]))


@kernel
def _placement_squares(keys, signed, twice_won, positive, negative):
    """Sums over each class of (placement - AUC) squared, from one pass over the groups of equal scores.

    Each difference is computed in integers, so it is exactly zero if placement and AUC are equal.
    """
    squares_positive, squares_negative = 0.0, 0.0
    i, negative_below, positive_left = 0, 0, positive  # positives with this score or a higher one
    while i < keys.size:
        key, start, n_pos = keys[np.uintp(i)], i, 0
        while i < keys.size and keys[np.uintp(i)] == key:
            n_pos += 1 if signed[np.uintp(i)] > 0 else 0
            i += 1
        n_neg = i - start - n_pos
        positive_difference = np.float64((2 * negative_below + n_neg) * positive - twice_won)
        negative_difference = np.float64((2 * positive_left - n_pos) * negative - twice_won)
        squares_positive += n_pos * positive_difference * positive_difference
        squares_negative += n_neg * negative_difference * negative_difference
        negative_below += n_neg
        positive_left -= n_pos
    pairs = 2.0 * positive * negative
    return squares_positive / pairs / pairs, squares_negative / pairs / pairs


def partial_auc_interval(
    y: ArrayLike,
    score: ArrayLike,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    standardized: bool = False,
    level: float = 0.95,
) -> AUCInterval:
    """Partial AUC with a confidence interval that stays within its range.

    DeLong's variance, in which the threshold at ``max_fpr`` counts as estimated. The rest is as in
    :func:`aucmax.metrics.auc_interval`, where a class has as many rows as can lie in the region,
    ``n+ (1 - min_tpr)`` and ``n- max_fpr``; less than one causes a warning.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    max_fpr, min_tpr, standardized
        As in :func:`aucmax.metrics.partial_auc`.
    level : float, default=0.95
        Share of samples whose interval should cover the true partial AUC.

    Returns
    -------
    AUCInterval
        ``(auc, low, high, se)``, with the partial AUC as ``auc``.

    Examples
    --------
    >>> from aucmax.metrics import partial_auc_interval
    >>> y, score = [0] * 10 + [1] * 5, [*range(10), 4.5, 6.5, 7.5, 8.5, 9.5]
    >>> result = partial_auc_interval(y, score, max_fpr=0.3, standardized=True)
    >>> [round(x, 3) for x in result]
    [0.647, 0.444, 0.933, 0.157]
    """
    fraction.check("level", level)
    region = Region.from_arguments(max_fpr, min_tpr)
    if region.whole:
        return auc_interval(y, score, level)
    false_positives, true_positives = cumulate(*sort_rows(y, score))
    n = ClassPair(true_positives[-1], false_positives[-1])
    fpr, tpr = false_positives / n.neg, true_positives / n.pos
    of_positives, of_negatives = region_components(fpr, tpr, region)
    squares = ClassPair(
        _sum_of_squares(of_positives / region.best, np.diff(true_positives)),
        _sum_of_squares(of_negatives / region.best, np.diff(false_positives)),
    )
    area, counted = area_in_region(fpr, tpr, region), rows_in_region(region, n)
    ends_and_se = share_interval(area / region.best, squares, n, counted, _even_variance, (1 - level) / 2)
    found = AUCInterval(area, *(region.best * part for part in ends_and_se))
    if not standardized:
        return found
    value, low, high = map(region.standardize, found[:3])
    return AUCInterval(value, low, high, region.standardize(found.se) - region.standardize(0.0))


def _even_variance(share: float) -> float:
    """Variance of a placement spread evenly over the region, a third of the largest; less near 0 and 1."""
    return share * (1 - share) / 3


def _sum_of_squares(values: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """Sum of squared deviations from the mean of values that occur so often; exactly 0 if all are equal."""
    present = counts > 0
    values, counts = values[present], counts[present]
    values = values - values[0]
    return float(counts @ (values - counts @ values / counts.sum()) ** 2)
