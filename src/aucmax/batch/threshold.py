"""The threshold on the scores that separates the two classes."""

from typing import Any

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.sorting import argsort
from ..pairs.array_sums import ArrayClasses
from ..pairs.sums import Classes

ROUNDING = 1e-9  # must not decide between equally good thresholds


def balanced_threshold(scores: Any, classes: Classes | ArrayClasses) -> float:
    """The threshold with the best balanced accuracy on these scores, midway between two of them.

    Among equally good thresholds the lowest is taken.
    """
    pos, neg = classes.pos, classes.neg
    if isinstance(classes, ArrayClasses):
        xp = classes.xp
        scores = xp.concat([scores[pos], scores[neg]])
        order = xp.argsort(scores)
        gain = xp.cumulative_sum(xp.concat([-classes.pos_weight, classes.neg_weight])[order])
        return _best_threshold(xp, scores[order], gain)
    with defer_interrupts():
        order, scores = argsort(np.concatenate([scores[pos], scores[neg]]))
        gain = np.cumsum(np.concatenate([-classes.pos_weight, classes.neg_weight])[order])
        return _best_threshold(np, scores, gain)


def _best_threshold(xp: Any, scores: Any, gain: Any) -> float:
    """The threshold above the score of the largest gain; ``scores`` ascend.

    The gain of a score is the weight of the negatives less that of the positives up to it.
    """
    nothing = xp.full_like(gain[:-1], -1.0)
    gain = xp.where(scores[1:] > scores[:-1], gain[:-1], nothing)  # no threshold parts equal scores
    best = float(xp.max(gain))
    if best <= ROUNDING:
        return float(scores[0]) - 1.0  # below all: if no threshold gains, all rows are positive
    found = int(xp.argmax(xp.where(gain >= best - ROUNDING, xp.ones_like(gain), nothing)))
    level = float(scores[found])
    return level + 0.5 * (float(scores[found + 1]) - level)
