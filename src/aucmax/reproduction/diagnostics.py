"""Quantities that the papers bound: duality gap, variance of the updates, distance to the optimum."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import sparse
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import brentq
from sklearn.utils.extmath import row_norms

from ..base import LinearAUCClassifier
from ..batch.classifier import AUCClassifier
from ..stochastic.engine.model import Model
from ..stochastic.solam import SOLAM, State

Matrix: TypeAlias = np.ndarray | sparse.csr_array
MOST_LANCZOS_STEPS = 300  # enough for the minimum on a ball, to rounding, on the papers' data


class SaddlePoint(NamedTuple):
    """A point of SOLAM's saddle problem."""

    w: np.ndarray
    a: float
    b: float
    alpha: float


class _Samples(NamedTuple):
    """Rows, their weights of mean one, their classes, and the class means."""

    X: Matrix
    weight: np.ndarray
    positive: np.ndarray
    p: float
    pos_mean: np.ndarray
    neg_mean: np.ndarray

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any) -> "_Samples":
        X, signed = LinearAUCClassifier()._validate(X, y, sample_weight)
        X, signed = X[signed != 0], signed[signed != 0]
        weight, positive = np.abs(signed), signed > 0
        means = (weight[rows] @ X[rows] / weight[rows].sum() for rows in (positive, ~positive))
        return cls(X, weight, positive, weight[positive].sum() / weight.sum(), *means)

    def covariance_product(self, v: np.ndarray) -> np.ndarray:
        """The sum of the two classes' covariance matrices, times ``v``."""
        share = self.weight / np.where(self.positive, self.p, 1.0 - self.p) / len(self.weight)
        c = share * (self.X @ v - np.where(self.positive, self.pos_mean @ v, self.neg_mean @ v))
        return c @ self.X - c[self.positive].sum() * self.pos_mean - c[~self.positive].sum() * self.neg_mean

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
    zero at the saddle point and positive elsewhere. The minimum over the ball is found by Lanczos steps,
    O(non-zeros) each.

    Parameters
    ----------
    point : SaddlePoint
        With ``w`` in the ball of ``radius``, ``a`` and ``b`` within ``radius`` times the largest row norm.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    radius : float
        The radius R of the ball.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float
    """
    samples = _Samples.read(X, y, sample_weight)
    w, pos, neg, p = point.w, samples.pos_mean, samples.neg_mean, samples.p
    difference, bound = w @ (neg - pos), 2.0 * radius * row_norms(samples.X).max()
    best_alpha = np.clip(difference, -bound, bound)
    spread = w @ samples.covariance_product(w) + (w @ pos - point.a) ** 2 + (w @ neg - point.b) ** 2
    largest = spread + 2.0 * (1.0 + best_alpha) * difference - best_alpha**2
    # a = w . m+ and b = w . m- are always allowed, so that only w remains to minimise over.
    linear = (1.0 + point.alpha) * (neg - pos)
    smallest = _minimum_on_ball(samples.covariance_product, linear, radius) - point.alpha**2
    return float(p * (1.0 - p) * (largest - smallest))


def update_variance(
    w: np.ndarray, X: Any, y: Any, *, anchor: np.ndarray | None = None, sample_weight: Any = None
) -> float:
    """Variance of SPAM's update at ``w``, or of VRSPAM's with the stage's ``anchor``.

    The mean squared distance of the update of a random row from the gradient, as in Lemma 1 of VRSPAM's
    paper: with an anchor it vanishes as both points converge, without one it does not.

    Parameters
    ----------
    w : ndarray of shape (n_features,)
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    anchor : ndarray of shape (n_features,), optional
        Where VRSPAM's stage took the full gradient; SPAM's update for None.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float
    """
    samples = _Samples.read(X, y, sample_weight)
    change = samples.score_derivatives(w)
    if anchor is not None:
        change = change - samples.score_derivatives(anchor)
    mean = change @ samples.X / len(change)
    return float(np.mean(change**2 * row_norms(samples.X, squared=True)) - mean @ mean)


def relative_distance(w: np.ndarray, best: np.ndarray) -> float:
    """Distance of ``w`` to ``best``, relative to the norm of ``best``."""
    return float(np.linalg.norm(w - best) / np.linalg.norm(best))


def distance_to_optimum(
    w: np.ndarray, X: Any, y: Any, *, l2: float, l1: float = 0.0, sample_weight: Any = None
) -> float:
    """Distance of ``w`` to the minimiser of the squared pair loss, relative to the minimiser's norm.

    ``l2`` and ``l1`` are the penalties of ``AUCClassifier(loss="squared", standardize=False)``; the
    documentation of each method says how its own relate to them.
    """
    exact = AUCClassifier("squared", l2=l2, l1=l1, standardize=False, tol=1e-12, max_iter=1000)
    return relative_distance(w, exact.fit(X, y, sample_weight=sample_weight).coef_[0])


def _minimum_on_ball(product: Callable[[np.ndarray], np.ndarray], g: np.ndarray, radius: float) -> float:
    """Smallest value of ``w'C w + 2 g.w`` on the ball, from the Krylov space of ``g``."""
    size = np.linalg.norm(g)
    if size == 0.0:
        return 0.0
    basis = [g / size]
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    while True:
        v = product(basis[-1])
        diagonal.append(float(v @ basis[-1]))
        values, vectors = eigh_tridiagonal(diagonal, off_diagonal)
        value, z = _minimum_in_eigenbasis(np.maximum(values, 0.0), size * vectors[0], radius)
        for _ in range(2):  # twice is enough to keep the basis orthogonal
            v = v - np.array(basis).T @ (np.array(basis) @ v)
        norm = float(np.linalg.norm(v))
        residual = norm * abs(vectors[-1] @ z)  # the gradient's part outside the space
        if residual <= 1e-12 * size or len(basis) == min(len(g), MOST_LANCZOS_STEPS):
            return value
        basis.append(v / norm)
        off_diagonal.append(norm)


def _minimum_in_eigenbasis(values: np.ndarray, c: np.ndarray, radius: float) -> tuple[float, np.ndarray]:
    """Smallest value of ``sum(values z^2 + 2 c z)`` over ``|z| <= radius``, and its z."""

    def excess_norm(shift: float) -> float:
        return float(np.linalg.norm(c / (values + shift))) - radius

    most = float(np.linalg.norm(c)) / radius
    tiny = 1e-14 * most
    shift = tiny if excess_norm(tiny) <= 0.0 else brentq(excess_norm, tiny, most, xtol=1e-300)
    z = -c / (values + shift)
    return float(values @ z**2 + 2.0 * c @ z), z
