"""Confidence interval of an AUC: DeLong's variance from sorted scores.

DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..kernels.jit import kernel
from ..validation.namespaces import find_arrays
from ..validation.parameters import fraction
from .array_counts import array_counts, array_placement_squares, check_arrays
from .auc import auc_from_counts, count_pairs
from .sorted_rows import sort_rows


class AUCInterval(NamedTuple):
    """An AUC, the ends of its confidence interval, and its standard error."""

    auc: float
    low: float
    high: float
    se: float


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
    twice_won, n_pos, n_neg, squares = _count_pairs_and_squares(y, score)
    n, value = ClassPair(n_pos, n_neg), auc_from_counts(twice_won, n_pos, n_neg)
    if min(n) == 1:
        return AUCInterval(value, *chernoff_interval(value, 1, tail), math.sqrt(value * (1 - value)))
    se = math.sqrt(squares.pos / (n_pos - 1) / n_pos + squares.neg / (n_neg - 1) / n_neg)
    if se == 0:
        return AUCInterval(value, *chernoff_interval(value, int(min(n)), tail), se)
    moved = with_tied_pair(value, min(n))
    # The variance of a placement when both classes are normal with equal variance and this AUC.
    added = float(moved - 2 * special.owens_t(special.ndtri(moved), 1 / math.sqrt(3)) - moved * moved)
    return AUCInterval(value, *logit_interval(value, squares, added, n, n, tail), se)


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


def with_tied_pair(value: float, pairs: float) -> float:
    """A mean over this many pairs with one more, which is tied."""
    return (pairs * value + 0.5) / (pairs + 1)


def logit_interval(
    value: float, squares: ClassPair, added: float, n: ClassPair, counted: ClassPair, tail: float
) -> tuple[float, float]:
    """Student's t interval on the logit scale, with a row added to each class, whose square is ``added``.

    Of the ``n`` rows of each class, ``counted`` vary and so give degrees of freedom.
    """
    variance = ClassPair((squares.pos + added) / n.pos / n.pos, (squares.neg + added) / n.neg / n.neg)
    half = half_length(variance, ClassPair(counted.pos + 1, counted.neg + 1), tail) / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return float(low), float(high)


def degrees_of_freedom(variance: ClassPair, n: ClassPair) -> float:
    """Welch's degrees of freedom of a sum of two estimated variances."""
    return sum(variance) ** 2 / (variance.pos**2 / (n.pos - 1) + variance.neg**2 / (n.neg - 1))


def half_length(variance: ClassPair, n: ClassPair, tail: float) -> float:
    """Half the length of Student's t interval, from the variance of the mean of each class."""
    quantile = special.stdtrit(degrees_of_freedom(variance, n), 1 - tail)
    return float(quantile * math.sqrt(sum(variance)))


def chernoff_interval(value: float, pairs: int, tail: float) -> tuple[float, float]:
    """Ends of the distribution-free interval for a mean of this many independent pairs."""
    from scipy.optimize import brentq  # slow to import

    def excess(mean: float) -> float:
        divergence = special.rel_entr(value, mean) + special.rel_entr(1 - value, 1 - mean)
        return pairs * divergence + math.log(tail)

    low, high = np.nextafter((0.0, 1.0), value)  # at 0 and 1 the divergence may be infinite
    return (
        brentq(excess, low, value, xtol=1e-15) if low < value and excess(low) > 0 else 0.0,
        brentq(excess, value, high, xtol=1e-15) if value < high and excess(high) > 0 else 1.0,
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
