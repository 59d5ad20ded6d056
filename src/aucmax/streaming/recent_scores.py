"""The latest scores of each class, which a new row is compared with."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined
from ..metrics.prequential import PrequentialAUC
from .constants import HISTORY, MAX_DISTANCE, RECENT


class RecentScores(NamedTuple):
    """The latest scores of each class (negative, positive), the oldest overwritten first.

    ``scores`` are those of the last iterate, of new and replayed rows; a weight of zero marks a free place.
    ``prequential`` has decisions on new rows, ``history`` more of them, less the middle between the classes'
    means; there they are weighted by the row numbers too, as those of a young model say little.
    """

    scores: np.ndarray
    weights: np.ndarray
    history: np.ndarray
    history_weights: np.ndarray
    prequential: PrequentialAUC

    @classmethod
    def empty(cls) -> "RecentScores":
        recent, history = np.zeros((2, 2, RECENT)), np.zeros((2, 2, HISTORY))
        return cls(recent[0], recent[1], history[0], history[1], PrequentialAUC.empty(RECENT))


@inlined
def add_score(state, classes, c, score, decision, weight, recent):
    """Add a score to the latest ones of its class, and a decision to the mean of its class."""
    place = int(classes[c].n_scores) % RECENT
    recent.scores[c, place] = score
    recent.weights[c, place] = weight * state.weight_unit
    classes[c].n_scores += 1.0
    rate = min(weight / min(classes[c].n_scores, float(HISTORY)), 1.0)
    classes[c].mean_decision += rate * (decision - classes[c].mean_decision)


@inlined
def add_decision(state, classes, c, decision, weight, recent):
    """Add the decision on a new row to the history of its class; ``count_pairs`` will then count it."""
    place = recent.prequential.n_scored[c] % HISTORY
    state.last_gap = classes[1].mean_decision - classes[0].mean_decision
    distance = decision - 0.5 * (classes[0].mean_decision + classes[1].mean_decision)
    recent.history[c, place] = min(max(distance, -MAX_DISTANCE), MAX_DISTANCE)
    recent.history_weights[c, place] = weight * state.weight_unit * state.rows
