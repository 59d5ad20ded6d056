"""Small samples of two classes with ties, and their placements over all pairs."""

import numpy as np


def placements(y, score):
    """For each positive and each negative, the share of correctly ordered pairs."""
    pos, neg = score[y == 1][:, None], score[y == 0][None, :]
    won = (pos > neg) + 0.5 * (pos == neg)
    return won.mean(axis=1), won.mean(axis=0)


def problem(seed, n_pos=12, n_neg=30, shift=1.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    return y, np.round(rng.normal(size=y.size) + shift * y, 1)
