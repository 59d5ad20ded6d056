"""The slope of any convex loss in a few straight pieces; its mean over the pairs of a score with others."""

from functools import lru_cache

import numpy as np

from ..kernels.jit import vectorised
from .losses import Loss

# Margins at which the slope of a loss is looked at, from 0 to the largest, and how far lines may be from it.
MARGINS, LARGEST_MARGIN, MAX_GAP = 1025, 16.0, 1.0 / 64


@lru_cache(maxsize=32)
def slope_pieces(loss: Loss) -> tuple[np.ndarray, float]:
    """The slope of the loss in units of that at 0, as a piecewise linear function; and that at 0.

    Each row is a piece: the margin where it starts, its width, and the rate at which the slope changes. Few
    pieces suffice, the squared hinge has one, and reading a table would take several times as long. Margins
    below 0 count as 0, and no slope is larger than at 0: a pair far out of order, an outlier perhaps, counts
    no more than a tie.
    """
    margins = np.linspace(0.0, LARGEST_MARGIN, MARGINS)
    with np.errstate(all="ignore"):
        derivatives = -np.asarray(loss.derivative(margins), dtype=float)
        slopes, at_zero = np.clip(derivatives / derivatives[0], -1.0, 1.0), float(derivatives[0])
    if not (at_zero > 0.0 and np.isfinite(derivatives).all()):
        raise ValueError(
            f"loss={loss!r} has no finite derivative at margins from 0 to {margins[-1]:g}, or does not "
            "decrease at 0; OnlineAUCClassifier needs both."
        )
    knots = [0, *_knots(slopes, 0, MARGINS - 1)]
    widths = np.diff(margins[knots])
    pieces = np.column_stack([margins[knots[:-1]], widths, np.diff(slopes[knots]) / widths])
    return pieces[(pieces[:, 2] != 0.0) | (pieces[:, 0] == 0.0)], at_zero  # at least the first


def _knots(values: np.ndarray, start: int, stop: int) -> list[int]:
    """Where to bend a line from ``start`` so that it stays close to the values; the last is ``stop``."""
    gaps = np.abs(values[start : stop + 1] - np.linspace(values[start], values[stop], stop + 1 - start))
    if gaps.max() <= MAX_GAP:
        return [stop]
    bend = start + int(gaps.argmax())
    return _knots(values, start, bend) + _knots(values, bend, stop)


@vectorised
def mean_slope(pieces, score, sign, other, scores, weights, least):
    """Mean slope over the pairs of a score with weighted ones, those of class ``other``.

    Where their weights sum to less than ``least``, the rest counts as pairs without a slope.
    """
    weight, change = 0.0, 0.0
    for p in range(len(pieces)):
        start, width, rate = pieces[p, 0], pieces[p, 1], pieces[p, 2]
        for k in range(scores.shape[1]):
            margin = sign * (score - scores[other, k])
            change += weights[other, k] * (rate * min(max(margin - start, 0.0), width))
            weight += weights[other, k]
    weight /= len(pieces)
    return (weight + change) / max(weight, least)
