"""Newton's method with preconditioned conjugate gradients and a line search.

It minimises any smooth convex function of ``X w`` plus a quadratic in ``w``, through points that give a
value, a gradient and products with the Hessian. A product with the Hessian also returns ``X v``, so that a
step and all trials along it need no further product with X.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

MAX_CG_STEPS = 200
MAX_HALVINGS = 40
SHORT_STEP = 0.1  # the step is lengthened if more than this share of the slope is left at its end
HIDDEN_DECREASE = 1e-8  # relative to the value: where curvature is large, rounding may hide a decrease


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
Report = Callable[[int, SmoothPoint, float], None]


class Limits(NamedTuple):
    """When to stop: at this optimality or after so many iterations; each is passed to ``report``."""

    tol: float
    max_iter: int
    report: Report | None = None


@dataclass(frozen=True)
class Result(Generic[P]):
    """Where a solver stopped."""

    point: P
    n_iter: int
    optimality: float
    converged: bool


class GradientNorm(NamedTuple):
    """Norm of a gradient relative to that at ``w = 0``: plain, or in scaled columns if that is larger.

    In the plain norm, columns with large entries hide those with small ones.
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
        Makes a context manager in which each Newton step runs.
    """
    tol = limits.tol
    with guard():
        point, optimality = start, gradient_norm(start.gradient)
    for step in range(limits.max_iter):
        if limits.report is not None:
            limits.report(step, point, optimality)
        if optimality <= tol:
            return Result(point, step, optimality, True)
        forcing = min(0.3, optimality**0.25)  # far from the minimum the Hessian changes by more than this
        with guard():
            p, Xp = conjugate_gradients(
                point, precondition(point), forcing, lambda residual: gradient_norm(residual) <= 0.7 * tol
            )
            better = line_search(function, point, p, Xp)
            if better is None:
                return Result(point, step, optimality, False)
            point, optimality = better, gradient_norm(better.gradient)
    return Result(point, limits.max_iter, optimality, optimality <= tol)


def conjugate_gradients(
    point: QuadraticModel,
    solve: Solve,
    forcing: float,
    small_enough: Callable[[np.ndarray], bool] = lambda residual: False,
) -> tuple[np.ndarray, np.ndarray]:
    """A step ``p`` with ``Hessian p = -gradient``, to a relative or a small enough residual, and ``X p``."""
    residual = -point.gradient
    p, Xp = np.zeros_like(residual), np.zeros_like(point.Xw)
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


def line_search(function: SmoothFunction[P], point: P, p: np.ndarray, Xp: np.ndarray) -> P | None:
    """The first of ``w + p``, ``w + p/2``, ... that decreases enough; None where rounding hides any decrease.

    Where much of the slope is left at its end, the step is lengthened to where a linear slope would vanish.
    """
    slope = float(np.sum(point.gradient * p))
    rounding = 8.0 * np.finfo(float).eps * abs(point.value)
    hidden = HIDDEN_DECREASE * abs(point.value)
    length = 1.0

    def along(length: float) -> P:
        return function.at(point.w + length * p, point.Xw + length * Xp)

    for _ in range(MAX_HALVINGS):
        trial = along(length)
        if trial.value <= point.value + 1e-4 * length * slope:
            slope_left = trial.slope(p, Xp)
            if not slope < slope_left < SHORT_STEP * slope:
                return trial
            longer = along(length * slope / (slope - slope_left))
            return longer if longer.value < trial.value else trial
        # The function is convex: if it still decreases at the end, it decreased on the way, even if the
        # rounded values say otherwise.
        if -length * slope < hidden and trial.value <= point.value + hidden and trial.slope(p, Xp) <= 0.0:
            return trial
        if -length * slope < rounding:
            return trial if norm(trial.gradient) < norm(point.gradient) else None
        length *= 0.5
    return None
