"""Pictures of a ranking and of a fit: give axes or get new ones, nothing global changes.

New axes belong to no window: save them with ``ax.figure.savefig``. To see one on the screen, pass the
axes of ``matplotlib.pyplot.subplots``.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from .metrics.delong import auc_interval
from .metrics.partial import roc_points
from .validation.labels import check_positive
from .validation.parameters import fraction
from .validation.scores import check_same_length, check_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEGATIVE, POSITIVE, FAINT = "#4c78a8", "#e4572e", "#999999"
CORNERS = 2000  # of a curve that are drawn; more would fall on the same pixels
X_LABELS = {"seconds": "training time [s]", "rows": "rows seen", "passes": "passes over the data"}
Y_LABELS = {"auc": "AUC", "gap": "objective above the best"}


def roc(
    y: ArrayLike, score: ArrayLike, ax: "Axes | None" = None, band: bool = True, level: float = 0.95
) -> "Axes":
    """Draw the ROC curve, with its AUC and a confidence band.

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score : array-like of shape (n,)
        Finite real numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    band : bool, default=True
        Shade what the boxes around the points of the curve sweep. At each threshold the box is made of two
        Wilson intervals, one for each rate, and covers the true point with probability ``level``.
    level : float, default=0.95
        Confidence of the band and of the interval in the legend.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Examples
    --------
    >>> from aucmax import plot
    >>> ax = plot.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> ax.get_xlabel()
    'false positive rate'
    """
    fraction.check("level", level)
    ax = _axes(ax)
    value, low, high, _ = auc_interval(y, score, level)
    fpr, tpr = roc_points(y, score)
    keep = _spread(fpr, tpr)
    fpr, tpr = fpr[keep], tpr[keep]
    positive = check_positive(y)
    if band:
        n_positive = int(positive.sum())
        left, right = _wilson(fpr, positive.size - n_positive, level**0.5)
        bottom, top = _wilson(tpr, n_positive, level**0.5)
        ax.fill(
            np.concatenate([[0], left, [1], right[::-1], [0]]),
            np.concatenate([[0], top, [1], bottom[::-1], [0]]),
            color=POSITIVE,
            alpha=0.18,
            linewidth=0,
            label=f"{level:.0%} band",
        )
    interval = f"AUC {value:.3f} [{low:.3f}, {high:.3f}]" if band else f"AUC {value:.3f}"
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8, linestyle=":")
    ax.plot(fpr, tpr, color=POSITIVE, linewidth=1.8, label=interval)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    return _finish(ax, "false positive rate", "true positive rate", "lower right")


def scores(y: ArrayLike, score: ArrayLike, ax: "Axes | None" = None) -> "Axes":
    """Draw how the scores of each class are spread.

    Each class is scaled to area one, so that a rare class can be seen. Scores further than three
    interquartile ranges beyond the quartiles of both classes are counted in the outermost bars.

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score : array-like of shape (n,)
        Finite real numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Examples
    --------
    >>> from aucmax import plot
    >>> plot.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).get_xlabel()
    'score'
    """
    positive, values = check_positive(y), check_scores(score).astype(float)
    check_same_length(y=positive.size, score=values.size)
    labels = np.asarray(y).reshape(-1)
    ax = _axes(ax)
    groups = values[~positive], values[positive]
    (low, high), (other_low, other_high) = map(_range, groups)
    low, high = min(low, other_low), max(high, other_high)
    if low == high:
        low, high = low - 0.5, high + 0.5
    n_bars = int(np.clip(np.sqrt(min(len(group) for group in groups)) * 2, 10, 80))
    edges = np.linspace(low, high, n_bars + 1)
    for group, label, color in zip(
        groups, (labels[~positive][0], labels[positive][0]), (NEGATIVE, POSITIVE), strict=True
    ):
        heights = np.histogram(np.clip(group, low, high), edges)[0] / (len(group) * np.diff(edges))
        ax.stairs(heights, edges, fill=True, color=color, alpha=0.35)
        ax.stairs(heights, edges, color=color, linewidth=1.2, label=f"{label} ({len(group):,} rows)")
    ax.set(xlim=(low, high), ylim=(0, None))
    return _finish(ax, "score", "density within the class", "best")


def convergence(
    records: Iterable[Mapping[str, Any]], x: str = "seconds", y: str = "auc", ax: "Axes | None" = None
) -> "Axes":
    """Draw how fast each method improves.

    Parameters
    ----------
    records : iterable of mappings, or a data frame
        One for each measurement, with the keys named by ``x`` and ``y`` and, to tell curves apart,
        ``"method"``. Measurements of one method at the same ``x`` (several seeds or folds) are drawn as their
        median, within a band from the least to the greatest.
    x : {"seconds", "rows", "passes"}, default="seconds"
        What was spent.
    y : {"auc", "gap"}, default="auc"
        What was reached; a gap is drawn on a logarithmic scale.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Examples
    --------
    >>> from aucmax import plot
    >>> records = [{"method": "SOLAM", "passes": k, "auc": 1 - 0.5**k} for k in range(1, 5)]
    >>> plot.convergence(records, x="passes").get_ylabel()
    'AUC'
    """
    for name, given, allowed in (("x", x, X_LABELS), ("y", y, Y_LABELS)):
        if given not in allowed:
            raise ValueError(f"{name} is {given!r}; pass one of {', '.join(map(repr, allowed))}.")
    ax = _axes(ax)
    for method, points in _curves(records, x, y).items():
        at = np.array(sorted(points))
        ends = np.array([(min(points[k]), np.median(points[k]), max(points[k])) for k in at])
        if y == "gap":  # a gap of zero has no logarithm; half the smallest one seen stands for it
            above = ends[ends > 0]
            ends = np.maximum(ends, above.min() / 2 if above.size else 1e-16)
        (line,) = ax.plot(at, ends[:, 1], marker="o", markersize=3, linewidth=1.5, label=method)
        if (ends[:, 0] < ends[:, 2]).any():
            ax.fill_between(at, ends[:, 0], ends[:, 2], color=line.get_color(), alpha=0.15, linewidth=0)
    if y == "gap":
        ax.set_yscale("log")
    return _finish(ax, X_LABELS[x], Y_LABELS[y], "best")


def _range(group: NDArray) -> tuple[float, float]:
    """Where to look at a class: all of its scores but far outliers."""
    lower, upper = np.quantile(group, [0.25, 0.75])
    reach = 3 * (upper - lower) or np.inf
    return max(group.min(), lower - reach), min(group.max(), upper + reach)


def _curves(records: Any, x: str, y: str) -> dict[str, dict[float, list[float]]]:
    """Sort measurements by method and by place on the x axis."""
    if hasattr(records, "to_dict") and not isinstance(records, Mapping):
        records = records.to_dict("records")
    curves: dict[str, dict[float, list[float]]] = {}
    for number, record in enumerate(records):
        for key in (x, y):
            if key not in record:
                known = ", ".join(map(repr, record))
                raise ValueError(f"record {number} has no {key!r}; choose x and y among {known}.")
        points = curves.setdefault(str(record.get("method", "")), {})
        points.setdefault(float(record[x]), []).append(float(record[y]))
    if not curves:
        raise ValueError("records is empty; pass at least one measurement.")
    return curves


def _wilson(rate: NDArray, n: int, level: float) -> tuple[NDArray, NDArray]:
    """Ends of Wilson's interval for a rate among n rows."""
    z2 = special.ndtri((1 - level) / 2) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 / n * (rate * (1 - rate) + z2 / (4 * n))) / (1 + z2 / n)
    return np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)


def _spread(fpr: NDArray, tpr: NDArray) -> NDArray[np.intp]:
    """Choose corners evenly along the curve, both ends among them."""
    if fpr.size <= CORNERS:
        return np.arange(fpr.size)
    return np.unique(np.searchsorted(fpr + tpr, np.linspace(0, 2, CORNERS)).clip(max=fpr.size - 1))


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("aucmax.plot needs matplotlib; install it with: pip install matplotlib") from None
    figure = Figure(figsize=(5, 4), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _finish(ax: "Axes", xlabel: str, ylabel: str, place: Any) -> "Axes":
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    if any(ax.get_legend_handles_labels()[1]):
        ax.legend(loc=place, frameon=False, fontsize="small")
    return ax
