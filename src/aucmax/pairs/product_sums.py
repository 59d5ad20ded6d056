"""Losses whose sum over all pairs follows from sums over each class: squared and exponential."""

import numpy as np

from .sums import Classes


def weighted_mean(weight: np.ndarray, x: np.ndarray) -> float:
    """Mean by weights that sum to one, without BLAS, whose threads cost more time here than they save."""
    return float(np.sum(weight * x))


class ProductSums:
    """A mean over pairs whose second derivative in the scores of a pair is ``factor * pos_i * neg_j``.

    ``pos`` and ``neg`` sum to one over their class.
    """

    _classes: Classes
    _factor: float
    _pos: np.ndarray
    _neg: np.ndarray

    def diagonal(self) -> np.ndarray:
        return self._classes.by_row(self._factor * self._pos, self._factor * self._neg)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        pos, neg = t[self._classes.pos], t[self._classes.neg]
        return self._classes.by_row(
            self._factor * self._pos * (pos - weighted_mean(self._neg, neg)),
            self._factor * self._neg * (neg - weighted_mean(self._pos, pos)),
        )


class SquaredSums(ProductSums):
    """The squared loss ``(1 - margin)^2``, from the mean and variance of each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        self._classes, self._factor = classes, 2.0
        self._pos, self._neg = classes.pos_weight, classes.neg_weight
        pos, neg = score[classes.pos], score[classes.neg]
        pos_mean, neg_mean = weighted_mean(self._pos, pos), weighted_mean(self._neg, neg)
        self._pos_deviation, self._neg_deviation = pos - pos_mean, neg - neg_mean
        self._mean_deficit = 1.0 - (pos_mean - neg_mean)  # mean of 1 - margin
        pos_variance = weighted_mean(self._pos, self._pos_deviation**2)
        neg_variance = weighted_mean(self._neg, self._neg_deviation**2)
        self.value = float(pos_variance + neg_variance + self._mean_deficit**2)

    def gradient(self) -> np.ndarray:
        return self._classes.by_row(
            2.0 * self._pos * (self._pos_deviation - self._mean_deficit),
            2.0 * self._neg * (self._neg_deviation + self._mean_deficit),
        )


class ExponentialSums(ProductSums):
    """The exponential loss ``exp(-margin)``, a product of one sum over each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        self._classes = classes
        pos, neg = -score[classes.pos], score[classes.neg]
        pos_max, neg_max = pos.max(), neg.max()
        self._pos = classes.pos_weight * np.exp(pos - pos_max)
        self._neg = classes.neg_weight * np.exp(neg - neg_max)
        pos_sum, neg_sum = self._pos.sum(), self._neg.sum()
        self._pos /= pos_sum
        self._neg /= neg_sum
        with np.errstate(over="ignore"):
            self.value = float(np.exp(pos_max + neg_max + np.log(pos_sum) + np.log(neg_sum)))
        self._factor = self.value

    def gradient(self) -> np.ndarray:
        return self._classes.by_row(-self.value * self._pos, self.value * self._neg)
