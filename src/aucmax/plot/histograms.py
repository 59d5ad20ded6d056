"""Histograms of the scores of each class."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics.sorted_rows import check_scores_and_weights
from .axes import NEGATIVE, POSITIVE, get_axes, label_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    positive, labels, ax = signed > 0, np.asarray(y).reshape(-1), get_axes(ax)
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
    return label_axes(ax, "score", "density within the class", "best")


def _find_range(group: NDArray) -> tuple[float, float]:
    """The range of the scores of a class, without those beyond three interquartile ranges."""
    lower, upper = np.quantile(group, [0.25, 0.75])
    distance = 3 * (upper - lower) or np.inf
    return max(group.min(), lower - distance), min(group.max(), upper + distance)
