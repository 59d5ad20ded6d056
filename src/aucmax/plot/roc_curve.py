"""The ROC curve, whole or up to a false positive rate."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics.intervals import partial_auc_interval
from ..metrics.partial import roc_points
from ..metrics.wilson import wilson_interval
from ..validation.labels import positive_mask
from ..validation.parameters import number
from ..validation.scores import check_scores
from .axes import Axes, draw_once, get_axes, label_axes, name_model, next_color, set_title

MAX_CORNERS = 2000  # points drawn; more would fall on the same pixels


def roc(
    y: ArrayLike,
    score: ArrayLike,
    ax: "Axes | None" = None,
    band: bool = True,
    level: float = 0.95,
    *,
    max_fpr: float | None = None,
    threshold: float | None = None,
    label: str | None = None,
    color: str | None = None,
) -> "Axes":
    """Draw the ROC curve, with its AUC and a confidence band.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Several curves may share one.
    band : bool, default=True
        Shade a band: at each threshold Wilson's intervals of both rates make a box around the true point.
    level : float, default=0.95
        Confidence of the band and of the interval in the legend.
    max_fpr : float, optional
        Show false positive rates up to this one, and the standardized partial AUC.
    threshold : float, optional
        Mark the operating point at which rows that score at least this are alerted.
    label, color : str, optional
        Name of the model in the legend, and its colour; by default one that the axes do not have yet.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> ax = plot.roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    """
    ax, positive = get_axes(ax, (4.1, 4) if max_fpr is None else (5, 4)), positive_mask(y)
    color = color or next_color(ax)
    found = partial_auc_interval(y, score, max_fpr, standardized=True, level=level)
    right = 1.0 if max_fpr is None else max_fpr
    fpr, tpr = _thin_curve(*roc_points(y, score), right)
    if band:
        _draw_band(ax, fpr, tpr, positive, level, color)
    draw_once(ax, [0, 1], [0, 1], "chance")
    text = f"AUC {found.auc:.3f}" if right == 1 else f"AUC to {right:g}: {found.auc:.3f}"
    text += f" [{found.low:.3f}, {found.high:.3f}]" if band else ""
    ax.plot(fpr, tpr, color=color, linewidth=1.8, label=name_model(label, text), gid="model")
    if threshold is not None:
        number.check("threshold", threshold)
        _draw_point(ax, positive, check_scores(score) >= threshold, threshold, color)
    margin = 0.01 * right
    ax.set(xlim=(-margin, right + margin), ylim=(-0.01, 1.01), aspect="equal" if right == 1 else "auto")
    set_title(ax, positive)
    corner = "lower right" if right == 1 else "best"
    return label_axes(ax, "false positive rate", "true positive rate", corner)


def _draw_point(ax: "Axes", positive: NDArray, alerted: NDArray, threshold: float, color: str) -> None:
    """The operating point, with its rates in the legend."""
    fpr, tpr = alerted[~positive].mean(), alerted[positive].mean()
    text = f"score ≥ {threshold:.3g}: TPR {tpr:.3f}, FPR {fpr:.3f}"
    if alerted.any():
        text += f",\nprecision {positive[alerted].mean():.3f}"
    style: dict[str, Any] = {"color": color, "markeredgecolor": "white", "markersize": 8, "linestyle": ""}
    ax.plot([fpr], [tpr], marker="o", label=text, zorder=3, **style)


def _draw_band(ax: "Axes", fpr: NDArray, tpr: NDArray, positive: NDArray, level: float, color: str) -> None:
    n_positive = int(positive.sum())
    left, right = wilson_interval(fpr, positive.size - n_positive, level**0.5)
    bottom, top = wilson_interval(tpr, n_positive, level**0.5)
    x = np.concatenate([[0], left, [1], right[::-1], [0]])
    y = np.concatenate([[0], top, [1], bottom[::-1], [0]])
    ax.fill(x, y, color=color, alpha=0.18, linewidth=0)


def _thin_curve(fpr: NDArray, tpr: NDArray, right: float) -> tuple[NDArray, NDArray]:
    """At most ``MAX_CORNERS`` points of the curve up to a false positive rate, evenly spaced along it."""
    size = min(int(np.searchsorted(fpr, right, side="right")) + 1, fpr.size)  # and the first one beyond
    fpr, tpr = fpr[:size], tpr[:size]
    if size <= MAX_CORNERS:
        return fpr, tpr
    length = fpr / fpr[-1] + tpr
    kept = np.unique(np.searchsorted(length, np.linspace(0, length[-1], MAX_CORNERS)).clip(max=size - 1))
    return fpr[kept], tpr[kept]
