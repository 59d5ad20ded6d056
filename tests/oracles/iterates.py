"""What the methods share: averages of iterates, the L2 ball, statistics of the whole data."""

import numpy as np


class Average:
    """The weighted mean of vectors, kept as a plain sum."""

    def __init__(self, n_features):
        self.total, self.weight = np.zeros(n_features), 0.0

    def add(self, w, gamma):
        self.total, self.weight = self.total + gamma * w, self.weight + gamma

    @property
    def mean(self):
        return self.total / self.weight


def project(w, radius):
    """Nearest point of the L2 ball."""
    norm = np.linalg.norm(w)
    return w if norm <= radius else w * (radius / norm)


def statistics(X, y, weights=None):
    """Weights scaled to mean one, largest squared row norm, class means, fraction of positives."""
    weights = np.ones(len(y)) if weights is None else weights / weights.mean()
    pos, neg = np.where(y > 0, weights, 0), np.where(y > 0, 0, weights)
    return dict(
        weights=weights,
        kappa2=(X**2).sum(1).max(),
        m_pos=pos @ X / pos.sum(),
        m_neg=neg @ X / neg.sum(),
        p=pos.sum() / weights.sum(),
    )
