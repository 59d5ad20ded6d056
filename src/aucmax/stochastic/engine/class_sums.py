"""What one pass over the rows tells: class weights, class sums, the largest row norm."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import kernel
from ...kernels.rows import Rows, axpy, square


class ClassStatistics(NamedTuple):
    """Weighted sums of both classes, and the largest squared norm of a row."""

    pos_sum: np.ndarray
    neg_sum: np.ndarray
    pos_weight: float
    neg_weight: float
    kappa2: float

    @property
    def p(self) -> float:
        """Weighted fraction of positives."""
        return self.pos_weight / (self.pos_weight + self.neg_weight)

    @property
    def pos_mean(self) -> np.ndarray:
        return self.pos_sum / self.pos_weight

    @property
    def neg_mean(self) -> np.ndarray:
        return self.neg_sum / self.neg_weight


def class_statistics(X: Rows, y: np.ndarray, n_features: int) -> ClassStatistics:
    """Go over all rows; ``y`` holds signed weights, rows of weight zero are passed over."""
    return ClassStatistics(*_class_statistics(X, y, n_features))


@kernel
def _class_statistics(X, y, n_features):
    pos_sum, neg_sum = np.zeros(n_features), np.zeros(n_features)
    pos_weight, neg_weight, kappa2 = 0.0, 0.0, 0.0
    for i in range(len(y)):
        if y[i] > 0.0:
            axpy(X, i, y[i], pos_sum)
            pos_weight += y[i]
        elif y[i] < 0.0:
            axpy(X, i, -y[i], neg_sum)
            neg_weight -= y[i]
        if y[i] != 0.0:
            kappa2 = max(kappa2, square(X, i))
    return pos_sum, neg_sum, pos_weight, neg_weight, kappa2
