"""What each class's latest scores say about a new one: the slope of the loss, and the prequential AUC."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..pairs.losses import Loss
from .constants import FARTHEST, HISTORY, LARGEST_MARGIN, MARGINS, MAX_GAP, RECENT


class RecentScores(NamedTuple):
    """The latest scores of each class (negative, positive), the oldest overwritten first.

    ``scores`` are those of the last iterate, of new and replayed rows; a weight of zero marks a free place.
    ``decisions`` are those of the averaged model for new rows only, with the row numbers they came at.
    ``history`` has more of them, as distances from the middle of the classes' means, and their weights times
    the row numbers: decisions of a young model say little about later ones.
    """

    scores: np.ndarray
    weights: np.ndarray
    decisions: np.ndarray
    decision_weights: np.ndarray
    decision_rows: np.ndarray
    history: np.ndarray
    history_weights: np.ndarray

    @classmethod
    def empty(cls) -> "RecentScores":
        return cls(*np.zeros((5, 2, RECENT)), *np.zeros((2, 2, HISTORY)))


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
    return pieces[(pieces[:, 2] != 0.0) | (widths.cumsum() == widths[0])], at_zero  # at least the first


def _knots(values: np.ndarray, start: int, stop: int) -> list[int]:
    """Where to bend a line from ``start`` so that it stays close to the values; the last is ``stop``."""
    gaps = np.abs(values[start : stop + 1] - np.linspace(values[start], values[stop], stop + 1 - start))
    if gaps.max() <= MAX_GAP:
        return [stop]
    bend = start + int(gaps.argmax())
    return _knots(values, start, bend) + _knots(values, bend, stop)


@vectorised
def mean_slope(pieces, score, sign, other, scores, weights, newest):
    """Mean slope of the loss over the pairs of a score with the other class's recent ones.

    ``newest`` is the weight of a row that comes now: where less than that is left of the other class, the
    rest is forgotten and counts as no slope.
    """
    weight, change = 0.0, 0.0
    for p in range(len(pieces)):
        start, width, rate = pieces[p, 0], pieces[p, 1], pieces[p, 2]
        for k in range(RECENT):
            margin = sign * (score - scores[other, k])
            change += weights[other, k] * (rate * min(max(margin - start, 0.0), width))
            weight += weights[other, k]
    weight /= len(pieces)
    return (weight + change) / max(weight, newest)


@vectorised
def close_pairs(decision, other, decisions, weights, rows, row, common, limit):
    """Weight of the other class's decisions close to ``row`` that are lower; of all close ones; their number.

    Rows are close if their distance times ``common`` is at most ``limit``: integers while nothing is
    forgotten, so that no rounding decides. A tie counts half.
    """
    lower, all_close, number = 0.0, 0.0, 0.0
    for k in range(RECENT):
        weight = weights[other, k] if (row - rows[other, k]) * common <= limit else 0.0
        lower += weight if decision > decisions[other, k] else 0.0
        lower += weight if decision >= decisions[other, k] else 0.0
        all_close += weight
        number += 1.0 if weight > 0.0 else 0.0
    return 0.5 * lower, all_close, number


@inlined
def count_prequential(state, classes, c, decision, weight, recent):
    """Compare a new row's decision with the other class's latest ones, then add it to its own.

    Only pairs close in time count, within the rows in which so many of the common class come on average: a
    positive may come before or after a negative alike, so that decisions which rise or fall with time do not
    help either class, and both are those of nearly the same model.
    """
    other = 1 - c
    common = max(classes[0].faded_rows, classes[1].faded_rows)
    decisions = recent.decisions, recent.decision_weights, recent.decision_rows
    window = state.rows, common, RECENT * state.faded_rows
    lower, all_close, number = close_pairs(decision, other, *decisions, *window)
    state.pairs_in_order += weight * (lower if c == 1 else all_close - lower)
    state.pairs += weight * all_close
    state.close_pairs += number
    state.mixed_pairs += min(RECENT * classes[other].faded_rows / common, classes[other].decisions)
    place = int(classes[c].decisions) % RECENT
    recent.decisions[c, place] = decision
    recent.decision_weights[c, place] = weight * state.newest
    recent.decision_rows[c, place] = state.rows
    place = int(classes[c].decisions) % HISTORY
    state.gap = classes[1].mean_decision - classes[0].mean_decision
    distance = decision - 0.5 * (classes[0].mean_decision + classes[1].mean_decision)
    recent.history[c, place] = min(max(distance, -FARTHEST), FARTHEST)
    recent.history_weights[c, place] = weight * state.newest * state.rows
    classes[c].decisions += 1.0
