"""Losses whose sum over all pairs follows from one sum over each class: squared and exponential."""

import numpy as np

from .sums import Classes


def mean(weight: np.ndarray, x: np.ndarray) -> float:
    """Weighted mean; summed by NumPy, since threads of BLAS cost more than they give here."""
    return float(np.sum(weight * x))


class SquaredSums:
    """The squared loss ``(1 - margin)^2``, from the mean and variance of each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        self._classes = classes
        pos, neg = score[classes.pos], score[classes.neg]
        pos_mean, neg_mean = mean(classes.pos_weight, pos), mean(classes.neg_weight, neg)
        self._pos, self._neg, self._short = pos - pos_mean, neg - neg_mean, 1.0 - (pos_mean - neg_mean)
        variance = mean(classes.pos_weight, self._pos**2) + mean(classes.neg_weight, self._neg**2)
        self.value = float(variance + self._short**2)

    def gradient(self) -> np.ndarray:
        c = self._classes
        return c.spread(
            2.0 * c.pos_weight * (self._pos - self._short), 2.0 * c.neg_weight * (self._neg + self._short)
        )

    def diagonal(self) -> np.ndarray:
        c = self._classes
        return c.spread(2.0 * c.pos_weight, 2.0 * c.neg_weight)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        c = self._classes
        pos, neg = t[c.pos], t[c.neg]
        return c.spread(
            2.0 * c.pos_weight * (pos - mean(c.neg_weight, neg)),
            2.0 * c.neg_weight * (neg - mean(c.pos_weight, pos)),
        )


class ExponentialSums:
    """The exponential loss ``exp(-margin)``, a product of one sum over each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        self._classes = classes
        pos, neg = -score[classes.pos], score[classes.neg]
        pos_top, neg_top = pos.max(), neg.max()
        self._pos = classes.pos_weight * np.exp(pos - pos_top)
        self._neg = classes.neg_weight * np.exp(neg - neg_top)
        pos_sum, neg_sum = self._pos.sum(), self._neg.sum()
        self._pos /= pos_sum
        self._neg /= neg_sum
        with np.errstate(over="ignore"):
            self.value = float(np.exp(pos_top + neg_top + np.log(pos_sum) + np.log(neg_sum)))

    def gradient(self) -> np.ndarray:
        return self._classes.spread(-self.value * self._pos, self.value * self._neg)

    def diagonal(self) -> np.ndarray:
        return self._classes.spread(self.value * self._pos, self.value * self._neg)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        c = self._classes
        pos, neg = t[c.pos], t[c.neg]
        return c.spread(
            self.value * self._pos * (pos - mean(self._neg, neg)),
            self.value * self._neg * (neg - mean(self._pos, pos)),
        )
