"""Newton's method with preconditioned conjugate gradients and a line search.

It minimises any smooth convex function of ``X w`` plus a quadratic in ``w``, through points that give a
value, a gradient and products with the Hessian. A product with the Hessian also returns ``X v``, so that a
step and all trials along it need no further product with X.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

MAX_CG_STEPS = 200
MAX_TRIALS = 60
SLOPE_RATIO = 0.1  # at which a line search stops: slope at the end of the step relative to that at its start
HIDDEN_DECREASE = 1e-8  # relative to the value: rounding may hide it where the curvature is large


class QuadraticModel(Protocol):
    """The first and second derivatives of a function at one ``w``."""

    Xw: np.ndarray

    @property
    def gradient(self) -> np.ndarray: ...

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The Hessian times ``v``, and ``X v``."""


class SmoothPoint(QuadraticModel, Protocol):
    """A function at one ``w``."""

    w: np.ndarray
    value: float

    def slope(self, v: np.ndarray, Xv: np.ndarray) -> float:
        """The derivative along ``v``, given ``X v``."""


P = TypeVar("P", bound=SmoothPoint)
P_co = TypeVar("P_co", bound=SmoothPoint, covariant=True)


class SmoothFunction(Protocol[P_co]):
    """A function that :func:`minimise` can minimise."""

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> P_co: ...


Solve = Callable[[np.ndarray], np.ndarray]
FirstTrial = Callable[[P, np.ndarray, np.ndarray], tuple[float, P]]
Report = Callable[[int, SmoothPoint, float], None]


class Limits(NamedTuple):
    """When to stop: at optimality ``tol`` or after ``max_iter`` iterations; each is passed to ``report``.

    A line search stops where the slope is at most ``slope_ratio`` of that at its start: Wolfe's curvature
    condition. The ratio should be large where a trial costs as much as a Newton step.
    """

    tol: float
    max_iter: int
    report: Report | None = None
    slope_ratio: float = SLOPE_RATIO


@dataclass(frozen=True)
class Result(Generic[P]):
    """Where a solver stopped."""

    point: P
    n_iter: int
    optimality: float
    converged: bool


class GradientNorm(NamedTuple):
    """Norm of a gradient relative to that at ``w = 0``: the plain one or, if larger, that in scaled columns.

    The plain norm alone is dominated by columns with large entries.
    """

    plain: float
    scaled: float
    scale: np.ndarray

    @classmethod
    def relative_to(cls, gradient: np.ndarray, scale: np.ndarray) -> "GradientNorm":
        return cls(norm(gradient), norm(gradient / np.sqrt(scale)), scale)

    def __call__(self, gradient: np.ndarray) -> float:
        plain = norm(gradient) / (self.plain or 1.0)
        return max(plain, norm(gradient / np.sqrt(self.scale)) / (self.scaled or 1.0))


def norm(v: np.ndarray) -> float:
    """Euclidean length."""
    return float(np.sqrt(np.sum(v * v)))


def minimise(
    function: SmoothFunction[P],
    start: P,
    gradient_norm: GradientNorm,
    precondition: Callable[[P], Solve],
    limits: Limits,
    guard: Callable[[], AbstractContextManager] = nullcontext,
    first_trial: FirstTrial[P] | None = None,
) -> Result[P]:
    """Minimise from ``start`` until ``gradient_norm`` of the gradient is at most ``limits.tol``.

    Parameters
    ----------
    function : SmoothFunction
    start : SmoothPoint
    gradient_norm : GradientNorm
    precondition : callable
        Makes, for a point, an approximate solver of ``Hessian x = b``.
    limits : Limits
    guard : callable, optional
        Makes a context manager in which each Newton step runs, such as one that defers Ctrl-C.
    first_trial : callable, optional
        Given a point, a step ``p`` and ``X p``, chooses a length, and returns it with the point there. The
        length is 1 otherwise.
    """
    tol = limits.tol
    with guard():
        point, optimality = start, gradient_norm(start.gradient)
    for step in range(limits.max_iter):
        if limits.report is not None:
            limits.report(step, point, optimality)
        if optimality <= tol:
            return Result(point, step, optimality, True)
        forcing = min(0.3, optimality**0.25)  # loose at first: the Hessian at the minimum differs by more
        with guard():
            p, Xp = conjugate_gradients(
                point, precondition(point), forcing, lambda residual: gradient_norm(residual) <= 0.7 * tol
            )
            next_point = line_search(function, point, p, Xp, limits.slope_ratio, first_trial)
            if next_point is None:
                return Result(point, step, optimality, False)
            point, optimality = next_point, gradient_norm(next_point.gradient)
    return Result(point, limits.max_iter, optimality, optimality <= tol)


def conjugate_gradients(
    point: QuadraticModel,
    solve: Solve,
    forcing: float,
    small_enough: Callable[[np.ndarray], bool] = lambda residual: False,
) -> tuple[np.ndarray, np.ndarray]:
    """A step ``p`` with ``Hessian p = -gradient``, to a relative or a small enough residual, and ``X p``."""
    residual = -point.gradient
    p = np.zeros_like(residual)
    Xp: Any = 0.0  # then an array like X p, of NumPy or another library
    z = solve(residual)
    direction, size = z, float(np.sum(residual * z))
    target = forcing**2 * size
    for _ in range(MAX_CG_STEPS):
        product, X_direction = point.hessp(direction)
        curvature = float(np.sum(direction * product))
        if not curvature > 0.0:
            if not p.any():
                p, Xp = direction, X_direction
            break
        p = p + (size / curvature) * direction
        Xp += (size / curvature) * X_direction
        residual = residual - (size / curvature) * product
        if small_enough(residual):
            break
        z = solve(residual)
        before, size = size, float(np.sum(residual * z))
        if size <= target:
            break
        direction = z + (size / before) * direction
    return p, Xp


def line_search(
    function: SmoothFunction[P],
    point: P,
    p: np.ndarray,
    Xp: np.ndarray,
    slope_ratio: float = SLOPE_RATIO,
    first_trial: FirstTrial[P] | None = None,
) -> P | None:
    """A lower point along ``p`` with a slope near 0; None where rounding hides any decrease.

    The function is convex, so its slope grows along ``p``. The search keeps one length with a negative
    and one with a positive slope, and next tries where the straight line between the two slopes is 0.
    """
    slope = float(np.sum(point.gradient * p))
    rounding = 8.0 * np.finfo(float).eps * abs(point.value)
    hidden = HIDDEN_DECREASE * abs(point.value)
    low, high, best, length = (0.0, slope), None, None, 1.0
    for k in range(MAX_TRIALS):
        if k == 0 and first_trial is not None:
            length, trial = first_trial(point, p, Xp)
        else:
            trial = function.at(point.w + length * p, point.Xw + length * Xp)
        trial_slope = trial.slope(p, Xp)
        # A function that still decreases at the end of a short step decreased on the way, even if the rounded
        # values say otherwise.
        is_hidden = -length * slope < hidden and trial.value <= point.value + hidden and trial_slope <= 0.0
        if is_hidden or trial.value <= point.value + 1e-4 * length * slope:
            best = trial if best is None or trial.value < best.value else best
            if abs(trial_slope) <= -slope_ratio * slope or is_hidden:
                return best
        if -length * slope < rounding:
            closer = norm(trial.gradient) < norm(point.gradient)
            return best if best is not None else trial if closer else None
        low, high = ((length, trial_slope), high) if trial_slope < 0.0 else (low, (length, trial_slope))
        if high is None:
            length *= min(10.0, slope / min(slope - trial_slope, -1e-300))
        else:
            zero = low[1] / (low[1] - high[1])
            fraction = min(zero, 0.5) if trial_slope > 0.0 else max(zero, 0.5)  # at least halves the bracket
            length = low[0] + min(0.9, max(0.1, fraction)) * (high[0] - low[0])
    return best
