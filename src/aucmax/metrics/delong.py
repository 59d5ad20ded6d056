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
from ..validation.labels import check_positive
from ..validation.parameters import fraction
from ..validation.scores import check_same_length, check_scores
from .auc import count_pairs, ratio
from .ranked import ranked


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

    DeLong's variance on the logit scale, with Student's t quantile at Welch's degrees of freedom. A few
    positives that all score high vary too little, so the interval counts one more row in each class, with
    the variance of two normal classes at an AUC one tied pair nearer to 1/2; with many rows this changes
    nothing. With one row in a class, or when all pairs agree or tie, the Chernoff-Hoeffding bound
    for ``min(n+, n-)`` independent pairs is used: it holds for every distribution.

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score : array-like of shape (n,)
        Finite real numbers.
    level : float, default=0.95
        Share of samples whose interval should cover the true AUC.

    Returns
    -------
    AUCInterval
        ``(auc, low, high, se)``; ``se`` is DeLong's, without the extra rows. With one row in a class it
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
    keys, signed, zero = ranked(y, score)
    won, n_pos, n_neg = count_pairs(keys, signed, zero)
    value, fewest = ratio(won, n_pos, n_neg), min(n_pos, n_neg)
    if fewest == 1:
        return AUCInterval(value, *chernoff_interval(value, 1, tail), math.sqrt(value * (1 - value)))
    squares = ClassPair(*_placement_squares(keys, signed, won, n_pos, n_neg))
    se = math.sqrt(squares.pos / (n_pos - 1) / n_pos + squares.neg / (n_neg - 1) / n_neg)
    if se == 0:
        return AUCInterval(value, *chernoff_interval(value, fewest, tail), se)
    return AUCInterval(value, *_logit_interval(value, squares, ClassPair(n_pos, n_neg), tail), se)


def _logit_interval(value: float, squares: ClassPair, n: ClassPair, tail: float) -> tuple[float, float]:
    """Student's t interval on the logit scale, with one more row in each class."""
    extra = _normal_variance((min(n) * value + 0.5) / (min(n) + 1))
    variance = ClassPair((squares.pos + extra) / n.pos / n.pos, (squares.neg + extra) / n.neg / n.neg)
    half = _half_length(variance, ClassPair(n.pos + 1, n.neg + 1), tail) / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return float(low), float(high)


def auc_difference(
    y: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, level: float = 0.95
) -> AUCDifference:
    """Difference of the AUCs of two scores of the same rows, with an interval and a p-value.

    DeLong's paired test: the variance is that of the differences of the rows' placements, with Student's t
    quantile at Welch's degrees of freedom. With one row in a class, Hoeffding's bound for ``min(n+, n-)``
    independent pairs is used.

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score_a, score_b : array-like of shape (n,)
        Finite real numbers; only their order matters.
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
    tail, positive = (1 - level) / 2, check_positive(y)
    placements = _score_placements(positive, score_a, "score_a")
    placements -= _score_placements(positive, score_b, "score_b")
    if not placements.any():  # both scores order every pair alike
        return AUCDifference(0.0, 0.0, 0.0, 1.0)
    n = ClassPair(int(positive.sum()), int(positive.size - positive.sum()))
    difference = int(placements[positive].sum()) / (2 * n.pos * n.neg)
    half, p_value = _paired_test(placements, positive, n, difference, tail)
    return AUCDifference(difference, max(difference - half, -1.0), min(difference + half, 1.0), p_value)


def _score_placements(positive: NDArray[np.bool_], score: ArrayLike, name: str) -> NDArray[np.int64]:
    """For each row, twice the number of rows of the other class that it is ordered correctly against."""
    values = check_scores(score, name)
    check_same_length(**{"y": positive.size, name: values.size})
    signed_row = np.arange(1, positive.size + 1) * np.where(positive, 1, -1)
    keys, signed_row = sort_by_key(order_keys(values), signed_row)
    return _placements(keys, signed_row, int(positive.sum()))


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
    """Half the length of Student's t interval, from the variances of the means of the two classes."""
    quantile = special.stdtrit(_degrees_of_freedom(variance, n), 1 - tail)
    return float(quantile * math.sqrt(sum(variance)))


def _normal_variance(value: float) -> float:
    """Variance of a placement when both classes are normal with equal variance and this AUC."""
    both = value - 2 * special.owens_t(special.ndtri(value), 1 / math.sqrt(3))
    return float(both - value * value)


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
def _placement_squares(keys, signed, won, positive, negative):
    """Sums over each class of (placement - AUC) squared, from one pass over the groups of equal scores.

    Each difference is computed in integers, so it is exactly zero if placement and AUC are equal.
    """
    squares_positive = 0.0
    squares_negative = 0.0
    beaten = 0
    unbeaten = positive
    i = 0
    while i < keys.size:
        key = keys[np.uintp(i)]
        start = i
        p = 0
        while i < keys.size and keys[np.uintp(i)] == key:
            p += 1 if signed[np.uintp(i)] > 0 else 0
            i += 1
        q = i - start - p
        above = np.float64((2 * beaten + q) * positive - won)
        below = np.float64((2 * unbeaten - p) * negative - won)
        squares_positive += p * above * above
        squares_negative += q * below * below
        beaten += q
        unbeaten -= p
    pairs = 2.0 * positive * negative
    return squares_positive / pairs / pairs, squares_negative / pairs / pairs


@kernel
def _placements(keys, signed_row, positive):
    """Twice the placement of each row, in the order of the input; ``signed_row`` counts from 1."""
    placement = np.empty(keys.size, np.int64)
    beaten = 0
    unbeaten = positive
    i = 0
    while i < keys.size:
        start = i
        p = 0
        while i < keys.size and keys[i] == keys[start]:
            p += 1 if signed_row[i] > 0 else 0
            i += 1
        q = i - start - p
        for j in range(start, i):
            if signed_row[j] > 0:
                placement[signed_row[j] - 1] = 2 * beaten + q
            else:
                placement[-signed_row[j] - 1] = 2 * unbeaten - p
        beaten += q
        unbeaten -= p
    return placement
