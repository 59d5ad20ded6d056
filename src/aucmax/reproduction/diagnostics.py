"""What the papers measure of a run: duality gap, variance of the updates, distance to the optimum."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import brentq

from ..base import LinearAUCClassifier
from ..batch.classifier import AUCClassifier
from ..kernels.jit import kernel
from ..kernels.rows import Rows, as_rows, axpy, scores, square
from ..stochastic.engine.class_sums import ClassStatistics, class_statistics
from ..stochastic.solam import SOLAM
from ..stochastic.spdam.batches import duals, mean_along

KRYLOV = 300  # steps that settle the minimum on a ball to rounding on the papers' data


class SaddlePoint(NamedTuple):
    """A point of SOLAM's saddle problem."""

    w: np.ndarray
    a: float
    b: float
    alpha: float


class _Problem(NamedTuple):
    """Rows, signed weights of mean one, and what one pass over them tells."""

    X: Rows
    y: np.ndarray
    seen: ClassStatistics

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any) -> "_Problem":
        X, signed = LinearAUCClassifier()._read(X, y, sample_weight)
        return cls(as_rows(X), signed, class_statistics(as_rows(X), signed, X.shape[1]))

    def covariance(self, v: np.ndarray) -> np.ndarray:
        """The sum of the two classes' covariances, times ``v``."""
        p, y = self.seen.p, self.y
        side = np.zeros((len(y), 3))
        side[:, 2] = np.sqrt(np.abs(y) / np.where(y > 0, p, 1.0 - p))
        means = self.seen.pos_mean, self.seen.neg_mean
        return mean_along(self.X, y, side, duals(self.X, y, side, v, *means), *means)

    def coefficients(self, w: np.ndarray) -> np.ndarray:
        """Each row's derivative of the loss in its score, times its weight."""
        p, score = self.seen.p, scores(self.X, w)
        pos = 2.0 * (1.0 - p) * (score - 1.0 - w @ self.seen.neg_mean)
        neg = 2.0 * p * (score + 1.0 - w @ self.seen.pos_mean)
        return np.abs(self.y) * np.where(self.y > 0, pos, neg)


@kernel
def along_rows(X, c, n_features):
    """The sum of the ``c_i x_i``, and of their squared norms."""
    total, of_squares = np.zeros(n_features), 0.0
    for i in range(len(c)):
        axpy(X, i, c[i], total)
        of_squares += c[i] * c[i] * square(X, i)
    return total, of_squares


def saddle_point(model: SOLAM) -> SaddlePoint:
    """The average point of a fitted ``SOLAM``, whose duality gap its paper bounds.

    Parameters
    ----------
    model : SOLAM
        Fitted, with ``average=True``.

    Returns
    -------
    SaddlePoint
    """
    state, weight = model._solver.state, model._solver.model.weight
    sums = (state.sum_a, state.sum_b, state.sum_alpha)
    return SaddlePoint(model.coef_[0], *(total / weight for total in sums))


def duality_gap(point: SaddlePoint, X: Any, y: Any, *, radius: float, sample_weight: Any = None) -> float:
    """Duality gap of SOLAM's saddle problem on given rows, equation (15) of its paper.

    The greatest value over alpha at the point's w, a, b, less the least value over w, a, b at its
    alpha: zero at the saddle point and positive elsewhere. The minimum over the ball is found by
    Lanczos steps, O(non-zeros) each.

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
    problem = _Problem.read(X, y, sample_weight)
    w, a, b, alpha = point
    pos, neg, p = problem.seen.pos_mean, problem.seen.neg_mean, problem.seen.p
    gap, bound = w @ (neg - pos), 2.0 * radius * np.sqrt(problem.seen.kappa2)
    best = np.clip(gap, -bound, bound)
    spread = w @ problem.covariance(w) + (w @ pos - a) ** 2 + (w @ neg - b) ** 2
    above = spread + 2.0 * (1.0 + best) * gap - best**2
    # a = w . m+ and b = w . m- are always allowed, so only w is left to minimise over.
    below = _least_on_ball(problem.covariance, (1.0 + alpha) * (neg - pos), radius) - alpha**2
    return float(p * (1.0 - p) * (above - below))


def update_variance(
    w: np.ndarray, X: Any, y: Any, *, anchor: np.ndarray | None = None, sample_weight: Any = None
) -> float:
    """Variance of SPAM's update at ``w``, or of VRSPAM's with the stage's ``anchor``.

    The mean squared distance of the update of a random row from the gradient, as in Lemma 1 of VRSPAM's
    paper: with an anchor it vanishes as both points settle, without one it does not.

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
    problem = _Problem.read(X, y, sample_weight)
    change = problem.coefficients(w)
    if anchor is not None:
        change = change - problem.coefficients(anchor)
    n = np.count_nonzero(problem.y)
    total, of_squares = along_rows(problem.X, change, len(w))
    return float(of_squares / n - (total / n) @ (total / n))


def distance_to_optimum(
    w: np.ndarray, X: Any, y: Any, *, l2: float, l1: float = 0.0, sample_weight: Any = None
) -> float:
    """Distance of ``w`` to the minimiser of the squared pair loss, relative to the minimiser's norm.

    Parameters
    ----------
    w : ndarray of shape (n_features,)
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    l2, l1 : float
        The penalties of ``AUCClassifier(loss="squared")``; each method says what they are for its own.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float
    """
    exact = AUCClassifier("squared", l2=l2, l1=l1, tol=1e-12, max_iter=1000)
    best = exact.fit(X, y, sample_weight=sample_weight).coef_[0]
    return float(np.linalg.norm(w - best) / np.linalg.norm(best))


def _least_on_ball(product: Callable[[np.ndarray], np.ndarray], g: np.ndarray, radius: float) -> float:
    """Least value of ``w'C w + 2 g.w`` on the ball, from the Krylov space of ``g``."""
    size = np.linalg.norm(g)
    if size == 0.0:
        return 0.0
    basis = [g / size]
    diagonal: list[float] = []
    off: list[float] = []
    while True:
        v = product(basis[-1])
        diagonal.append(float(v @ basis[-1]))
        values, vectors = eigh_tridiagonal(diagonal, off)
        value, moves = _least_in_eigenbasis(np.maximum(values, 0.0), size * vectors[0], radius)
        for _ in range(2):  # twice is enough to keep the basis orthogonal
            v = v - np.array(basis).T @ (np.array(basis) @ v)
        off_next = float(np.linalg.norm(v))
        left = off_next * abs(vectors[-1] @ moves)  # the gradient's part outside the space
        if left <= 1e-12 * size or len(basis) == min(len(g), KRYLOV):
            return value
        basis.append(v / off_next)
        off.append(off_next)


def _least_in_eigenbasis(values: np.ndarray, c: np.ndarray, radius: float) -> tuple[float, np.ndarray]:
    """Least value of ``sum(values z^2 + 2 c z)`` over ``|z| <= radius``, and where."""

    def excess(shift: float) -> float:
        return float(np.linalg.norm(c / (values + shift))) - radius

    most = float(np.linalg.norm(c)) / radius
    tiny = 1e-14 * most
    shift = tiny if excess(tiny) <= 0.0 else brentq(excess, tiny, most, xtol=1e-300)
    z = -c / (values + shift)
    return float(values @ z**2 + 2.0 * c @ z), z
