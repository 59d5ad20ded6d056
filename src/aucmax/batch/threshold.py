"""The threshold on the scores that separates the two classes."""

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.jit import kernel
from ..pairs.sorted_sums import sort_class
from ..pairs.sums import Classes


def balanced_threshold(scores: np.ndarray, classes: Classes) -> float:
    """The threshold with the best balanced accuracy on these scores, midway between two of them.

    Among equally good thresholds the lowest is taken.
    """
    with defer_interrupts():
        pos = sort_class(scores, classes.pos, classes.pos_weight)
        neg = sort_class(scores, classes.neg, classes.neg_weight)
        return float(_best_threshold(pos.score, pos.weight, neg.score, neg.weight))


@kernel
def _best_threshold(pos, pos_weight, neg, neg_weight):
    i, j, gain, best = 0, 0, 0.0, 0.0
    threshold = min(pos[0], neg[0]) - 1.0  # below all: if no threshold gains, all rows are positive
    while i < len(pos) or j < len(neg):
        level = neg[j] if i == len(pos) else pos[i] if j == len(neg) else min(pos[i], neg[j])
        while i < len(pos) and pos[i] == level:
            gain -= pos_weight[i]
            i += 1
        while j < len(neg) and neg[j] == level:
            gain += neg_weight[j]
            j += 1
        if gain > best + 1e-9:  # rounding must not decide between equally good thresholds
            best = gain
            above = neg[j] if i == len(pos) else pos[i] if j == len(neg) else min(pos[i], neg[j])
            threshold = level + 0.5 * (above - level)
    return threshold
