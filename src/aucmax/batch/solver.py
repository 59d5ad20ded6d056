"""Minimise the mean pair loss: which method, from which start, and when to stop."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from ..kernels.interrupts import defer_interrupts
from ..kernels.proximal import soft_threshold_array
from ..pairs.losses import Loss
from ..pairs.sums import Classes
from . import closed_form
from .moments import Moments, class_moments, relative_gradient_norm
from .newton import Limits, Result, minimise
from .objective import Objective, Point
from .preconditioner import Preconditioner
from .products import Products
from .proximal import minimise_l1

SAMPLE_FRACTION = 16
SAMPLE_BYTES = 2**26
MIN_SAMPLE = 512
SAMPLE_LIMITS = Limits(tol=3e-2, max_iter=20)
FIRST_SMOOTHING = 2.0  # at zero weights every pair is then within the rounded corner
FIRST_SMOOTHED_TOL = 1e-2
CONVEX_TOL = 2e-3  # of the convex problem whose solution a loss that is not convex starts from
VISIBLE = 1e-9  # relative decrease that is no rounding
MIN_SMOOTHING = 1e-8  # sums of a smoothed hinge have terms of size 1/smoothing: below, they round worse


class Penalty(NamedTuple):
    """``l2/2 |w|^2 + l1 |w|_1``."""

    l2: float
    l1: float = 0.0

    def value(self, w: np.ndarray) -> float:
        return float(0.5 * self.l2 * np.sum(w * w) + self.l1 * np.sum(np.abs(w)))


class Solution(NamedTuple):
    """Weights, their scores on the rows, and how close they are to the minimum."""

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
        Column moments of the classes. They only scale the problem, so a fold can use those of all rows.
    """

    def __init__(self, products: Products, classes: Classes, moments: Moments | None = None) -> None:
        self.products, self.classes = products, classes
        with defer_interrupts():
            self.moments = class_moments(products, classes) if moments is None else moments
        self._preconditioner = Preconditioner(products, classes)
        self._last: Point | None = None  # reused by a fit that starts from its weights

    def solve(self, loss: Loss, penalty: Penalty, limits: Limits, w: np.ndarray | None = None) -> Solution:
        """Minimise from ``w``, or from the solution of a sample of the rows."""
        if closed_form.applies(loss, penalty.l1, self.products):
            return self._closed_form(penalty)
        if not loss.convex:
            w = self._convex_solution(loss, penalty, limits, w)
        elif w is None:
            w = self._start(loss.smoothed(FIRST_SMOOTHING), penalty)
        if loss.kinked:
            return self._solve_smoothed(loss, penalty, limits, w)
        result = self._minimise(loss, penalty, limits, w)
        point = result.point
        objective = point.value + penalty.l1 * float(np.sum(np.abs(point.w)))
        return Solution(point.w, point.Xw, objective, result.optimality, result.n_iter, result.converged)

    def _closed_form(self, penalty: Penalty) -> Solution:
        statistics = closed_form.class_statistics(self.products, self.classes, self.moments.centre)
        found = closed_form.solve(statistics, penalty.l2)
        scores = self.products.scores(found.w)
        return Solution(found.w, scores, found.objective, found.optimality, 1, True)

    def _minimise(self, loss: Loss, penalty: Penalty, limits: Limits, w: np.ndarray) -> Result[Point]:
        objective = Objective(self.products, self.classes, loss, penalty.l2)
        gradient_norm = relative_gradient_norm(self.moments, loss, penalty.l2)
        last = self._last
        with defer_interrupts():
            start = objective.at(w) if last is None or last.w is not w else last.for_objective(objective)
        if penalty.l1 > 0.0:
            result = minimise_l1(objective, start, penalty.l1, gradient_norm, limits)
        else:
            precondition = self._preconditioner.for_penalty(penalty.l2, gradient_norm.scale)
            result = minimise(objective, start, gradient_norm, precondition, limits, guard=defer_interrupts)
        self._last = result.point
        return result

    def _convex_solution(
        self, loss: Loss, penalty: Penalty, limits: Limits, w: np.ndarray | None
    ) -> np.ndarray:
        """Minimiser of a convex loss under as strong a penalty: it decides which local minimum is found."""
        (convex,) = loss.approach()
        l2 = penalty.l2 * (convex.mean_curvature() / loss.mean_curvature())
        rough = Limits(max(limits.tol, CONVEX_TOL), limits.max_iter)
        return self.solve(convex, Penalty(l2), rough, w).w

    def _start(self, loss: Loss, penalty: Penalty) -> np.ndarray:
        """Solution of a sample of the rows, then of easier losses where this one is far from quadratic."""
        easier = loss.approach()
        w = self._sample_solution(easier[0] if easier else loss, penalty)
        for step in easier:
            w = self._minimise(step, penalty, SAMPLE_LIMITS, w).point.w
        return w

    def _sample_solution(self, loss: Loss, penalty: Penalty) -> np.ndarray:
        """Solution of a sample of the rows, to a loose tolerance; zero where a sample would be too small."""
        n, d = self.products.n_rows, self.products.n_features
        size = min(n // SAMPLE_FRACTION, int(SAMPLE_BYTES / max(1.0, self.products.row_bytes)))
        if size < max(MIN_SAMPLE, 2 * d):
            return np.zeros(d)
        rows, classes = self.classes.sample(size // 2)
        sample = Problem(self.products.take(rows), classes, self.moments)
        return sample._minimise(loss, penalty, SAMPLE_LIMITS, np.zeros(d)).point.w

    def _solve_smoothed(self, loss: Loss, penalty: Penalty, limits: Limits, w: np.ndarray) -> Solution:
        """Minimise ever less smoothed losses until the proven gap is at most ``tol`` times the objective.

        With little smoothing rounding errors may be large, so the best solution and the best bound are kept.
        """
        smoothing, smoothed_tol, steps, best, lower = FIRST_SMOOTHING, FIRST_SMOOTHED_TOL, 0, None, 0.0
        while True:
            remaining = Limits(smoothed_tol, limits.max_iter - steps, limits.report)
            result = self._minimise(loss.smoothed(smoothing), penalty, remaining, w)
            steps += max(1, result.n_iter)
            point, w = result.point, result.point.w
            found = self._scaled_to_kink(loss, penalty, point, smoothing)
            if best is None or found.objective < best.objective:
                best = found
            pair_weight, z = self._active_weight(point), -point.pair_gradient
            lower = max(lower, dual_value(pair_weight, z, penalty) - self._rounding(point))
            gap = max(0.0, best.objective - lower) / best.objective if best.objective > 0.0 else 0.0
            no_progress = result.n_iter == 0 and not result.converged
            if gap <= limits.tol or steps >= limits.max_iter or no_progress or smoothing < MIN_SMOOTHING:
                return best._replace(optimality=gap, n_iter=steps, converged=gap <= limits.tol)
            wanted = 0.5 * limits.tol * best.objective
            smoothing_gap = found.objective - penalty.value(w) - pair_weight + float(z @ w)
            solver_gap = found.objective - lower - smoothing_gap
            if solver_gap > max(wanted, smoothing_gap):
                smoothed_tol *= 0.1 if result.converged else 0.5
            else:
                smoothing *= max(0.1, min(0.4, 0.8 * wanted / max(smoothing_gap, wanted)))

    def _scaled_to_kink(self, loss: Loss, penalty: Penalty, point: Point, smoothing: float) -> Solution:
        """A multiple of the weights near 1 at which margins within the rounded corner reach the kink."""

        def objective(length: float) -> float:
            return self._pair_value(loss, length * point.Xw) + penalty.value(length * point.w)

        length, value = 1.0, objective(1.0)
        for step in (0.25 * smoothing, -0.25 * smoothing):
            start = length
            while length + step > 0.0 and (longer := objective(length + step)) < value * (1.0 - VISIBLE):
                length, value = length + step, longer
            if length != start:
                break
        return Solution(length * point.w, length * point.Xw, value, np.inf, 0, False)

    def _pair_value(self, loss: Loss, scores: np.ndarray) -> float:
        return loss.sums(self.classes, scores).value

    def _active_weight(self, point: Point) -> float:
        """The derivative of the mean over pairs by a shift of all positives' scores, with opposite sign."""
        return self._sum_over_positives(-point.score_gradient)

    def _sum_over_positives(self, by_row: np.ndarray) -> float:
        return float(self.classes.xp.sum(by_row[self.classes.pos]))

    def _rounding(self, point: Point) -> float:
        """By how much the slopes of a smoothed hinge may be wrong, since the scores are rounded."""
        xp = self.classes.xp
        largest = 1.0 + float(xp.max(xp.abs(point.Xw)))
        return np.finfo(float).eps * largest * self._sum_over_positives(point.sums.diagonal())


def dual_value(pair_weight: float, z: np.ndarray, penalty: Penalty) -> float:
    """A lower bound of the hinge's objective, from slopes of a smoothed hinge.

    With any alpha from 0 to 1 for each pair, ``hinge(m) >= alpha (1 - m)``. Summed, with ``pair_weight`` the
    sum of the alphas and ``z`` that of ``alpha (x_i - x_j)``, the objective is at least ``pair_weight`` minus
    the conjugate of the penalty at ``z``; all alphas may be multiplied by one factor up to 1. A pushed mean
    is at least the mean with the weights of the negatives that its gradient has at any point.
    """

    def value(factor: float) -> float:
        beyond = soft_threshold_array(factor * z, penalty.l1)
        conjugate = float(beyond @ beyond) / (2.0 * penalty.l2) if beyond.any() else 0.0
        return factor * pair_weight - conjugate

    largest = float(np.abs(z).max(initial=0.0))
    inside = min(1.0, penalty.l1 / largest) if largest > 0.0 else 1.0  # up to here the conjugate is zero
    if penalty.l2 == 0.0 or inside == 1.0:
        return inside * pair_weight
    found = minimize_scalar(lambda factor: -value(factor), bounds=(inside, 1.0), method="bounded")
    return max(value(1.0), value(inside), value(float(found.x)))
