"""Elastic net: Newton steps on the weights that are not zero, proximal steps where those fail.

It minimises ``f(w) + l1 |w|_1`` and knows no more of ``f`` than :mod:`aucmax.batch.newton` does.
"""

from typing import Any

import numpy as np

from ..kernels.interrupts import defer_interrupts
from .newton import GradientNorm, Report, Result, SmoothFunction, SmoothPoint, conjugate_gradients

MOST_HALVINGS = 12


def kkt_residual(w: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """The shortest subgradient of ``f + l1 |w|_1``: zero at the minimum and only there."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(w != 0.0, gradient + l1 * np.sign(w), at_zero)


def soft(v: np.ndarray, threshold: Any) -> np.ndarray:
    """``v`` moved towards zero by the threshold, and no further than zero."""
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0.0)


def minimise_l1(
    function: SmoothFunction,
    start: SmoothPoint,
    l1: float,
    gradient_norm: GradientNorm,
    *,
    tol: float,
    max_iter: int,
    report: Report | None = None,
) -> Result:
    """Minimise ``f + l1 |w|_1`` until ``gradient_norm`` of the KKT residual is at most ``tol``.

    Each iteration takes the weights that are not zero, or that want to leave zero, into one
    orthant, makes a Newton step there and cuts it off at the orthant's walls.
    """
    point, curvature = start, np.ones(1)
    for step in range(max_iter):
        with defer_interrupts():
            residual = kkt_residual(point.w, point.gradient, l1)
        optimality = gradient_norm(residual)
        if report is not None:
            report(step, point, optimality)
        if optimality <= tol:
            return Result(point, step, optimality, True)
        forcing = max(0.05, 0.3 * tol / optimality)
        with defer_interrupts():  # Ctrl-C waits for the end of the step
            moved = _orthant_newton(function, point, residual, l1, gradient_norm.scale, forcing)
            if moved is None:
                moved, curvature = _proximal(function, point, l1, gradient_norm.scale, curvature)
        if moved is None:
            return Result(point, step, optimality, False)
        point = moved
    optimality = gradient_norm(kkt_residual(point.w, point.gradient, l1))
    return Result(point, max_iter, optimality, optimality <= tol)


class _Face:
    """A point seen by conjugate gradients with only some of its weights free."""

    def __init__(self, point: SmoothPoint, residual: np.ndarray, free: np.ndarray) -> None:
        self.w, self.Xw, self.value = point.w, point.Xw, point.value
        self.gradient, self._point, self._free = residual, point, free

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        product, Xw = self._point.hessp(v)
        return product * self._free, Xw


def _orthant_newton(function, point, residual, l1, scale, forcing) -> SmoothPoint | None:
    free = (point.w != 0.0) | (residual != 0.0)
    side = np.where(point.w != 0.0, np.sign(point.w), -np.sign(residual))
    p, Xw = conjugate_gradients(_Face(point, residual, free), lambda r: free * r / scale, forcing)
    total, length = point.value + l1 * np.abs(point.w).sum(), 1.0
    for _ in range(MOST_HALVINGS):
        w = point.w + length * p
        outside = w * side < 0.0
        w[outside] = 0.0
        trial = function.at(w, None if outside.any() else point.Xw + length * Xw)
        gain = float(np.sum(residual * (w - point.w)))
        if gain < 0.0 and trial.value + l1 * np.abs(w).sum() <= total + 1e-4 * gain:
            return trial
        length *= 0.5
    return None


def _proximal(function, point, l1, scale, curvature) -> tuple[SmoothPoint | None, np.ndarray]:
    """A proximal gradient step in the metric of ``scale``, doubled until the model holds."""
    for _ in range(60):
        metric = curvature * scale
        w = soft(point.w - point.gradient / metric, l1 / metric)
        move = w - point.w
        trial = function.at(w)
        model = point.value + float(np.sum(point.gradient * move + 0.5 * metric * move**2))
        if trial.value <= model and move.any():
            before = point.value + l1 * np.abs(point.w).sum()
            better = trial.value + l1 * np.abs(w).sum() < before
            return (trial if better else None), 0.5 * curvature
        curvature = 2.0 * curvature
    return None, curvature
