"""Where to cut scores into two classes."""

import numpy as np

from ..pairsums import Classes


def balanced_threshold(scores: np.ndarray, classes: Classes) -> float:
    """The cut with the best balanced accuracy on these scores, midway between two of them.

    Among equally good cuts the first is taken.
    """
    rows = np.concatenate((classes.pos, classes.neg))
    order = np.argsort(scores[rows], kind="stable")
    ranked = scores[rows[order]]
    share = np.concatenate((-classes.pos_weight, classes.neg_weight))[order]
    last = np.flatnonzero(np.append(ranked[1:] > ranked[:-1], True))
    gain = np.cumsum(share)[last]  # of predicting all up to here negative
    best = int(np.argmax(gain >= gain.max() - 1e-9))
    if last[best] == len(ranked) - 1:  # no cut is better than none
        return float(ranked[-1])
    return float(0.5 * (ranked[last[best]] + ranked[last[best] + 1]))
