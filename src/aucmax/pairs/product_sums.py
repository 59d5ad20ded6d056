"""Losses whose sum over all pairs follows from sums over each class: squared and exponential."""

import numpy as np

from .sums import Classes


class ProductSums:
    """A mean over pairs whose second derivative in the scores of a pair is ``factor * pos_i * neg_j``.

    ``pos`` and ``neg`` sum to one over their class.
    """

    def __init__(self, classes: Classes, factor: float, pos: np.ndarray, neg: np.ndarray) -> None:
        self._classes, self._factor, self._pos, self._neg = classes, factor, pos, neg
        self.neg_rows, self.neg_weight = classes.neg, classes.neg_weight

    def _mean(self, weight: np.ndarray, x: np.ndarray) -> float:
        """Mean by weights that sum to one, without BLAS, whose threads cost more time here than they save."""
        return float(self._classes.xp.sum(weight * x))

    def diagonal(self) -> np.ndarray:
        return self._classes.by_row(self._factor * self._pos, self._factor * self._neg)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        pos, neg = t[self._classes.pos], t[self._classes.neg]
        return self._classes.by_row(
            self._factor * self._pos * (pos - self._mean(self._neg, neg)),
            self._factor * self._neg * (neg - self._mean(self._pos, pos)),
        )


class SquaredSums(ProductSums):
    """The squared loss ``(1 - margin)^2``, from the mean and variance of each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        super().__init__(classes, 2.0, classes.pos_weight, classes.neg_weight)
        pos, neg = score[classes.pos], score[classes.neg]
        pos_mean, neg_mean = self._mean(self._pos, pos), self._mean(self._neg, neg)
        self._pos_deviation, neg_deviation = pos - pos_mean, neg - neg_mean
        self._mean_deficit = 1.0 - (pos_mean - neg_mean)  # mean of 1 - margin
        self._negative_deficits = neg_deviation + self._mean_deficit  # the same for each negative
        self._pos_variance = self._mean(self._pos, self._pos_deviation**2)
        neg_variance = self._mean(self._neg, neg_deviation**2)
        self.value = float(self._pos_variance + neg_variance + self._mean_deficit**2)

    def gradient(self) -> np.ndarray:
        return self._classes.by_row(
            2.0 * self._pos * (self._pos_deviation - self._mean_deficit),
            2.0 * self._neg * self._negative_deficits,
        )

    def negative_losses(self) -> np.ndarray:
        return self._pos_variance + self._negative_deficits**2

    def negative_slopes(self, t: np.ndarray) -> np.ndarray:
        pos, neg = t[self._classes.pos], t[self._classes.neg]
        covariance = self._mean(self._pos, self._pos_deviation * pos)
        return 2.0 * (self._negative_deficits * (neg - self._mean(self._pos, pos)) + covariance)

    def combine_negative_slopes(self, u: np.ndarray) -> np.ndarray:
        deficits = u * self._negative_deficits
        of_pos = 2.0 * self._pos * (u.sum() * self._pos_deviation - deficits.sum())
        return self._classes.by_row(of_pos, 2.0 * deficits)

    def reweighted(self, neg_weight: np.ndarray) -> ProductSums:
        total = float(neg_weight.sum())
        return ProductSums(self._classes, 2.0 * total, self._pos, neg_weight / total)


class ExponentialSums(ProductSums):
    """The exponential loss ``exp(-margin)``, a product of one sum over each class."""

    def __init__(self, classes: Classes, score: np.ndarray) -> None:
        xp, pos, neg = classes.xp, -score[classes.pos], score[classes.neg]
        pos_max, neg_max = float(xp.max(pos)), float(xp.max(neg))
        of_pos = classes.pos_weight * xp.exp(pos - pos_max)
        of_neg = classes.neg_weight * xp.exp(neg - neg_max)
        pos_sum, neg_sum = float(xp.sum(of_pos)), float(xp.sum(of_neg))
        with np.errstate(over="ignore"):
            self.value = float(np.exp(pos_max + neg_max + np.log(pos_sum) + np.log(neg_sum)))
        super().__init__(classes, self.value, of_pos / pos_sum, of_neg / neg_sum)
        self._score, self._log_pos = score, pos_max + np.log(pos_sum)  # of sum_i a_i exp(-s_i)

    def gradient(self) -> np.ndarray:
        return self._classes.by_row(-self.value * self._pos, self.value * self._neg)

    def negative_losses(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.exp(self._score[self._classes.neg] + self._log_pos)

    def negative_slopes(self, t: np.ndarray) -> np.ndarray:
        pos, neg = t[self._classes.pos], t[self._classes.neg]
        return self.negative_losses() * (neg - self._mean(self._pos, pos))

    def combine_negative_slopes(self, u: np.ndarray) -> np.ndarray:
        of_neg = u * self.negative_losses()
        return self._classes.by_row(-of_neg.sum() * self._pos, of_neg)

    def reweighted(self, neg_weight: np.ndarray) -> "ExponentialSums":
        return ExponentialSums(self._classes._replace(neg_weight=neg_weight), self._score)
