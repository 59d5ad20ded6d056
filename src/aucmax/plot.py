"""Plots of ROC curves, scores and convergence, on the given axes or on new ones.

New axes belong to no window: save them with ``ax.figure.savefig``. To see a plot on the screen, pass the
axes of ``matplotlib.pyplot.subplots``. No global state of matplotlib changes.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .metrics.delong import auc_interval
from .metrics.partial import roc_points
from .metrics.sorted_rows import check_scores_and_weights
from .metrics.wilson import wilson_interval
from .validation.labels import positive_mask
from .validation.parameters import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEGATIVE, POSITIVE, GREY = "#4c78a8", "#e4572e", "#999999"
MAX_CORNERS = 2000  # points drawn of a ROC curve; more would fall on the same pixels
X_LABELS = {"seconds": "training time [s]", "rows": "rows seen", "passes": "passes over the data"}
Y_LABELS = {"auc": "AUC", "gap": "objective minus its minimum"}


def roc(
    y: ArrayLike, score: ArrayLike, ax: "Axes | None" = None, band: bool = True, level: float = 0.95
) -> "Axes":
    """Draw the ROC curve, with its AUC and a confidence band.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    band : bool, default=True
        Shade the union of boxes around the points of the curve. The box at a threshold is made of two Wilson
        intervals, one for each rate, and covers the true point with probability ``level``.
    level : float, default=0.95
        Confidence of the band and of the interval in the legend.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> ax = plot.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> ax.get_xlabel()
    'false positive rate'
    """
    interval, ax = auc_interval(y, score, level), _get_axes(ax)
    fpr, tpr = _thin_curve(*roc_points(y, score))
    label = f"AUC {interval.auc:.3f}"
    if band:
        _draw_band(ax, fpr, tpr, positive_mask(y), level)
        label += f" [{interval.low:.3f}, {interval.high:.3f}]"
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
    ax.plot(fpr, tpr, color=POSITIVE, linewidth=1.8, label=label)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return _label_axes(ax, "false positive rate", "true positive rate", "lower right")


def _draw_band(ax: "Axes", fpr: NDArray, tpr: NDArray, positive: NDArray, level: float) -> None:
    n_positive = int(positive.sum())
    left, right = wilson_interval(fpr, positive.size - n_positive, level**0.5)
    bottom, top = wilson_interval(tpr, n_positive, level**0.5)
    ax.fill(
        np.concatenate([[0], left, [1], right[::-1], [0]]),
        np.concatenate([[0], top, [1], bottom[::-1], [0]]),
        color=POSITIVE,
        alpha=0.18,
        linewidth=0,
        label=f"{level:.0%} band",
    )


def scores(y: ArrayLike, score: ArrayLike, ax: "Axes | None" = None) -> "Axes":
    """Draw a histogram of the scores of each class.

    Each histogram has area one, so that a rare class can be seen. Scores further than three interquartile
    ranges beyond the quartiles of both classes are counted in the outermost bars.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> plot.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).get_xlabel()
    'score'
    """
    values, signed = check_scores_and_weights(y, score)
    positive, labels, ax = signed > 0, np.asarray(y).reshape(-1), _get_axes(ax)
    groups = values[~positive].astype(float), values[positive].astype(float)
    lows, highs = zip(*map(_find_range, groups), strict=True)
    low, high = min(lows), max(highs)
    if low == high:
        low, high = low - 0.5, high + 0.5
    n_bars = int(np.clip(np.sqrt(min(map(len, groups))) * 2, 10, 80))
    edges = np.linspace(low, high, n_bars + 1)
    names = labels[~positive][0], labels[positive][0]
    for group, label, color in zip(groups, names, (NEGATIVE, POSITIVE), strict=True):
        heights = np.histogram(np.clip(group, low, high), edges)[0] / (len(group) * np.diff(edges))
        ax.stairs(heights, edges, fill=True, color=color, alpha=0.35)
        ax.stairs(heights, edges, color=color, linewidth=1.2, label=f"{label} ({len(group):,} rows)")
    ax.set(xlim=(low, high), ylim=(0, None))
    return _label_axes(ax, "score", "density within the class", "best")


def convergence(
    records: Iterable[Mapping[str, Any]], x: str = "seconds", y: str = "auc", ax: "Axes | None" = None
) -> "Axes":
    """Draw how fast each method improves.

    Parameters
    ----------
    records : iterable of mappings, or a data frame
        One for each measurement, with the keys named by ``x`` and ``y`` and, for one curve per method,
        ``"method"``. Measurements of one method at the same ``x`` (several seeds or folds) are drawn as their
        median, within a band from their minimum to their maximum.
    x : {"seconds", "rows", "passes"}, default="seconds"
        The horizontal axis: the cost of training so far.
    y : {"auc", "gap"}, default="auc"
        The vertical axis: AUC, or the objective minus its minimum, on a logarithmic scale.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> records = [{"method": "SOLAM", "passes": k, "auc": 1 - 0.5**k} for k in range(1, 5)]
    >>> plot.convergence(records, x="passes").get_ylabel()
    'AUC'
    """
    one_of(*X_LABELS).check("x", x)
    one_of(*Y_LABELS).check("y", y)
    ax = _get_axes(ax)
    for method, values_at in _group_by_method(records, x, y).items():
        costs = np.array(sorted(values_at))
        low, median, high = _summarise([values_at[cost] for cost in costs], log_scale=y == "gap")
        (line,) = ax.plot(costs, median, marker="o", markersize=3, linewidth=1.5, label=method)
        if (low < high).any():
            ax.fill_between(costs, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    if y == "gap":
        ax.set_yscale("log")
    return _label_axes(ax, X_LABELS[x], Y_LABELS[y], "best")


def _summarise(groups: list[list[float]], log_scale: bool) -> NDArray:
    """Minima, medians and maxima; for a log scale, zeros become half of the smallest positive number."""
    summary = np.array([(min(group), np.median(group), max(group)) for group in groups]).T
    if log_scale:
        above = summary[summary > 0]
        summary = np.maximum(summary, above.min() / 2 if above.size else 1e-16)
    return summary


def _find_range(group: NDArray) -> tuple[float, float]:
    """The range of the scores of a class, without those beyond three interquartile ranges."""
    lower, upper = np.quantile(group, [0.25, 0.75])
    distance = 3 * (upper - lower) or np.inf
    return max(group.min(), lower - distance), min(group.max(), upper + distance)


def _group_by_method(records: Any, x: str, y: str) -> dict[str, dict[float, list[float]]]:
    """The values of ``y`` by method and by the value of ``x``."""
    if hasattr(records, "to_dict") and not isinstance(records, Mapping):
        records = records.to_dict("records")
    curves: dict[str, dict[float, list[float]]] = {}
    for number, record in enumerate(records):
        for key in (x, y):
            if key not in record:
                keys = ", ".join(map(repr, record))
                raise ValueError(f"record {number} has no {key!r}; choose x and y among {keys}.")
        points = curves.setdefault(str(record.get("method", "")), {})
        points.setdefault(float(record[x]), []).append(float(record[y]))
    if not curves:
        raise ValueError("records is empty; pass at least one measurement.")
    return curves


def _thin_curve(fpr: NDArray, tpr: NDArray) -> tuple[NDArray, NDArray]:
    """At most ``MAX_CORNERS`` points of the curve, evenly spaced along it, with both ends."""
    if fpr.size <= MAX_CORNERS:
        return fpr, tpr
    kept = np.unique(np.searchsorted(fpr + tpr, np.linspace(0, 2, MAX_CORNERS)).clip(max=fpr.size - 1))
    return fpr[kept], tpr[kept]


def _get_axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("aucmax.plot needs matplotlib; install it with: pip install matplotlib") from None
    return Figure(figsize=(5, 4), layout="constrained").add_subplot()


def _label_axes(ax: "Axes", xlabel: str, ylabel: str, legend_location: Any) -> "Axes":
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(loc=legend_location, frameon=False, fontsize="small")
    return ax
