"""Weighted class sums of the rows seen: counts, means, the largest row norm."""

from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .rows import Rows, axpy, square


class Tally(NamedTuple):
    """What one pass over the rows tells: sums of both classes, and the largest ``|x|^2``."""

    pos_sum: np.ndarray
    neg_sum: np.ndarray
    pos_weight: float = 0.0
    neg_weight: float = 0.0
    kappa2: float = 0.0

    @classmethod
    def empty(cls, n_features: int) -> "Tally":
        return cls(np.zeros(n_features), np.zeros(n_features))

    def copy(self) -> "Tally":
        return self._replace(pos_sum=self.pos_sum.copy(), neg_sum=self.neg_sum.copy())

    @property
    def p(self) -> float:
        """Weighted fraction of positives."""
        return self.pos_weight / (self.pos_weight + self.neg_weight)

    @property
    def pos_mean(self) -> np.ndarray:
        return self.pos_sum / (self.pos_weight or 1.0)

    @property
    def neg_mean(self) -> np.ndarray:
        return self.neg_sum / (self.neg_weight or 1.0)

    def midpoint(self, w: np.ndarray) -> float:
        """Midway between the classes' mean scores; the one mean while only one is known."""
        means = [m @ w for m, seen in ((self.pos_mean, self.pos_weight), (self.neg_mean, self.neg_weight)) if seen]
        return float(np.mean(means)) if means else 0.0


@kernel
def tally(X: Rows, y: np.ndarray, seen: Tally) -> Tally:
    """Add the rows to ``seen``, one after another: any chunking gives the same bits.

    ``y`` holds signed weights: ``+weight`` for a positive, ``-weight`` for a negative.
    """
    pos_sum, neg_sum, pos_weight, neg_weight, kappa2 = seen
    for i in range(len(y)):
        weight = abs(y[i])
        if weight == 0.0:
            continue
        if y[i] > 0.0:
            axpy(X, i, weight, pos_sum)
            pos_weight += weight
        else:
            axpy(X, i, weight, neg_sum)
            neg_weight += weight
        kappa2 = max(kappa2, square(X, i))
    return Tally(pos_sum, neg_sum, pos_weight, neg_weight, kappa2)
