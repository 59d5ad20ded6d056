"""The latest scores of each class, which a new row is compared with."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined
from ..metrics.close_pairs import close_pairs
from .constants import FARTHEST, HISTORY, RECENT


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


@inlined
def add_score(state, classes, c, score, decision, weight, recent):
    """Add a score to the latest ones of its class, and a decision to their mean."""
    place = int(classes[c].scores) % RECENT
    recent.scores[c, place] = score
    recent.weights[c, place] = weight * state.newest
    classes[c].scores += 1.0
    rate = min(weight / min(classes[c].scores, float(HISTORY)), 1.0)
    classes[c].mean_decision += rate * (decision - classes[c].mean_decision)


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
