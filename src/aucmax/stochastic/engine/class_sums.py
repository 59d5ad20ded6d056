"""Sums over the rows of each class: class weights, sums of rows, the largest row norm."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import Rows, axpy, sqnorm


class ClassSums(NamedTuple):
    """Weighted sums of the rows of each class."""

    pos: np.ndarray
    neg: np.ndarray

    @classmethod
    def zeros(cls, n_features: int) -> "ClassSums":
        return cls(np.zeros(n_features), np.zeros(n_features))


class ClassStatistics(NamedTuple):
    """Weighted sums of both classes, and the largest squared norm of a row."""

    sums: ClassSums
    pos_weight: float
    neg_weight: float
    max_sqnorm: float

    @property
    def p(self) -> float:
        """Weighted fraction of positives."""
        return self.pos_weight / (self.pos_weight + self.neg_weight)

    @property
    def pos_mean(self) -> np.ndarray:
        return self.sums.pos / self.pos_weight

    @property
    def neg_mean(self) -> np.ndarray:
        return self.sums.neg / self.neg_weight


def class_statistics(X: Rows, y: np.ndarray, n_features: int) -> ClassStatistics:
    """Statistics of all rows; ``y`` holds signed weights, and rows of weight zero are ignored."""
    sums = ClassSums.zeros(n_features)
    return ClassStatistics(sums, *_add_rows(X, y, sums.pos, sums.neg))


@kernel
def _add_rows(X, y, pos_sum, neg_sum):
    """Add the rows to the sums of their classes; return the classes' weights and the largest squared norm."""
    pos_weight, neg_weight, max_sqnorm = 0.0, 0.0, 0.0
    for i in range(len(y)):
        if y[i] == 0.0:
            continue
        add_to_class_sum(X, i, y[i], pos_sum, neg_sum)
        if y[i] > 0.0:
            pos_weight += y[i]
        else:
            neg_weight -= y[i]
        max_sqnorm = max(max_sqnorm, sqnorm(X, i))
    return pos_weight, neg_weight, max_sqnorm


@inlined
def add_to_class_sum(X, i, signed_weight, pos_sum, neg_sum):
    """Add a row, times its weight, to the sum of its class."""
    axpy(X, i, abs(signed_weight), pos_sum if signed_weight > 0.0 else neg_sum)
