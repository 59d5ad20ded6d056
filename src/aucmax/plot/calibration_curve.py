"""How often rows are positive, against their probabilities."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..metrics.wilson import wilson_interval
from ..validation.errors import DataError
from ..validation.labels import positive_mask
from ..validation.parameters import fraction, positive_integer
from ..validation.scores import check_same_length, check_scores
from .axes import Axes, draw_once, get_axes, label_axes, name_model, next_color, set_title

HISTOGRAM = "numbers of rows"
N_BARS = 40  # of the histogram


class CalibrationBins(NamedTuple):
    """Number of rows, mean probability and share of positives of each bin; the probabilities ascend."""

    rows: NDArray[np.int64]
    probability: NDArray[np.float64]
    share: NDArray[np.float64]

    @property
    def error(self) -> float:
        """Expected calibration error: mean over the rows of their bin's distance from the diagonal."""
        return float(np.average(np.abs(self.share - self.probability), weights=self.rows))


def calibration(
    y: ArrayLike,
    probability: ArrayLike,
    ax: "Axes | None" = None,
    band: bool = True,
    level: float = 0.95,
    *,
    bins: int = 10,
    label: str | None = None,
    color: str | None = None,
) -> "Axes":
    """Draw the share of positives against the probability, with the expected calibration error.

    Each bin has the same share of the rows that are positive by their probabilities and of those that are
    negative, both classes counted alike: with rare positives, bins of equally many rows would nearly all lie
    at the lower end. A histogram of the probabilities, on a logarithmic scale, is above the curve.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels; the larger one is positive.
    probability : array-like of shape (n,)
        Probability of the positive class, such as ``model.predict_proba(X)[:, 1]``.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure. Several models may share one.
    band, level : bool, default=True, and float, default=0.95
        Draw Wilson's interval of the share in each bin, with this confidence.
    bins : int, default=10
        Number of bins; rows of equal probability are never split, so there may be fewer.
    label, color : str, optional
        Name of the model in the legend, and its colour; by default one that the axes do not have yet.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from aucmax import plot
    >>> ax = plot.calibration([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2)
    """
    fraction.check("level", level)
    positive_integer.check("bins", bins)
    positive, values = positive_mask(y), _check_probabilities(probability)
    check_same_length(y=positive.size, probability=values.size)
    ax = get_axes(ax, (4.2, 4.6))
    color = color or next_color(ax)
    found = calibration_bins(positive, values, bins)
    if band:
        low, high = wilson_interval(found.share, found.rows, level)
        ax.vlines(found.probability, low, high, color=color, linewidth=1.2, alpha=0.6)
    draw_once(ax, [0, 1], [0, 1], "perfect")
    text = name_model(label, f"expected calibration error {found.error:.3f}")
    style: dict[str, Any] = {"color": color, "linewidth": 1.5, "marker": "o", "markersize": 4}
    ax.plot(found.probability, found.share, label=text, gid="model", **style)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    _draw_histogram(ax, values, color)
    set_title(ax, positive)
    return label_axes(ax, "probability", "share of positives", "upper left")


def calibration_bins(
    positive: NDArray[np.bool_], probability: NDArray[np.float64], bins: int
) -> CalibrationBins:
    """Rows of neighbouring probabilities together."""
    order = np.argsort(probability, kind="stable")
    ordered = probability[order]
    weight = ordered / (ordered.sum() or 1.0) + (1.0 - ordered) / ((1.0 - ordered).sum() or 1.0)
    share = np.cumsum(weight) - weight / 2
    number = (bins * share / weight.sum()).astype(np.int64)
    first = np.append(True, ordered[1:] != ordered[:-1])  # of the rows of equal probability
    number = number[np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))]
    starts = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    rows = np.diff(np.append(starts, len(order)))
    sums = (np.add.reduceat(part, starts) for part in (ordered, positive[order].astype(float)))
    return CalibrationBins(rows, *(each / rows for each in sums))


def _check_probabilities(probability: ArrayLike) -> NDArray[np.float64]:
    values = check_scores(probability, "probability").astype(np.float64)
    outside = (values < 0) | (values > 1)
    if outside.any():
        row = int(outside.argmax())
        raise DataError(
            f"probability is {values[row]:g} at row {row}", remedy="give numbers from 0 to 1, not scores"
        )
    return values


def _draw_histogram(ax: "Axes", values: NDArray, color: str) -> None:
    """Numbers of rows by probability, on axes above the given ones, which several models share."""
    above: Any = next((each for each in ax.child_axes if each.get_label() == HISTOGRAM), None)
    if above is None:
        above = ax.inset_axes((0, 1.03, 1, 0.16), sharex=ax, label=HISTOGRAM)
        above.set_yscale("log")
        above.tick_params(labelbottom=False, labelsize="x-small")
        above.set_ylabel("rows", fontsize="small")
        above.spines[["top", "right"]].set_visible(False)
    counts, edges = np.histogram(values, N_BARS, (0, 1))
    above.stairs(counts, edges, baseline=0.5, fill=True, color=color, alpha=0.35)
    above.stairs(counts, edges, baseline=0.5, color=color, linewidth=0.8)
    above.set_ylim(0.5, None)
