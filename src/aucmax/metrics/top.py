"""The top of the list: recall, precision and lift among the rows with the highest scores."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.interrupts import defer_interrupts
from ..kernels.sorting import order_keys, sort_by_key
from ..validation.labels import positive_mask
from ..validation.parameters import Rule
from ..validation.parameters import fraction as fraction_rule
from ..validation.scores import check_same_length, check_scores
from ..validation.weights import check_class_weights, check_weights
from .wilson import wilson_interval

fractions_rule = Rule(
    lambda shares: len(shares) > 0 and all(map(fraction_rule.allows, shares)),
    "one or more numbers between 0 and 1",
)


class Rate(NamedTuple):
    """A number and the ends of its confidence interval."""

    value: float
    low: float
    high: float


def wilson_rate(value: float, n: float, level: float) -> Rate:
    """A rate among n rows with Wilson's interval."""
    return Rate(value, *map(float, wilson_interval(value, n, level)))


class TopRates(NamedTuple):
    """What an alert on a share of the rows, those with the highest scores, would find.

    ``alerts`` is the number of these rows (their weight, with sample weights), ``threshold`` the lowest score
    among them.
    """

    fraction: float
    alerts: float
    threshold: float
    recall: Rate
    precision: Rate
    lift: Rate


class TopTable(tuple[TopRates, ...]):
    """A tuple of `TopRates` that prints as a table."""

    def __str__(self) -> str:
        names = ("recall", "precision", "lift")
        lines = [f"{'':9}{'alerts':>8}" + "".join(f"{name:>24}" for name in names)]
        for row in self:
            cells = [f"{value:.3f} ({low:.3f} - {high:.3f})" for value, low, high in row[3:5]]
            cells.append(f"{row.lift.value:.3g} ({row.lift.low:.2g} - {row.lift.high:.2g})")
            share = f"{100 * row.fraction:.4g} %"
            lines.append(
                f"top {share:<5}{format_count(row.alerts):>8}" + "".join(f"{cell:>24}" for cell in cells)
            )
        return "\n".join(lines)


def format_count(count: float) -> str:
    """A number of rows, which may end in a part of one: ``1.5``, ``917``."""
    return f"{count:.3g}" if count < 10 else f"{count:,.0f}"


class RankedRows(NamedTuple):
    """Sums over the rows from the highest score down, at the end of each group of equal scores.

    Each array of sums begins with 0: the weight of all rows, that of the positive ones, and the squares of
    the weight of all rows. ``score`` is that of the group that follows. Weights are in multiples of ``unit``;
    ``n_positive`` is the effective number of positive rows, for intervals.
    """

    weight: NDArray[np.float64]
    positive: NDArray[np.float64]
    square: NDArray[np.float64]
    score: NDArray
    unit: float
    n_positive: float


def top(
    y: ArrayLike,
    score: ArrayLike,
    fractions: float | Iterable[float] = (0.01, 0.05, 0.1),
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> TopTable:
    """Recall, precision and lift among the rows with the highest scores, with intervals.

    Recall is the share of the positive rows found, precision the share of positives among the rows looked at,
    lift their ratio to as many random rows. Where the cut falls among rows of equal score, the expected value
    over their random order counts.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    fractions : float or list of float, default=(0.01, 0.05, 0.1)
        Shares of the rows, between 0 and 1.
    level : float, default=0.95
        Share of samples whose interval should cover the true rate.
    sample_weight : array-like of shape (n,), optional
        Weights, finite and not negative; fractions are then shares of the total weight.

    Returns
    -------
    TopTable
        A tuple of ``TopRates(fraction, alerts, threshold, recall, precision, lift)``, the last three with
        ``value``, ``low`` and ``high``.

    Examples
    --------
    >>> from aucmax.metrics import top
    >>> found = top([1, 0, 1, 1, 0, 0, 0, 0, 0, 0], range(10, 0, -1), fractions=(0.1, 0.4))
    >>> print(found)
               alerts                  recall               precision                    lift
    top 10 %       1   0.333 (0.099 - 0.694)   1.000 (0.167 - 1.000)       3.33 (0.99 - 6.9)
    top 40 %       4   1.000 (0.313 - 1.000)   0.750 (0.284 - 0.958)        2.5 (0.78 - 2.5)
    """
    fraction_rule.check("level", level)
    shares = np.atleast_1d(np.asarray(fractions, dtype=object)).tolist()
    fractions_rule.check("fractions", shares)
    ranked = rank_rows(y, score, sample_weight)
    return TopTable(rates_at(float(share), ranked, level) for share in shares)


def rank_rows(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None) -> RankedRows:
    """Validate the input and sum over the rows from the highest score down."""
    positive, values = positive_mask(y), check_scores(score)
    check_same_length(y=positive.size, score=values.size)
    weight = check_weights(sample_weight, positive.size)
    # A power of two, so that sums of squares stay finite; the classes keep their proportion.
    unit = 1.0 if sample_weight is None else float(np.ldexp(1.0, int(np.frexp(weight.max())[1])))
    weight = weight / unit
    check_class_weights(weight.sum(where=~positive), weight.sum(where=positive))
    with defer_interrupts():  # as in sort_rows
        keys, row = sort_by_key(order_keys(values), np.arange(values.size))
    keys, row = keys[::-1], row[::-1]
    last = np.append(np.flatnonzero(keys[1:] != keys[:-1]), keys.size - 1)  # row of each group
    weight, positive = weight[row], positive[row]
    parts = weight, weight * positive, weight**2
    total, hits, square = (np.append(0.0, np.cumsum(part)[last]) for part in parts)
    effective = float(weight[positive].sum() ** 2 / (weight[positive] ** 2).sum())
    return RankedRows(total, hits, square, values[row[last]], unit, effective)


def rates_at(share: float, rows: RankedRows, level: float) -> TopRates:
    r"""The rates among the top share of the rows, with Wilson's intervals for an effective number of rows.

    The threshold at the top :math:`q` is itself estimated. With :math:`\rho` the share of positives near it,
    the variance of recall :math:`r` is :math:`1 - 2 \rho + \frac{\rho^2}{p} \frac{1 - q}{1 - r}` times that
    of a proportion of the positive rows, and the variance of precision :math:`p` is
    :math:`1 + (1 - q) \frac{(p - \rho)^2}{p (1 - p)}` times that of a proportion of the rows looked at: the
    infinitesimal jackknife for rows drawn independently. Lift is recall over :math:`q`.
    """
    total, positives = float(rows.weight[-1]), float(rows.positive[-1])
    cut = share * total
    group = int(np.searchsorted(rows.weight, cut * (1 - 1e-12)))  # without the error of the product
    hits = float(np.interp(cut, rows.weight, rows.positive))
    squares = float(np.interp(cut, rows.weight, rows.square))
    recall, precision, n_top = hits / positives, hits / cut, cut**2 / squares
    begin, end = cut / 2, min(1.5 * cut, total)
    near = float(np.diff(np.interp([begin, end], rows.weight, rows.positive))[0] / (end - begin))
    # One more row, half a hit, keeps the ratios of variances finite and above 0.
    r, p = (rows.n_positive * recall + 0.5) / (rows.n_positive + 1), (n_top * precision + 0.5) / (n_top + 1)
    # Over all values of `near`, the exact ratio for recall is at least 1 - p.
    recall_ratio = max(1 - 2 * near + near**2 / p * (1 - share) / (1 - r), 1 - p)
    precision_ratio = 1 + (1 - share) * (p - near) ** 2 / (p * (1 - p))
    of_recall = wilson_rate(recall, rows.n_positive / recall_ratio, level)
    of_precision = wilson_rate(precision, n_top / precision_ratio, level)
    threshold = rows.score[group - 1].item()
    lift = Rate(*(each / share for each in of_recall))
    return TopRates(share, cut * rows.unit, threshold, of_recall, of_precision, lift)


def average_precision(y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    r"""Mean over the positive rows of the precision among the rows that score at least as high.

    .. math:: \sum_k (r_k - r_{k-1})\, p_k

    with recall :math:`r_k` and precision :math:`p_k` at the distinct scores from the highest down: the area
    under the precision-recall curve as a step function, equal to ``sklearn.metrics.average_precision_score``.
    A random order has the share of positives. Time is linear in the number of rows.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    sample_weight : array-like of shape (n,), optional
        Weights, finite and not negative.

    Returns
    -------
    float
        Average precision, in (0, 1].

    Examples
    --------
    >>> from aucmax.metrics import average_precision
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    rows = rank_rows(y, score, sample_weight)
    some = rows.weight > 0
    weight, positive = rows.weight[some], rows.positive[some]
    recall, precision = positive / positive[-1], positive / weight
    return min(float(np.diff(recall, prepend=0.0) @ precision), 1.0)
