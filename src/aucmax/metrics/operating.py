"""The operating point: the threshold for a recall, a precision, a number of alerts or the least cost."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..validation.errors import DataError, ParameterError
from ..validation.parameters import Rule, fraction, is_number, number, positive, rate
from .top import RankedRows, Rate, rank_rows, wilson_rate

ROUNDING = 1e-12  # of a rate that is a ratio of sums: 9 rows of 10 have a recall of 0.9


def _are_costs(value: Any) -> bool:
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    return is_pair and all(is_number(part) and part >= 0 for part in value) and sum(value) > 0


_COSTS = "two costs of at least 0, of a false positive and of a false negative, not both 0"
_RULES = {
    "threshold": number,
    "recall": rate,
    "precision": rate,
    "alerts": positive,
    "cost": Rule(_are_costs, _COSTS),
}


class OperatingPoint(NamedTuple):
    """What alerts on all rows that score at least ``threshold`` find.

    ``alerts`` is the number of these rows (their weight, with sample weights) and ``fraction`` their share.
    Without an alert, precision is NaN.
    """

    threshold: float
    alerts: float
    fraction: float
    recall: Rate
    precision: Rate
    fpr: Rate


def operating_point(
    y: ArrayLike,
    score: ArrayLike,
    *,
    threshold: float | None = None,
    recall: float | None = None,
    precision: float | None = None,
    alerts: float | None = None,
    cost: tuple[float, float] | None = None,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose the threshold on the scores for a goal, and find the rates there, with intervals.

    Rows that score at least the threshold raise an alert; rows of equal score are never divided. Give exactly
    one of the goals.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    threshold : float, optional
        This threshold.
    recall : float, optional
        The highest threshold with at least this recall: the fewest alerts that find so many positives.
    precision : float, optional
        The lowest threshold with at least this precision: it finds the most positives.
    alerts : float, optional
        The lowest threshold with at most so many alerts; below 1, a share of the rows.
    cost : (float, float), optional
        Costs of a false positive and of a false negative: the threshold of the least total cost, the highest
        of several. It lies above all scores where no alert pays.
    level : float, default=0.95
        Confidence of Wilson's intervals of the rates, as if the threshold had been given.
    sample_weight : array-like of shape (n,), optional
        Weights, finite and not negative; alerts are then sums of weights.

    Returns
    -------
    OperatingPoint
        ``(threshold, alerts, fraction, recall, precision, fpr)``; the last three have ``value``, ``low``
        and ``high``.

    Examples
    --------
    >>> from aucmax.metrics import operating_point
    >>> y, score = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    >>> point = operating_point(y, score, recall=0.9)
    >>> point.threshold, point.alerts, point.precision.value
    (6.0, 4.0, 0.75)
    >>> operating_point(y, score, cost=(1, 10)).threshold
    6.0
    """
    fraction.check("level", level)
    goal = check_goal(threshold=threshold, recall=recall, precision=precision, alerts=alerts, cost=cost)
    rows = rank_rows(y, score, sample_weight)
    counted = np.append(True, np.diff(rows.weight) > 0)  # a weight of 0 leaves a row out
    weight, hits, square = (part[counted] for part in rows[:3])
    rows = rows._replace(weight=weight, positive=hits, square=square, score=rows.score[counted[1:]])
    return choose_point(rows, *goal, level)


def choose_point(rows: RankedRows, goal: str, value: Any, level: float) -> OperatingPoint:
    """The operating point for a goal among ranked rows."""
    score = rows.score.astype(float)
    if goal == "threshold":
        n_above = int(np.sum(score >= value))
    else:
        n_above = _CHOOSE[goal](rows, value)
        value = score[n_above - 1] if n_above else np.nextafter(score[0], np.inf)
    return _rates(rows, n_above, float(value), level)


def check_goal(**given: Any) -> tuple[str, Any]:
    """Name and value of the only goal that is given; an error unless it is one, within its range."""
    goals = [name for name, value in given.items() if value is not None]
    if len(goals) != 1:
        allowed = "given alone, or one of {recall}, {precision}, {alerts} and {cost} instead"
        raise ParameterError(None, "threshold", allowed, ", ".join(goals) or None)
    (name,) = goals
    _RULES[name].check(name, given[name])
    return name, given[name]


def _at_recall(rows: RankedRows, recall: float) -> int:
    """Number of groups of equal score above the threshold."""
    return int(np.argmax(rows.positive >= recall * rows.positive[-1] * (1 - ROUNDING)))


def _at_precision(rows: RankedRows, precision: float) -> int:
    found = rows.positive[1:] / rows.weight[1:]
    if not np.any(found >= precision * (1 - ROUNDING)):
        share = float(found.max())
        problem = f"no threshold has a precision of {precision:g}; the highest is {share:.4g}"
        raise DataError(problem, remedy="give a lower {precision}")
    return 1 + int(np.flatnonzero(found >= precision * (1 - ROUNDING))[-1])


def _at_alerts(rows: RankedRows, alerts: float) -> int:
    most = alerts * rows.weight[-1] if alerts < 1 else alerts / rows.unit
    n_above = int(np.searchsorted(rows.weight, most * (1 + ROUNDING), side="right")) - 1
    if n_above == 0:
        first = float(rows.weight[1]) * rows.unit
        problem = f"no threshold has at most {alerts:g} alerts: the highest score has {first:.4g}"
        raise DataError(problem, remedy="raise {alerts}")
    return n_above


def _at_cost(rows: RankedRows, cost: tuple[float, float]) -> int:
    false_positive, false_negative = cost
    negative, missed = rows.weight - rows.positive, rows.positive[-1] - rows.positive
    total = false_positive * negative + false_negative * missed
    return int(np.argmax(total <= total.min() * (1 + ROUNDING)))


_CHOOSE: dict[str, Callable[[RankedRows, Any], int]] = {
    "recall": _at_recall,
    "precision": _at_precision,
    "alerts": _at_alerts,
    "cost": _at_cost,
}


def _rates(rows: RankedRows, n_above: int, threshold: float, level: float) -> OperatingPoint:
    """The rates of the first groups, with Wilson's intervals for an effective number of rows."""
    above, hits, squares = (float(part[n_above]) for part in rows[:3])
    total, positives = float(rows.weight[-1]), float(rows.positive[-1])
    negatives = total - positives
    n_negative = negatives**2 / (float(rows.square[-1]) - positives**2 / rows.n_positive)
    precision = Rate(np.nan, 0.0, 1.0)
    if above > 0:
        precision = wilson_rate(hits / above, above**2 / squares, level)
    recall = wilson_rate(hits / positives, rows.n_positive, level)
    fpr = wilson_rate((above - hits) / negatives, n_negative, level)
    return OperatingPoint(threshold, above * rows.unit, above / total, recall, precision, fpr)
