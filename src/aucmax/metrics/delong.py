"""Confidence intervals of an AUC and of a difference of two: DeLong's variance from sorted scores.

DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from ..kernels.jit import kernel
from ..kernels.sorting import order_keys, sort_by_key
from ..validation.labels import positive_mask
from ..validation.parameters import fraction
from ..validation.scores import check_same_length, check_scores
from .auc import auc_from_counts, count_pairs
from .sorted_rows import sort_rows


class AUCInterval(NamedTuple):
    """An AUC, the ends of its confidence interval, and its standard error."""

    auc: float
    low: float
    high: float
    se: float


class AUCDifference(NamedTuple):
    """AUC of the first score minus AUC of the second, its interval, and the p-value of no difference."""

    difference: float
    low: float
    high: float
    p_value: float


class ClassPair(NamedTuple):
    """A number for the positive class and one for the negative class."""

    pos: float
    neg: float


def auc_interval(y: ArrayLike, score: ArrayLike, level: float = 0.95) -> AUCInterval:
    """AUC with a confidence interval that stays within [0, 1].

    The interval uses DeLong's variance on the logit scale and Student's t quantile at Welch's degrees of
    freedom. DeLong's variance is too small when a class has few rows and nearly all pairs agree. So one row
    is added to each class, with the variance of two normal classes whose AUC is moved towards 1/2 as by one
    tied pair among ``min(n+, n-)`` others; with many rows this changes nothing. With one row in a class, or
    when all pairs agree or tie, the interval is the Chernoff-Hoeffding bound for ``min(n+, n-)`` independent
    pairs, which holds for every distribution.

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
    [0.889, 0.117, 0.998, 0.157]
    """
    fraction.check("level", level)
    tail = (1 - level) / 2
    keys, signed, zero = sort_rows(y, score)
    twice_won, n_pos, n_neg = count_pairs(keys, signed, zero)
    value, fewest = auc_from_counts(twice_won, n_pos, n_neg), min(n_pos, n_neg)
    if fewest == 1:
        return AUCInterval(value, *chernoff_interval(value, 1, tail), math.sqrt(value * (1 - value)))
    squares = ClassPair(*_placement_squares(keys, signed, twice_won, n_pos, n_neg))
    se = math.sqrt(squares.pos / (n_pos - 1) / n_pos + squares.neg / (n_neg - 1) / n_neg)
    if se == 0:
        return AUCInterval(value, *chernoff_interval(value, fewest, tail), se)
    return AUCInterval(value, *_logit_interval(value, squares, ClassPair(n_pos, n_neg), tail), se)


def _logit_interval(value: float, squares: ClassPair, n: ClassPair, tail: float) -> tuple[float, float]:
    """Student's t interval on the logit scale, with one row added to each class."""
    moved = (min(n) * value + 0.5) / (min(n) + 1)  # the AUC with one more pair, which is tied
    # The variance of a placement when both classes are normal with equal variance and this AUC.
    added = float(moved - 2 * special.owens_t(special.ndtri(moved), 1 / math.sqrt(3)) - moved * moved)
    variance = ClassPair((squares.pos + added) / n.pos / n.pos, (squares.neg + added) / n.neg / n.neg)
    half = _half_length(variance, ClassPair(n.pos + 1, n.neg + 1), tail) / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return float(low), float(high)


def auc_difference(
    y: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, level: float = 0.95
) -> AUCDifference:
    """Difference of the AUCs of two scores of the same rows, with an interval and a p-value.

    DeLong's paired test. A row's placement is the share of its pairs that are ordered correctly; the variance
    is that of the differences of placements, with Student's t quantile at Welch's degrees of freedom. With
    one row in a class, Hoeffding's bound for ``min(n+, n-)`` independent pairs is used.

    Parameters
    ----------
    y, score_a, score_b : array-like of shape (n,)
        As ``y`` and ``score`` in :func:`aucmax.metrics.auc`.
    level : float, default=0.95
        Share of samples whose interval should cover the true difference.

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
    tail, positive = (1 - level) / 2, positive_mask(y)
    placements = _count_placements(positive, score_a, "score_a")
    placements -= _count_placements(positive, score_b, "score_b")
    if not placements.any():  # both scores order every pair alike
        return AUCDifference(0.0, 0.0, 0.0, 1.0)
    n = ClassPair(int(positive.sum()), int(positive.size - positive.sum()))
    difference = int(placements[positive].sum()) / (2 * n.pos * n.neg)
    half, p_value = _paired_test(placements, positive, n, difference, tail)
    return AUCDifference(difference, max(difference - half, -1.0), min(difference + half, 1.0), p_value)


def _count_placements(positive: NDArray[np.bool_], score: ArrayLike, name: str) -> NDArray[np.int64]:
    """For each row, twice the number of its pairs that are ordered correctly; ties count once."""
    values = check_scores(score, name)
    check_same_length(**{"y": positive.size, name: values.size})
    signed_row = np.arange(1, positive.size + 1) * np.where(positive, 1, -1)
    keys, signed_row = sort_by_key(order_keys(values), signed_row)
    return _placements_of_sorted(keys, signed_row, int(positive.sum()))


def _paired_test(
    placements: NDArray[np.int64], positive: NDArray[np.bool_], n: ClassPair, difference: float, tail: float
) -> tuple[float, float]:
    """Half the length of the interval, and the p-value."""
    if min(n) > 1:
        pos_variance, neg_variance = (float(placements[rows].var(ddof=1)) for rows in (positive, ~positive))
        variance = ClassPair(pos_variance / n.pos / (2 * n.neg) ** 2, neg_variance / n.neg / (2 * n.pos) ** 2)
        if sum(variance) > 0:
            t = abs(difference) / math.sqrt(sum(variance))
            p_value = float(2 * special.stdtr(_degrees_of_freedom(variance, n), -t))
            return _half_length(variance, n, tail), p_value
    p_value = min(1.0, 2 * math.exp(-min(n) * difference**2 / 2))
    return math.sqrt(-2 * math.log(tail) / min(n)), p_value


def _degrees_of_freedom(variance: ClassPair, n: ClassPair) -> float:
    """Welch's degrees of freedom of a sum of two estimated variances."""
    return sum(variance) ** 2 / (variance.pos**2 / (n.pos - 1) + variance.neg**2 / (n.neg - 1))


def _half_length(variance: ClassPair, n: ClassPair, tail: float) -> float:
    """Half the length of Student's t interval, from the variance of the mean of each class."""
    quantile = special.stdtrit(_degrees_of_freedom(variance, n), 1 - tail)
    return float(quantile * math.sqrt(sum(variance)))


def chernoff_interval(value: float, pairs: int, tail: float) -> tuple[float, float]:
    """Ends of the distribution-free interval for a mean of this many independent pairs."""

    def excess(mean: float) -> float:
        divergence = special.rel_entr(value, mean) + special.rel_entr(1 - value, 1 - mean)
        return pairs * divergence + math.log(tail)

    low, high = np.nextafter((0.0, 1.0), value)  # at 0 and 1 the divergence may be infinite
    return (
        optimize.brentq(excess, low, value, xtol=1e-15) if low < value and excess(low) > 0 else 0.0,
        optimize.brentq(excess, value, high, xtol=1e-15) if value < high and excess(high) > 0 else 1.0,
    )


@kernel
def _placement_squares(keys, signed, twice_won, positive, negative):
    """Sums over each class of (placement - AUC) squared, from one pass over the groups of equal scores.

    Each difference is computed in integers, so it is exactly zero if placement and AUC are equal.
    """
    squares_positive, squares_negative = 0.0, 0.0
    i, negative_below, positive_left = 0, 0, positive  # positives with this score or a higher one
    while i < keys.size:
        key, start, p = keys[np.uintp(i)], i, 0
        while i < keys.size and keys[np.uintp(i)] == key:
            p += 1 if signed[np.uintp(i)] > 0 else 0
            i += 1
        q = i - start - p
        positive_difference = np.float64((2 * negative_below + q) * positive - twice_won)
        negative_difference = np.float64((2 * positive_left - p) * negative - twice_won)
        squares_positive += p * positive_difference * positive_difference
        squares_negative += q * negative_difference * negative_difference
        negative_below += q
        positive_left -= p
    pairs = 2.0 * positive * negative
    return squares_positive / pairs / pairs, squares_negative / pairs / pairs


@kernel
def _placements_of_sorted(keys, signed_row, positive):
    """The counts, from sorted keys; ``signed_row`` is the row, from 1, with the sign of its class."""
    placement = np.empty(keys.size, np.int64)
    i, negative_below, positive_left = 0, 0, positive  # positives with this score or a higher one
    while i < keys.size:
        start, p = i, 0
        while i < keys.size and keys[i] == keys[start]:
            p += 1 if signed_row[i] > 0 else 0
            i += 1
        q = i - start - p
        for j in range(start, i):
            if signed_row[j] > 0:
                placement[signed_row[j] - 1] = 2 * negative_below + q
            else:
                placement[-signed_row[j] - 1] = 2 * positive_left - p
        negative_below += q
        positive_left -= p
    return placement
