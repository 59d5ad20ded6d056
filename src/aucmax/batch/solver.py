"""Minimise the mean pair loss: which solver, from where, and when to stop."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.interrupts import defer_interrupts
from ..kernels.rows import bytes_per_row
from ..pairs.losses import Hinge, Loss, SmoothedHinge
from ..pairs.sums import Classes
from .moments import Moments, class_moments, relative_gradient_norm
from .newton import GradientNorm, Report, Result, minimise
from .objective import Objective, Point, Products
from .preconditioner import Preconditioner
from .proximal import minimise_l1, soft

SAMPLE_FRACTION = 16
SAMPLE_BYTES = 2**26
LEAST_SAMPLE = 512
SAMPLE_TOL = 3e-2
SHARPEST = 1e-8  # corner of a smoothed hinge: its sums, of numbers one over it in size, round worse below


class Penalty(NamedTuple):
    """``l2/2 |w|^2 + l1 |w|_1``."""

    l2: float
    l1: float = 0.0


class Solution(NamedTuple):
    """Weights, their scores on the rows, and how good they are."""

    w: np.ndarray
    scores: np.ndarray
    objective: float
    optimality: float
    n_iter: int
    converged: bool


class Problem:
    """Rows of two classes, ready to be fitted for any loss and penalty.

    Parameters
    ----------
    products : Products
    classes : Classes
    moments : Moments, optional
        Column moments of the classes; those of all rows serve a fold well enough.
    """

    def __init__(self, products: Products, classes: Classes, moments: Moments | None = None) -> None:
        self.products, self.classes = products, classes
        with defer_interrupts():
            self.moments = class_moments(products, classes) if moments is None else moments
        self._preconditioner = Preconditioner(products, classes)
        self._last: Any = None  # serves the next fit that starts from its weights

    def gradient_norm(self, loss: Loss, l2: float) -> GradientNorm:
        """Measure of a gradient, relative to that at ``w = 0``."""
        return relative_gradient_norm(self.moments, loss, l2)

    def solve(
        self,
        loss: Loss,
        penalty: Penalty,
        w: np.ndarray | None = None,
        *,
        tol: float,
        max_iter: int,
        report: Report | None = None,
    ) -> Solution:
        """Minimise from ``w``, or from the solution of a sample of the rows."""
        if isinstance(loss, Hinge):
            return self._hinge(loss, penalty, w, tol=tol, max_iter=max_iter, report=report)
        if w is None:
            w = self._first_guess(loss, penalty)
        result = self._smooth(loss, penalty, w, tol=tol, max_iter=max_iter, report=report)
        return _solution(result, penalty)

    def _smooth(self, loss, penalty, w, *, tol, max_iter, report=None) -> Result:
        objective = Objective(self.products, self.classes, loss, penalty.l2)
        known = self._last is not None and self._last.w is w
        gradient_norm = self.gradient_norm(loss, penalty.l2)
        with defer_interrupts():
            start = self._last.under(objective) if known else objective.at(w)
        if penalty.l1 > 0.0:
            result = minimise_l1(
                objective, start, penalty.l1, gradient_norm, tol=tol, max_iter=max_iter, report=report
            )
        else:
            solver = self._preconditioner.aim(penalty.l2, gradient_norm.scale)
            result = minimise(
                objective,
                start,
                gradient_norm,
                solver,
                tol=tol,
                max_iter=max_iter,
                report=report,
                guard=defer_interrupts,
            )
        self._last = result.point
        return result

    def _first_guess(self, loss: Loss, penalty: Penalty) -> np.ndarray:
        """Solution, to a loose tolerance, for evenly chosen rows; zero where that does not pay."""
        n, d = self.products.n_rows, self.products.n_features
        size = min(n // SAMPLE_FRACTION, int(SAMPLE_BYTES / max(1.0, bytes_per_row(self.products.X))))
        if size < max(LEAST_SAMPLE, 2 * d):
            return np.zeros(d)
        rows = np.union1d(_evenly(self.classes.pos, size // 2), _evenly(self.classes.neg, size // 2))
        signed = self.classes.spread(self.classes.pos_weight, -self.classes.neg_weight)[rows]
        part = Problem(self.products.take(rows), Classes.split(signed), self.moments)
        return part._smooth(loss, penalty, np.zeros(d), tol=SAMPLE_TOL, max_iter=20).point.w

    def _hinge(self, loss, penalty, w, *, tol, max_iter, report=None) -> Solution:
        """Minimise smoothed hinges, ever sharper, until the proven gap is a ``tol`` of the objective.

        Sharp ones may round badly: the best solution is kept.
        """
        smoothing, inner, steps, best = 0.5, 1e-2, 0, None
        if w is None:
            w = self._first_guess(SmoothedHinge(smoothing), penalty)
        while True:
            smooth = SmoothedHinge(smoothing)
            result = self._smooth(smooth, penalty, w, tol=inner, max_iter=max_iter - steps, report=report)
            steps += max(1, result.n_iter)
            point: Any = result.point
            w = point.w
            objective = loss.sums(self.classes, point.Xw).value + penalty_value(w, penalty)
            rounding = max(0.0, objective - point.value - penalty.l1 * float(np.abs(w).sum()))
            slack = _slack(point, penalty, result.optimality)
            gap = (rounding + slack) / objective if objective > 0.0 else 0.0
            found = Solution(w, point.Xw, objective, gap, steps, gap <= tol)
            if best is None or found.converged or objective < best.objective:
                best = found
            stuck = result.n_iter == 0 and not result.converged
            if best.converged or steps >= max_iter or stuck or smoothing < SHARPEST:
                return best._replace(n_iter=steps)
            if rounding > 0.5 * tol * objective:
                smoothing *= max(0.1, min(0.4, 0.4 * tol * objective / rounding))
            if slack > 0.5 * tol * objective:
                inner *= 0.1 if result.converged else 0.5


def penalty_value(w: np.ndarray, penalty: Penalty) -> float:
    """``l2/2 |w|^2 + l1 |w|_1``."""
    return float(0.5 * penalty.l2 * np.sum(w * w) + penalty.l1 * np.sum(np.abs(w)))


def _slack(point: Point, penalty: Penalty, optimality: float) -> float:
    """How far above the minimum the smoothed objective is at most.

    The objective is strongly convex: it lies above ``f + g.(v - w) + l2/2 |v - w|^2 + l1 |v|_1``, whose
    minimum over ``v`` is known. Without ``l2`` there is no such bound, and the residual stands for it.
    """
    if penalty.l2 == 0.0:
        return optimality * point.value
    g, w = point.gradient, point.w
    v = soft(w - g / penalty.l2, penalty.l1 / penalty.l2)
    model = np.sum(g * (v - w) + 0.5 * penalty.l2 * (v - w) ** 2 + penalty.l1 * (np.abs(v) - np.abs(w)))
    return max(0.0, -float(model))


def _solution(result: Result, penalty: Penalty) -> Solution:
    point = result.point
    objective = point.value + penalty.l1 * float(np.sum(np.abs(point.w)))
    return Solution(point.w, point.Xw, objective, result.optimality, result.n_iter, result.converged)


def _evenly(rows: np.ndarray, size: int) -> np.ndarray:
    """At most ``size`` of the rows, at even steps."""
    return rows if len(rows) <= size else rows[np.linspace(0, len(rows) - 1, size).astype(np.int64)]
