r"""The variance of the area under a part of the ROC curve, after DeLong et al. (1988), and intervals from it.

Let the curve be inside the region from the point :math:`(u_0, g)`, where it reaches the true positive rate
:math:`g`, to the point :math:`(f, r)`, where it reaches the false positive rate :math:`f`. A little more
weight on a row moves the points of the curve below its score, upwards for a positive row and to the right for
a negative one, and the area changes by what is moved within the region. So the infinitesimal jackknife gives

* for a positive row that has the false positive rate :math:`u` at its score, :math:`-\min(\max(u, u_0), f)`,
* for a negative row that has the true positive rate :math:`t` at its score, :math:`\min(\max(t, g), r)`,

each up to a constant. That the threshold at :math:`f` is itself a quantile of the sample is what the limit
:math:`r` accounts for. In the whole square these are the placements of DeLong et al. (1988). Rows of equal
score share a straight piece of the curve and have the mean over it.

E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson. Biometrics 44, 837-845, 1988.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..validation.errors import SettingWarning, warn_caller
from .partial import Region

Rates = NDArray[np.float64]
ROUNDING = 1e-12  # of rates: 1 - 1/3 and 20/30 differ


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


def region_components(fpr: Rates, tpr: Rates, region: Region) -> tuple[Rates, Rates]:
    """Components of the positive and of the negative rows on each piece between corners of the curve."""
    right, floor = region
    left = min(_value_at(tpr, fpr, floor), right)
    top = max(_value_at(fpr, tpr, right), floor)
    return right - _mean_clipped(fpr, left, right), _mean_clipped(tpr, floor, top)


def _value_at(x: Rates, y: Rates, at: float) -> float:
    """Height of the curve, which jumps where x repeats: there the mean of both ends of the jump.

    This is the mean of the derivatives of the area towards either side, which differ at such a corner.
    """
    first = int(np.searchsorted(x, at - ROUNDING))
    last = int(np.searchsorted(x, at + ROUNDING, side="right")) - 1
    if first <= last:
        return float(y[first] + y[last]) / 2
    return float(y[last] + (y[first] - y[last]) * (at - x[last]) / (x[first] - x[last]))


def _mean_clipped(x: Rates, low: float, high: float) -> Rates:
    """Mean of ``clip(x, low, high)`` over each piece from one corner to the next."""
    begin, end = x[:-1], x[1:]
    width = np.where(end > begin, end - begin, 1.0)  # a piece without width is a single value
    below = np.clip((low - begin) / width, 0.0, 1.0) * (end > begin)
    above = np.clip((end - high) / width, 0.0, 1.0) * (end > begin)
    inside = (np.clip(begin, low, high) + np.clip(end, low, high)) / 2
    return below * low + above * high + (1 - below - above) * inside


def rows_in_region(region: Region, n: ClassPair) -> ClassPair:
    """How many rows of each class can lie in the region; warns if less than one can."""
    pos, neg = n.pos * (1 - region.min_tpr), n.neg * region.max_fpr
    for rows, name, option in ((neg, "negative", "max_fpr"), (pos, "positive", "min_tpr")):
        if rows < 1 - 1e-9:  # 0.07 * 100 is not 7
            total = n.neg if name == "negative" else n.pos
            setting = f"{{{option}={getattr(region, option):g}}}"
            warn_caller(
                SettingWarning(
                    f"{setting} leaves less than one of the {total:,.0f} {name} rows, so the partial AUC "
                    f"says little; give another {{{option}}} or more {name} rows."
                )
            )
    return ClassPair(pos, neg)


def share_interval(
    share: float,
    squares: ClassPair,
    n: ClassPair,
    counted: ClassPair,
    variance_of: Callable[[float], float],
    tail: float,
) -> tuple[float, float, float]:
    """Ends of the interval and standard error of an area, all as shares of the best area.

    ``squares`` are the sums of squared components. Of the ``n`` rows of each class, ``counted`` vary and so
    give degrees of freedom. The interval is Student's t on the logit scale, with a row added to each class
    whose component has the variance ``variance_of(share)``; near 0 and 1 no wider than Chernoff's.
    """
    if min(n) == 1:
        return *chernoff_interval(share, 1, tail), math.sqrt(share * (1 - share))
    se = math.sqrt(squares.pos / (n.pos - 1) / n.pos + squares.neg / (n.neg - 1) / n.neg)
    pairs = min(counted)
    if pairs < 2 or se == 0 or not 0 < share < 1:
        return *chernoff_interval(share, max(1, math.floor(pairs + 1e-9)), tail), se
    added = variance_of((pairs * share + 0.5) / (pairs + 1))  # with one more pair, which is tied
    variance = ClassPair((squares.pos + added) / n.pos / n.pos, (squares.neg + added) / n.neg / n.neg)
    half = half_length(variance, ClassPair(counted.pos + 1, counted.neg + 1), tail) / (share * (1 - share))
    low, high = special.expit(special.logit(share) + np.array([-half, half]))
    # Where fewer than one of these pairs disagrees, the logit is steep and the interval may be all of [0, 1].
    if pairs * min(share, 1 - share) < 1:
        bounds = chernoff_interval(share, math.floor(pairs + 1e-9), tail)
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return float(low), float(high), se


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
