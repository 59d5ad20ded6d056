"""The latest scores of each class, which a new row is compared with."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined
from ..metrics.prequential import PrequentialAUC
from .constants import FARTHEST, HISTORY, RECENT


class RecentScores(NamedTuple):
    """The latest scores of each class (negative, positive), the oldest overwritten first.

    ``scores`` are those of the last iterate, of new and replayed rows; a weight of zero marks a free place.
    ``prequential`` has decisions of the averaged model, on new rows only. ``history`` has more of them, less
    the mean of the classes' means, weighted by the row numbers too: those of a young model say little.
    """

    scores: np.ndarray
    weights: np.ndarray
    history: np.ndarray
    history_weights: np.ndarray
    prequential: PrequentialAUC

    @classmethod
    def empty(cls) -> "RecentScores":
        (scores, weights), (history, history_weights) = np.zeros((2, 2, RECENT)), np.zeros((2, 2, HISTORY))
        return cls(scores, weights, history, history_weights, PrequentialAUC.empty(RECENT))


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
def add_decision(state, classes, c, decision, weight, recent):
    """Add the decision on a new row to the history of its class, for the probabilities."""
    place = recent.prequential.scored[c] % HISTORY
    state.gap = classes[1].mean_decision - classes[0].mean_decision
    distance = decision - 0.5 * (classes[0].mean_decision + classes[1].mean_decision)
    recent.history[c, place] = min(max(distance, -FARTHEST), FARTHEST)
    recent.history_weights[c, place] = weight * state.newest * state.rows
