"""The threshold on the scores that separates the two classes."""

from typing import Any

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.jit import kernel
from ..pairs.array_classes import ArrayClasses
from ..pairs.sorted_sums import sort_class
from ..pairs.sums import Classes

ROUNDING = 1e-9  # must not decide between equally good thresholds


def balanced_threshold(scores: np.ndarray, classes: Classes) -> float:
    """The threshold with the best balanced accuracy on these scores, midway between two of them.

    Among equally good thresholds the lowest is taken.
    """
    if isinstance(classes, ArrayClasses):
        return _array_threshold(scores, classes)
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
        if gain > best + ROUNDING:
            best = gain
            above = neg[j] if i == len(pos) else pos[i] if j == len(neg) else min(pos[i], neg[j])
            threshold = level + 0.5 * (above - level)
    return threshold


def _array_threshold(scores: Any, classes: ArrayClasses) -> float:
    xp = classes.xp
    scores = xp.concat([scores[classes.pos], scores[classes.neg]])
    order = xp.argsort(scores)
    scores = scores[order]
    gain = xp.cumulative_sum(xp.concat([-classes.pos_weight, classes.neg_weight])[order])
    last = xp.concat([scores[1:] > scores[:-1], xp.ones_like(scores[:1], dtype=xp.bool)])  # of equal scores
    gain = xp.where(last, gain, xp.full_like(gain, -1.0))
    best = float(xp.max(gain))
    if best <= ROUNDING:
        return float(scores[0]) - 1.0
    found = int(xp.argmax(xp.astype(gain >= best - ROUNDING, xp.int8)))
    level = float(scores[found])
    return level + 0.5 * (float(scores[found + 1]) - level)
