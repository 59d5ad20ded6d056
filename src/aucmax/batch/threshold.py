"""Where to cut scores into two classes."""

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.jit import kernel
from ..pairs.sorted_sums import ascending
from ..pairs.sums import Classes


def balanced_threshold(scores: np.ndarray, classes: Classes) -> float:
    """The cut with the best balanced accuracy on these scores, midway between two of them.

    Among equally good cuts the lowest is taken.
    """
    with defer_interrupts():
        _, pos, pos_weight = ascending(scores, classes.pos, classes.pos_weight)
        _, neg, neg_weight = ascending(scores, classes.neg, classes.neg_weight)
        return float(_best_cut(pos, pos_weight, neg, neg_weight))


@kernel
def _best_cut(pos, pos_weight, neg, neg_weight):
    i, j, gain, best = 0, 0, 0.0, 0.0
    cut = min(pos[0], neg[0]) - 1.0  # below all: where no cut gains, all are positive
    while i < len(pos) or j < len(neg):
        level = neg[j] if i == len(pos) else pos[i] if j == len(neg) else min(pos[i], neg[j])
        while i < len(pos) and pos[i] == level:
            gain -= pos_weight[i]
            i += 1
        while j < len(neg) and neg[j] == level:
            gain += neg_weight[j]
            j += 1
        # Rounding must not decide between cuts that are equally good.
        if gain > best + 1e-9:
            best = gain
            above = neg[j] if i == len(pos) else pos[i] if j == len(neg) else min(pos[i], neg[j])
            cut = level + 0.5 * (above - level)
    return cut
