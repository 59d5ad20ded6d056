"""Elastic net: Newton steps on a working set of the weights, and proximal gradient steps where those fail.

Minimises ``f(w) + l1 |w|_1`` for any ``f`` that :mod:`aucmax.batch.newton` can minimise.
"""

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.proximal import soft_threshold_array
from .newton import GradientNorm, Limits, P, QuadraticModel, Result, SmoothFunction, conjugate_gradients

MAX_HALVINGS = 12
MAX_DOUBLINGS = 60
MAX_DENSE = 512  # weights whose Hessian is formed as a matrix, by one product each
MAX_SIGN_CHANGES = 10  # times the number of weights, in one quadratic model
KKT_TOL = 1e-12
RIDGE = 1e-13  # relative to the diagonal: the system stays regular where columns are equal or constant
MIN_ENTERING = 10  # so many weights at zero may enter the working set at once, or more


def kkt_residual(w: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """The shortest subgradient of ``f + l1 |w|_1``: zero at the minimum and only there."""
    return np.where(w != 0.0, gradient + l1 * np.sign(w), soft_threshold_array(gradient, l1))


def minimise_l1(
    function: SmoothFunction[P], start: P, l1: float, gradient_norm: GradientNorm, limits: Limits
) -> Result[P]:
    """Minimise ``f + l1 |w|_1`` until ``gradient_norm`` of the KKT residual is at most ``limits.tol``.

    Each iteration moves the weights in the working set: those that are not zero, and a few others. If they
    are at most ``MAX_DENSE``, it goes towards the minimum of the quadratic model plus ``l1 |w|_1``, else it
    takes a Newton step that keeps their signs.
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
            free = _working_set(point.w, residual, gradient_norm.scale)
            if np.count_nonzero(free) <= MAX_DENSE:
                better = _model_step(function, point, l1, np.flatnonzero(free))
            else:
                better = _orthant_step(function, point, residual * free, l1, gradient_norm.scale, forcing)
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
    """A Newton step, shortened until it decreases; weights that would change their sign become zero."""
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


def _model_step(function: SmoothFunction[P], point: P, l1: float, free: np.ndarray) -> P | None:
    """A step towards the minimum of the quadratic model plus ``l1 |w|_1``, shortened until it decreases."""
    hessian, unit = np.empty((len(free), len(free))), np.zeros_like(point.w)
    for k, j in enumerate(free):
        unit[j] = 1.0
        hessian[k] = point.hessp(unit)[0][free]
        unit[j] = 0.0
    p = np.zeros_like(point.w)
    p[free] = minimise_quadratic(hessian, point.gradient[free], point.w[free], l1) - point.w[free]
    least, best, length = point.value + l1 * np.abs(point.w).sum(), None, 1.0
    for _ in range(MAX_HALVINGS):
        trial = function.at(point.w + length * p)
        value = trial.value + l1 * np.abs(trial.w).sum()
        if value < least:
            least, best = value, trial
        elif best is not None:
            break
        length *= 0.5
    return best


def minimise_quadratic(hessian: np.ndarray, gradient: np.ndarray, start: np.ndarray, l1: float) -> np.ndarray:
    """Minimise ``gradient.(w - start) + (w - start)' hessian (w - start)/2 + l1 |w|_1`` exactly.

    With fixed signs the function is quadratic: go to its minimum, or as far as the first weight becomes zero,
    which stays zero. At the minimum, free the zero weight that violates its KKT condition most, until none
    does.
    """
    w, sign = start.copy(), np.sign(start)
    diagonal = np.diagonal(hessian)
    hessian = hessian + np.diag(RIDGE * np.where(diagonal > 0.0, diagonal, diagonal.max() + 1.0))
    for _ in range(MAX_SIGN_CHANGES * len(w)):
        slope = gradient + hessian @ (w - start)
        free = np.flatnonzero(sign)
        step = np.linalg.solve(hessian[np.ix_(free, free)], -slope[free] - l1 * sign[free])
        towards = step * sign[free] < 0.0
        lengths = np.divide(-w[free], step, out=np.full(len(free), np.inf), where=towards)
        first = int(np.argmin(lengths)) if len(free) else 0
        if len(free) and lengths[first] < 1.0:
            w[free] += lengths[first] * step
            w[free[first]] = sign[free[first]] = 0.0
            continue
        w[free] += step
        slope = gradient + hessian @ (w - start)
        violation = np.where(sign == 0.0, np.abs(slope) - l1, 0.0)
        worst = int(np.argmax(violation))
        if violation[worst] <= KKT_TOL * (np.abs(gradient).max() + l1):
            break
        sign[worst] = -np.sign(slope[worst])
    return w


def _working_set(w: np.ndarray, residual: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Weights that are not zero, and the others with the largest expected gain, a quarter as many.

    A gradient step would move far more of the others, most of which would return to zero later.
    """
    gain = np.where(w == 0.0, residual**2 / scale, 0.0)
    entering = max(MIN_ENTERING, int(np.count_nonzero(w)) // 4)
    least = np.partition(gain, -entering)[-entering] if entering < len(w) else 0.0
    return (w != 0.0) | ((gain > 0.0) & (gain >= least))


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
