"""How sure an AUC is, and whether two differ: DeLong's variance from sorted scores.

DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

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


def auc_interval(y: ArrayLike, score: ArrayLike, level: float = 0.95) -> AUCInterval:
    """AUC with a confidence interval that stays within [0, 1].

    DeLong's variance on the logit scale, with the quantile of Student's t at Welch's degrees of
    freedom. Few positives that all score high show too little of their spread, so before the
    interval is made each class counts one more row, whose variance is that of two normal classes
    with equal spread at an AUC one tied pair nearer to 1/2; with many rows this changes nothing.

    With one row in a class, or when every pair agrees (AUC of 0 or 1) or ties, there is no spread to
    measure. The ends are then those at which the Chernoff-Hoeffding bound for ``min(n+, n-)``
    independent pairs reaches (1 - level) / 2: valid for every distribution, and exactly
    ``((1 - level) / 2) ** (1 / min(n+, n-))`` as the lower end of an AUC of 1.

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
        is the largest possible one, ``sqrt(auc (1 - auc) / min(n+, n-))``.

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
    won, positive, negative = count_pairs(keys, signed, zero)
    value = ratio(won, positive, negative)
    fewest = min(positive, negative)
    if fewest == 1:
        return AUCInterval(value, *chernoff(value, 1, tail), math.sqrt(value * (1 - value)))
    squares = _placement_squares(keys, signed, won, positive, negative)
    spread = [s / (n - 1) for s, n in zip(squares, (positive, negative), strict=True)]
    se = math.sqrt(spread[0] / positive + spread[1] / negative)
    if se == 0:
        return AUCInterval(value, *chernoff(value, fewest, tail), se)
    model = _normal_spread((fewest * value + 0.5) / (fewest + 1))
    parts = [(s + model) / n / n for s, n in zip(squares, (positive, negative), strict=True)]
    reach = _reach(parts, (positive + 1, negative + 1), tail) / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-reach, reach]))
    return AUCInterval(value, float(low), float(high), se)


def auc_difference(
    y: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, level: float = 0.95
) -> AUCDifference:
    """Difference of the AUCs of two scores of the same rows, with an interval and a p-value.

    DeLong's paired test: the variance is that of the differences of the rows' placements, and the
    quantile Student's t at Welch's degrees of freedom. With one row in a class, Hoeffding's bound
    for ``min(n+, n-)`` independent pairs takes its place.

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
    tail = (1 - level) / 2
    positive = check_positive(y)
    signed_row = np.arange(1, positive.size + 1) * np.where(positive, 1, -1)
    n = (int(positive.sum()), int(positive.size - positive.sum()))
    placed = []
    for name, score in (("score_a", score_a), ("score_b", score_b)):
        values = check_scores(score, name)
        check_same_length(**{"y": positive.size, name: values.size})
        keys, rows = sort_by_key(order_keys(values), signed_row.copy())
        placed.append(_placements(keys, rows, n[0]))
    gap = placed[0] - placed[1]
    if not gap.any():  # both scores treat every pair alike
        return AUCDifference(0.0, 0.0, 0.0, 1.0)
    difference = int(gap[positive].sum()) / (2 * n[0] * n[1])
    parts = [
        float(gap[rows].var(ddof=1)) / own / (2 * other) ** 2 if own > 1 else 0.0
        for rows, own, other in ((positive, *n), (~positive, *n[::-1]))
    ]
    if min(n) > 1 and sum(parts) > 0:
        reach = _reach(parts, n, tail)
        t = abs(difference) / math.sqrt(sum(parts))
        p_value = float(2 * special.stdtr(_freedom(parts, n), -t))
    else:
        reach = math.sqrt(-2 * math.log(tail) / min(n))
        p_value = min(1.0, 2 * math.exp(-min(n) * difference**2 / 2))
    return AUCDifference(difference, max(difference - reach, -1.0), min(difference + reach, 1.0), p_value)


def _freedom(parts, n) -> float:
    """Welch's degrees of freedom of a sum of two estimated variances."""
    return (parts[0] + parts[1]) ** 2 / (parts[0] ** 2 / (n[0] - 1) + parts[1] ** 2 / (n[1] - 1))


def _reach(parts, n, tail: float) -> float:
    """Half the length of an interval, from the variances of the two classes' means."""
    return float(special.stdtrit(_freedom(parts, n), 1 - tail) * math.sqrt(parts[0] + parts[1]))


def _normal_spread(value: float) -> float:
    """Variance of a placement when both classes are normal with equal spread and this AUC."""
    both = value - 2 * special.owens_t(special.ndtri(value), 1 / math.sqrt(3))
    return float(both - value * value)


def chernoff(value: float, pairs: int, tail: float) -> tuple[float, float]:
    """Ends of the distribution-free interval for a mean of this many independent pairs."""
    ends = []
    for outside in (0.0, 1.0):
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            divergence = special.rel_entr(value, middle) + special.rel_entr(1 - value, 1 - middle)
            if pairs * divergence < -math.log(tail):
                inside = middle
            else:
                outside = middle
        ends.append(outside)
    return ends[0], ends[1]


@kernel
def _placement_squares(keys, signed, won, positive, negative):
    """Sums over each class of (placement - AUC) squared, from one pass over the groups of equal scores.

    Each difference is made of integers, so it is zero exactly when it should be.
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
    """For each row, in the order of the input, twice the rows of the other class on its right side."""
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
