"""Quantities that the papers bound: duality gap, variance of the updates, distance to the optimum."""

from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq
from sklearn.utils.extmath import row_norms

from ..base import LinearAUCClassifier
from ..stochastic.engine.model import Model
from ..stochastic.solam import SOLAM, State

Matrix: TypeAlias = np.ndarray | sparse.csr_array


class SaddlePoint(NamedTuple):
    """A point of SOLAM's saddle problem."""

    w: np.ndarray
    a: float
    b: float
    alpha: float


class _Samples(NamedTuple):
    """Validated rows with weights that average one, their classes and the class means."""

    X: Matrix
    weight: np.ndarray
    positive: np.ndarray
    p: float
    pos_mean: np.ndarray
    neg_mean: np.ndarray

    @classmethod
    def validate(cls, X: Any, y: Any, sample_weight: Any) -> "_Samples":
        X, signed = LinearAUCClassifier()._validate(X, y, sample_weight)
        X, signed = X[signed != 0], signed[signed != 0]
        weight, positive = np.abs(signed), signed > 0
        means = (weight[rows] @ X[rows] / weight[rows].sum() for rows in (positive, ~positive))
        return cls(X, weight, positive, weight[positive].sum() / weight.sum(), *means)

    def covariance(self) -> np.ndarray:
        """The sum of the two classes' covariance matrices."""
        X = self.X if isinstance(self.X, np.ndarray) else self.X.toarray()
        centred = X - np.where(self.positive[:, None], self.pos_mean, self.neg_mean)
        share = self.weight / np.where(self.positive, self.p, 1.0 - self.p) / len(self.weight)
        return (share * centred.T) @ centred

    def score_derivatives(self, w: np.ndarray) -> np.ndarray:
        """Each row's derivative of the loss in its score, times its weight."""
        p, score = self.p, self.X @ w
        pos = 2.0 * (1.0 - p) * (score - 1.0 - w @ self.neg_mean)
        neg = 2.0 * p * (score + 1.0 - w @ self.pos_mean)
        return self.weight * np.where(self.positive, pos, neg)


def saddle_point(model: SOLAM) -> SaddlePoint:
    """The average point of a ``SOLAM`` fitted with ``average=True``, whose duality gap its paper bounds."""
    state, weight = cast(State, model._solver.state), cast(Model, model._solver.model).average_weight
    return SaddlePoint(model.coef_[0], state.sum_a / weight, state.sum_b / weight, state.sum_alpha / weight)


def duality_gap(point: SaddlePoint, X: Any, y: Any, *, radius: float, sample_weight: Any = None) -> float:
    """Duality gap of SOLAM's saddle problem on given rows, equation (15) of its paper.

    The largest value over alpha at the point's w, a, b, minus the smallest value over w, a, b at its alpha:
    zero at the saddle point and positive elsewhere. The ball of ``radius`` must contain ``point.w``, and
    ``point.a`` and ``point.b`` must be within ``radius`` times the largest row norm. It forms a matrix of
    all pairs of columns.
    """
    samples = _Samples.validate(X, y, sample_weight)
    w, pos, neg, p = point.w, samples.pos_mean, samples.neg_mean, samples.p
    difference, bound = w @ (neg - pos), 2.0 * radius * row_norms(samples.X).max()
    best_alpha = np.clip(difference, -bound, bound)
    covariance = samples.covariance()
    quadratic = w @ covariance @ w + (w @ pos - point.a) ** 2 + (w @ neg - point.b) ** 2
    largest = quadratic + 2.0 * (1.0 + best_alpha) * difference - best_alpha**2
    # For each w the minimum over a and b is at a = w . m+ and b = w . m-, which are always within the bounds.
    linear = (1.0 + point.alpha) * (neg - pos)
    smallest = _minimum_on_ball(covariance, linear, radius) - point.alpha**2
    return float(p * (1.0 - p) * (largest - smallest))


def update_variance(
    w: np.ndarray, X: Any, y: Any, *, anchor: np.ndarray | None = None, sample_weight: Any = None
) -> float:
    """Variance of SPAM's update at ``w``, or of VRSPAM's with the full gradient taken at ``anchor``.

    The mean squared distance of the update of a random row from the gradient, as in Lemma 1 of VRSPAM's
    paper. With an anchor it tends to zero as ``w`` and the anchor approach the minimiser.
    """
    samples = _Samples.validate(X, y, sample_weight)
    change = samples.score_derivatives(w)
    if anchor is not None:
        change = change - samples.score_derivatives(anchor)
    mean = change @ samples.X / len(change)
    return float(np.mean(change**2 * row_norms(samples.X, squared=True)) - mean @ mean)


def relative_distance(w: np.ndarray, best: np.ndarray) -> float:
    """Distance of ``w`` to ``best``, relative to the norm of ``best``."""
    return float(np.linalg.norm(w - best) / np.linalg.norm(best))


def _minimum_on_ball(C: np.ndarray, g: np.ndarray, radius: float) -> float:
    """Smallest value of ``w'C w + 2 g.w`` on the ball, by a Lagrange multiplier in the eigenvectors of C."""
    if not g.any():
        return 0.0
    values, vectors = eigh(C)
    values, c = np.maximum(values, 0.0), g @ vectors

    def excess_norm(multiplier: float) -> float:
        return float(np.linalg.norm(c / (values + multiplier))) - radius

    highest = float(np.linalg.norm(c)) / radius
    lowest = 1e-14 * highest
    inside = excess_norm(lowest) <= 0.0
    multiplier = lowest if inside else brentq(excess_norm, lowest, highest, xtol=1e-300)
    z = -c / (values + multiplier)
    return float(values @ z**2 + 2.0 * c @ z)
