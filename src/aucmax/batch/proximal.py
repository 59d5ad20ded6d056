"""Elastic net: Newton steps on the weights that are not zero, and proximal gradient steps where those fail.

Minimises ``f(w) + l1 |w|_1`` for any ``f`` that :mod:`aucmax.batch.newton` can minimise.
"""

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.proximal import soft_threshold_array
from .newton import GradientNorm, Limits, P, QuadraticModel, Result, SmoothFunction, conjugate_gradients

MAX_HALVINGS = 12
MAX_DOUBLINGS = 60


def kkt_residual(w: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """The shortest subgradient of ``f + l1 |w|_1``: zero at the minimum and only there."""
    return np.where(w != 0.0, gradient + l1 * np.sign(w), soft_threshold_array(gradient, l1))


def minimise_l1(
    function: SmoothFunction[P], start: P, l1: float, gradient_norm: GradientNorm, limits: Limits
) -> Result[P]:
    """Minimise ``f + l1 |w|_1`` until ``gradient_norm`` of the KKT residual is at most ``limits.tol``.

    Each iteration takes a Newton step in the orthant of the weights that are not zero, or that the
    residual moves away from zero, and projects it back onto that orthant.
    """
    point, curvature = start, 1.0
    for step in range(limits.max_iter):
        with defer_interrupts():
            residual = kkt_residual(point.w, point.gradient, l1)
        optimality = gradient_norm(residual)
        if limits.report is not None:
            limits.report(step, point, optimality)
        if optimality <= limits.tol:
            return Result(point, step, optimality, True)
        forcing = max(0.05, 0.3 * limits.tol / optimality)
        with defer_interrupts():  # Ctrl-C takes effect at the end of the step
            better = _orthant_step(function, point, residual, l1, gradient_norm.scale, forcing)
            if better is None:
                better, curvature = _proximal_step(function, point, l1, gradient_norm.scale, curvature)
        if better is None:
            return Result(point, step, optimality, False)
        point = better
    optimality = gradient_norm(kkt_residual(point.w, point.gradient, l1))
    return Result(point, limits.max_iter, optimality, optimality <= limits.tol)


class _FreeWeights:
    """The quadratic model at a point, as a function of only some of the weights."""

    def __init__(self, point: QuadraticModel, residual: np.ndarray, free: np.ndarray) -> None:
        self.Xw, self.gradient, self._point, self._free = point.Xw, residual, point, free

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        product, Xv = self._point.hessp(v)
        return product * self._free, Xv


def _orthant_step(
    function: SmoothFunction[P], point: P, residual: np.ndarray, l1: float, scale: np.ndarray, forcing: float
) -> P | None:
    free = (point.w != 0.0) | (residual != 0.0)
    sign = np.where(point.w != 0.0, np.sign(point.w), -np.sign(residual))
    p, Xp = conjugate_gradients(_FreeWeights(point, residual, free), lambda r: free * r / scale, forcing)
    total, length = point.value + l1 * np.abs(point.w).sum(), 1.0
    for _ in range(MAX_HALVINGS):
        w = point.w + length * p
        outside = w * sign < 0.0
        w[outside] = 0.0
        trial = function.at(w, None if outside.any() else point.Xw + length * Xp)
        slope = float(np.sum(residual * (w - point.w)))
        if slope < 0.0 and trial.value + l1 * np.abs(w).sum() <= total + 1e-4 * slope:
            return trial
        length *= 0.5
    return None


def _proximal_step(
    function: SmoothFunction[P], point: P, l1: float, scale: np.ndarray, curvature: float
) -> tuple[P | None, float]:
    """A proximal gradient step; its curvature, in units of ``scale``, is doubled until it bounds ``f``."""
    for _ in range(MAX_DOUBLINGS):
        metric = curvature * scale
        w = soft_threshold_array(point.w - point.gradient / metric, l1 / metric)
        change = w - point.w
        trial = function.at(w)
        bound = point.value + float(np.sum(point.gradient * change + 0.5 * metric * change**2))
        if trial.value <= bound and change.any():
            before = point.value + l1 * np.abs(point.w).sum()
            decreases = trial.value + l1 * np.abs(w).sum() < before
            return (trial if decreases else None), 0.5 * curvature
        curvature = 2.0 * curvature
    return None, curvature
