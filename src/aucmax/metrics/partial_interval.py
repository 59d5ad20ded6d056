"""Confidence interval of a partial AUC: DeLong's variance restricted to a part of the ROC curve."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..validation.errors import SettingWarning, warn_caller
from ..validation.parameters import fraction
from .components import region_components
from .delong import (
    AUCInterval,
    ClassPair,
    auc_interval,
    chernoff_interval,
    logit_interval,
    with_tied_pair,
)
from .partial import Region, area_in_region, cumulate
from .sorted_rows import sort_rows


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
    ends_and_se = _share_interval(area / region.best, squares, n, counted, (1 - level) / 2)
    found = AUCInterval(area, *(region.best * part for part in ends_and_se))
    if not standardized:
        return found
    value, low, high = map(region.standardize, found[:3])
    return AUCInterval(value, low, high, region.standardize(found.se) - region.standardize(0.0))


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


def _share_interval(
    share: float, squares: ClassPair, n: ClassPair, counted: ClassPair, tail: float
) -> tuple[float, float, float]:
    """Ends of the interval and standard error, as shares of the best area."""
    if min(n) == 1:
        return *chernoff_interval(share, 1, tail), math.sqrt(share * (1 - share))
    se = math.sqrt(squares.pos / (n.pos - 1) / n.pos + squares.neg / (n.neg - 1) / n.neg)
    pairs = min(counted)
    if pairs < 2 or se == 0 or not 0 < share < 1:
        return *chernoff_interval(share, max(1, math.floor(pairs + 1e-9)), tail), se
    moved = with_tied_pair(share, pairs)
    # A placement spread evenly over the region has a third of the largest variance; shares near 0 and 1 too.
    return *logit_interval(share, squares, moved * (1 - moved) / 3, n, counted, tail), se


def _sum_of_squares(values: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """Sum of squared deviations from the mean of values that occur so often; exactly 0 if all are equal."""
    present = counts > 0
    values, counts = values[present], counts[present]
    values = values - values[0]
    return float(counts @ (values - counts @ values / counts.sum()) ** 2)
