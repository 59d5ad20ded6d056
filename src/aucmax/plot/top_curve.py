"""Recall and precision against the share of the rows that raise an alert."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics.top import rank_rows, rates_at
from ..validation.labels import positive_mask
from ..validation.parameters import fraction, number
from ..validation.scores import check_scores
from .axes import Axes, draw_once, get_axes, label_axes, mark_threshold, name_model, pair_style, set_title

MAX_SHARES = 500  # points drawn; more would fall on the same pixels


def top(
    y: ArrayLike,
    score: ArrayLike,
    ax: "Axes | None" = None,
    band: bool = True,
    level: float = 0.95,
    *,
    threshold: float | None = None,
    label: str | None = None,
    color: str | None = None,
) -> "Axes":
    """Draw recall and precision against the share of the rows that raise an alert, those that score highest.

    The share is on a logarithmic scale, since what can be looked at may be a row in ten or in a thousand.

    Parameters
    ----------
    y, score : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Several models may share one.
    band, level : bool, default=True, and float, default=0.95
        Shade the intervals of :func:`aucmax.metrics.top`, with this confidence.
    threshold : float, optional
        Mark the share of the rows that score at least this.
    label, color : str, optional
        Name of the model in the legend, and its colour, by default one that the axes do not have yet;
        precision is then dashed.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> ax = plot.top([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    """
    fraction.check("level", level)
    ranked, ax, positive = rank_rows(y, score, None), get_axes(ax), positive_mask(y)
    first = max(min(10 / positive.size, 0.001), 1 / positive.size)  # precision among fewer rows is noise
    shares = np.geomspace(first, 1, MAX_SHARES)
    rates = [rates_at(float(share), ranked, level) for share in shares]
    *colors, dashed = pair_style(ax, label, color)
    for name, color, style in zip(("recall", "precision"), colors, ("-", dashed), strict=True):
        value, low, high = np.array([getattr(found, name) for found in rates]).T
        if band:
            ax.fill_between(shares, low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(shares, value, style, color=color, linewidth=1.8, label=name_model(label, name))
    ax.lines[-1].set_gid("model")
    if threshold is not None:
        number.check("threshold", threshold)
        share = float(np.mean(check_scores(score) >= threshold))
        mark_threshold(ax, share, f"score ≥ {threshold:.3g}: {100 * share:.3g} %", label, colors[0])
    return _frame(ax, shares, positive)


def _frame(ax: "Axes", shares: NDArray, positive: NDArray) -> "Axes":
    """The line of chance, limits, title, labels and legend."""
    from matplotlib.ticker import LogLocator, NullFormatter

    draw_once(ax, shares, shares, "recall by chance")
    ax.set(xscale="log", xlim=(shares[0], 1), ylim=(-0.01, 1.01))
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if shares[0] > 0.005 else (1,)))
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    ax.xaxis.set_minor_formatter(NullFormatter())
    set_title(ax, positive)
    return label_axes(ax, "share of the rows alerted", "recall, precision", "best")
