"""Histograms of the scores of each class."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics.sorted_rows import check_scores_and_weights
from ..validation.parameters import number
from .axes import Axes, get_axes, label_axes, mark_threshold, name_model, pair_style, set_title


def scores(
    y: ArrayLike,
    score: ArrayLike,
    ax: "Axes | None" = None,
    *,
    threshold: float | None = None,
    label: str | None = None,
    color: str | None = None,
) -> "Axes":
    """Draw a histogram of the scores of each class.

    Each histogram has area one, so that a rare class can be seen. Scores further than three interquartile
    ranges beyond the quartiles of both classes are counted in the outermost bars.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Several models may share one.
    threshold : float, optional
        Mark this score, from which rows are alerted.
    label, color : str, optional
        Name of the model in the legend, and its colour, by default one that the axes do not have yet; the
        outline of the negative class is then dashed.

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
    positive, labels, ax = signed > 0, np.asarray(y).reshape(-1), get_axes(ax)
    groups = values[positive].astype(float), values[~positive].astype(float)
    edges = _find_edges(*groups)
    names = labels[positive][0], labels[~positive][0]
    *colors, dashed = pair_style(ax, label, color)
    for group, name, color, style in zip(groups, names, colors, ("-", dashed), strict=True):
        heights = np.histogram(np.clip(group, edges[0], edges[-1]), edges)[0] / (len(group) * np.diff(edges))
        text = name_model(label, f"{name} ({len(group):,} rows)")
        ax.stairs(heights, edges, fill=True, color=color, alpha=0.35 if style == "-" else 0.1)
        ax.stairs(heights, edges, color=color, linewidth=1.2, linestyle=style, label=text)
    ax.patches[-1].set_gid("model")
    ax.margins(x=0)
    if threshold is not None:
        number.check("threshold", threshold)
        mark_threshold(ax, threshold, f"threshold {threshold:.3g}", label, colors[0])
    set_title(ax, positive)
    return label_axes(ax, "score", "density within the class", "best")


def _find_edges(positive: NDArray, negative: NDArray) -> NDArray:
    """Edges of the bars: more of them where the smaller class has more rows."""
    lows, highs = zip(*map(_find_range, (positive, negative)), strict=True)
    low, high = min(lows), max(highs)
    if low == high:
        low, high = low - 0.5, high + 0.5
    n_bars = int(np.clip(np.sqrt(min(len(positive), len(negative))) * 2, 10, 80))
    return np.linspace(low, high, n_bars + 1)


def _find_range(group: NDArray) -> tuple[float, float]:
    """The range of the scores of a class, without those beyond three interquartile ranges."""
    lower, upper = np.quantile(group, [0.25, 0.75])
    distance = 3 * (upper - lower) or np.inf
    return max(group.min(), lower - distance), min(group.max(), upper + distance)
