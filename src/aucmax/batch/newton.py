"""Newton's method with preconditioned conjugate gradients and a line search.

It minimises any smooth convex function ``f(A w)``-plus-a-quadratic through points that give a
value, a gradient and products with the Hessian; it knows nothing of AUC. The product ``A v`` that
a Hessian product makes on its way is kept, so that a step and all trials along it cost none.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol

import numpy as np

MOST_CG = 200
MOST_HALVINGS = 40
SHORT_STEP = 0.1
HIDDEN = 1e-8  # of the value: a descent that rounding may hide where losses curvature_scale sharply


class QuadraticModel(Protocol):
    """A function near one ``w``, as far as its second derivatives say; ``Xw`` is ``A w``."""

    w: np.ndarray
    Xw: np.ndarray
    value: float

    @property
    def gradient(self) -> np.ndarray: ...

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


class SmoothPoint(QuadraticModel, Protocol):
    """The same, with the slope along a ``v`` whose Xw ``A v`` is known."""

    def slope(self, v: np.ndarray, Xw: np.ndarray) -> float: ...


class SmoothFunction(Protocol):
    """What :func:`minimise` needs to know of a function."""

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> SmoothPoint: ...


Solve = Callable[[np.ndarray], np.ndarray]
Report = Callable[[int, SmoothPoint, float], None]


class Result(NamedTuple):
    """Where a solver stopped."""

    point: SmoothPoint
    n_iter: int
    optimality: float
    converged: bool


class GradientNorm(NamedTuple):
    """Size of a gradient relative to the one at ``w = 0``, plain or per scaled column, whichever is larger.

    Columns that differ by orders of magnitude hide each other in the plain norm.
    """

    plain: float
    scaled: float
    scale: np.ndarray

    @classmethod
    def at_start(cls, gradient: np.ndarray, scale: np.ndarray) -> "GradientNorm":
        return cls(norm(gradient), norm(gradient / np.sqrt(scale)), scale)

    def __call__(self, gradient: np.ndarray) -> float:
        plain = norm(gradient) / (self.plain or 1.0)
        return max(plain, norm(gradient / np.sqrt(self.scale)) / (self.scaled or 1.0))


def norm(v: np.ndarray) -> float:
    """Euclidean length."""
    return float(np.sqrt(np.sum(v * v)))


def minimise(
    function: SmoothFunction,
    start: SmoothPoint,
    gradient_norm: GradientNorm,
    precondition: Callable[[SmoothPoint], Solve],
    *,
    tol: float,
    max_iter: int,
    report: Report | None = None,
    guard: Callable[[], AbstractContextManager] = nullcontext,
) -> Result:
    """Minimise from ``start`` until ``gradient_norm`` of the gradient is at most ``tol``.

    Parameters
    ----------
    function : SmoothFunction
    start : SmoothPoint
    gradient_norm : GradientNorm
    precondition : callable
        Makes, for a point, an approximate solver of ``Hessian x = b``.
    tol : float
    max_iter : int
        Most Newton steps.
    report : callable, optional
        Told the step, the point and the gradient_norm after each step.
    guard : callable, optional
        Makes a context for each step.
    """
    with guard():
        point, optimality = start, gradient_norm(start.gradient)
    for step in range(max_iter):
        if report is not None:
            report(step, point, optimality)
        if optimality <= tol:
            return Result(point, step, optimality, True)
        forcing = min(0.3, optimality**0.25)  # far from the minimum the Hessian changes by more than this
        with guard():
            p, Xw = conjugate_gradients(
                point, precondition(point), forcing, lambda residual: gradient_norm(residual) <= 0.7 * tol
            )
            moved = search(function, point, p, Xw)
            if moved is None:
                return Result(point, step, optimality, False)
            point, optimality = moved, gradient_norm(moved.gradient)
    return Result(point, max_iter, optimality, optimality <= tol)


def conjugate_gradients(
    point: QuadraticModel,
    solve: Solve,
    forcing: float,
    enough: Callable[[np.ndarray], bool] = lambda residual: False,
) -> tuple[np.ndarray, np.ndarray]:
    """A step ``p`` with ``Hessian p = -gradient``, to a relative residual or to one that is enough.

    Its Xw is returned too.
    """
    residual = -point.gradient
    p, Xw = np.zeros_like(residual), np.zeros_like(point.Xw)
    z = solve(residual)
    direction, size = z, float(np.sum(residual * z))
    stop = forcing**2 * size
    for _ in range(MOST_CG):
        product, direction_image = point.hessp(direction)
        curvature_scale = float(np.sum(direction * product))
        if not curvature_scale > 0.0:
            if not p.any():
                p, Xw = direction, direction_image
            break
        p = p + (size / curvature_scale) * direction
        Xw += (size / curvature_scale) * direction_image
        residual = residual - (size / curvature_scale) * product
        if enough(residual):
            break
        z = solve(residual)
        before, size = size, float(np.sum(residual * z))
        if size <= stop:
            break
        direction = z + (size / before) * direction
    return p, Xw


def search(function: SmoothFunction, point: SmoothPoint, p: np.ndarray, Xw: np.ndarray) -> SmoothPoint | None:
    """The first of ``w + p``, ``w + p/2``, ... that descends enough; None where rounding hides descent.

    It is stretched where much of the slope is left at its end, to where a line through both slopes ends.
    """
    slope = float(np.sum(point.gradient * p))
    rounding = 8.0 * np.finfo(float).eps * abs(point.value)
    length = 1.0

    def along(length: float) -> SmoothPoint:
        return function.at(point.w + length * p, point.Xw + length * Xw)

    for _ in range(MOST_HALVINGS):
        trial = along(length)
        if trial.value <= point.value + 1e-4 * length * slope:
            left = trial.slope(p, Xw)
            if not slope < left < SHORT_STEP * slope:
                return trial
            further = along(length * slope / (slope - left))
            return further if further.value < trial.value else trial
        # The function is convex: if it still falls at the end it has fallen, whatever rounding hides.
        hidden = HIDDEN * abs(point.value)
        if -length * slope < hidden and trial.value <= point.value + hidden and trial.slope(p, Xw) <= 0.0:
            return trial
        if -length * slope < rounding:
            return trial if norm(trial.gradient) < norm(point.gradient) else None
        length *= 0.5
    return None
