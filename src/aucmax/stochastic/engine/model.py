"""The linear model of the stochastic methods: weights, their average, the classes' mean scores."""

from typing import NamedTuple, Protocol

import numpy as np

from ...kernels.jit import inlined
from ...kernels.vectors import inner_product

SCORE_MEMORY = 1000.0  # largest weight of a class in the mean scores, where no average is kept


class LinearModel(Protocol):
    """What is read from the model of a solver: the weights to publish, the last iterate, the threshold."""

    def result(self) -> np.ndarray: ...

    def last(self) -> np.ndarray: ...

    def threshold(self) -> float: ...


class MeanScores(NamedTuple):
    """Weighted sums of the scores of each class, each row scored when it was visited."""

    pos_sum: float = 0.0
    pos_weight: float = 0.0
    neg_sum: float = 0.0
    neg_weight: float = 0.0

    def midpoint(self) -> float:
        """Midway between the means of the classes; the mean of one class until both are known."""
        classes = (self.pos_sum, self.pos_weight), (self.neg_sum, self.neg_weight)
        means = [total / weight for total, weight in classes if weight > 0.0]
        return sum(means) / max(len(means), 1)


class Model(NamedTuple):
    """Weights ``w = scale * u``; the weighted sum of past iterates is ``average_scale * u + v``.

    With a common scale, shrinking all weights is one multiplication, so that a row costs O(its non-zeros).
    ``v`` is empty when no average is kept. ``sqnorm`` is ``|w|^2``, ``max_sqnorm`` the largest
    ``|x|^2`` of the ``n_seen`` rows so far.
    """

    u: np.ndarray
    v: np.ndarray
    radius: float = np.inf
    scale: float = 1.0
    sqnorm: float = 0.0
    average_scale: float = 0.0
    average_weight: float = 0.0
    max_sqnorm: float = 0.0
    scores: MeanScores = MeanScores()
    n_seen: int = 0

    @classmethod
    def at(cls, w: np.ndarray, *, average: bool, radius: float = np.inf) -> "Model":
        """A model that starts at ``w``."""
        return cls(w.copy(), np.zeros(len(w) if average else 0), radius, sqnorm=inner_product(w, w))

    def last(self) -> np.ndarray:
        """The last iterate."""
        return self.scale * self.u

    def result(self) -> np.ndarray:
        """The average of the iterates if one is kept and not empty, the last iterate otherwise."""
        if self.average_weight == 0.0 or not len(self.v):
            return self.last()
        return (self.average_scale * self.u + self.v) / self.average_weight

    def threshold(self) -> float:
        """Midway between the classes' mean scores."""
        return self.scores.midpoint()

    def moved_to(self, w: np.ndarray, scores: MeanScores) -> "Model":
        """The model with these weights, for methods that keep no average."""
        return self._replace(u=w, scale=1.0, sqnorm=inner_product(w, w), scores=scores)


@inlined
def update_mean_scores(scores, score, positive, weight, memory):
    """Add the score of a row; ``memory`` is the largest weight that a class keeps.

    Branch-free: labels are unpredictable, so a branch would be mispredicted.
    """
    to_pos = weight if positive else 0.0
    to_neg = weight - to_pos
    pos, pos_weight = scores.pos_sum + to_pos * score, scores.pos_weight + to_pos
    neg, neg_weight = scores.neg_sum + to_neg * score, scores.neg_weight + to_neg
    if memory < np.inf:
        keep_pos, keep_neg = memory / max(pos_weight, memory), memory / max(neg_weight, memory)
        return MeanScores(keep_pos * pos, keep_pos * pos_weight, keep_neg * neg, keep_neg * neg_weight)
    return MeanScores(pos, pos_weight, neg, neg_weight)


@inlined
def apply_scales(u, v, scale, average_scale):
    """Multiply the scales into the arrays: afterwards ``w = u`` and the sum of past iterates is ``v``."""
    for j in range(len(v)):
        v[j] += average_scale * u[j]
    for j in range(len(u)):
        u[j] *= scale
