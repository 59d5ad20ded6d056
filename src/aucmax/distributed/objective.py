"""The regularised mean pair loss of a linear scorer over rows in partitions, as the Newton solver needs it.

Scores stay where the rows are. A vector of scores ``X v`` is represented by ``v`` itself.
"""

from functools import cached_property, partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..batch.newton import Solve
from ..pairs.losses import Loss
from .curvature import CoarseMesh, coarse_curvature
from .mesh import Histogram, spread_scores
from .pair_sums import MeshFunction, mesh_function
from .rounds import Rounds
from .row_sums import (
    Scorer,
    SignedRows,
    spread_weight_changes,
    sum_gradient,
    sum_gradient_changes,
    sum_hessian,
)

MAX_HESSIAN_FEATURES = 1024  # up to here the Hessian is formed; else a round gives its product with a vector
CHEAP_FEATURES = 64  # up to here a row of the Hessian costs about as much as one of a pass over the rows
HESSIAN_ROWS = 2000  # for each feature: enough to make the Hessian where all rows would cost far more
# Multiples of a Newton step, tried in one round; each is twice the one before. A single step is too short for
# rare features of one class.
LENGTHS = 0.5, 1.0, 2.0, 4.0


class PartitionedColumns(NamedTuple):
    """Rows in partitions whose columns stand for ``factor (x - centre)``; they are not changed."""

    rounds: Rounds
    n_rows: int
    centre: np.ndarray
    factor: np.ndarray

    @property
    def hessian_step(self) -> int:
        """Every how many rows one is taken for the Hessian; 0 if it is not formed."""
        d = len(self.factor)
        if d > MAX_HESSIAN_FEATURES:
            return 0
        return max(1, min(d // CHEAP_FEATURES, self.n_rows // (HESSIAN_ROWS * d)))

    def scorer(self, w: np.ndarray, loss: Loss) -> Scorer:
        """Scores of the weights ``w`` of the scaled columns."""
        return Scorer(w * self.factor, self.centre, loss.mesh_spacing)


class PairState(NamedTuple):
    """What is known of all pairs at some weights: a few thousand numbers, sent to all partitions."""

    value: float
    length: float
    scorer: Scorer
    histogram: Histogram
    node_slopes: np.ndarray
    mesh: CoarseMesh
    row_curvature: np.ndarray | None


class Line(NamedTuple):
    """Points ``w + length p``: their coefficients, and the slope ``penalty @ (1, length)`` of the penalty."""

    scorer: Scorer
    direction: np.ndarray
    lengths: tuple[float, ...]
    penalty: tuple[float, float]

    def spread(self, rows: SignedRows) -> tuple[Histogram, ...]:
        """The weights of a partition on the mesh at each length, and how they change."""
        score, change = self.scorer.scores_and_changes(rows, self.direction)
        return tuple(
            spread_scores(score + length * change, change, rows.y, self.scorer.spacing)
            for length in self.lengths
        )


def evaluate_pairs(totals: tuple[Histogram, ...], line: Line, loss: Loss, with_curvature: bool) -> PairState:
    """The mean over all pairs at the length with the smallest slope.

    The slope grows with the length. So among lengths that double, the one chosen lies below the start.
    """
    found: list[tuple[float, float, MeshFunction]] = []
    for length, total in zip(line.lengths, totals, strict=True):
        try:
            function = mesh_function(loss, Histogram(total.nodes, total.weight[:2]))
        except ValueError:  # scores too far apart for the loss
            if not found:
                raise
            break
        slope = float(np.sum(function.node_slopes * total.weight[2:]))
        slope += line.penalty[0] + length * line.penalty[1]
        found.append((abs(slope), length, function))
        if slope >= 0.0:
            break
    _, length, chosen = min(found, key=itemgetter(0))
    scorer = line.scorer._replace(coef=line.scorer.coef + length * line.direction)
    mesh = CoarseMesh.around(chosen.histogram, loss.mesh_spacing)
    curvature = coarse_curvature(loss, mesh, chosen.histogram).by_row if with_curvature else None
    return PairState(chosen.value, length, scorer, chosen.histogram, chosen.node_slopes, mesh, curvature)


def sum_derivatives(rows: SignedRows, state: PairState, step: int) -> tuple[np.ndarray, ...]:
    """Sums over a partition from which the gradient follows and, where it is formed, the Hessian."""
    score = state.scorer.scores(rows)
    gradient = sum_gradient(rows, state.scorer, score, state.histogram.nodes, state.node_slopes)
    if state.row_curvature is None:
        return (gradient,)
    return gradient, *sum_hessian(rows, state.scorer.centre, score, state.mesh, state.row_curvature, step)


class Objective(NamedTuple):
    """Mean pair loss plus ``l2/2 |w|^2``."""

    columns: PartitionedColumns
    loss: Loss
    l2: float

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``."""
        return self._first_point(w, np.zeros_like(w), (0.0,))

    def first_trial(self, point: "Point", p: np.ndarray, Xp: np.ndarray) -> tuple[float, "Point"]:
        """The best of a few lengths along a step, and the point there: one round, as for a single one."""
        found = self._first_point(point.w, p, LENGTHS)
        return found.length, found

    def _first_point(self, w: np.ndarray, p: np.ndarray, lengths: tuple[float, ...]) -> "Point":
        """One round: the mean over all pairs at the best length, and its derivatives."""
        columns, step = self.columns, self.columns.hessian_step
        penalty = self.l2 * float(w @ p), self.l2 * float(p @ p)
        line = Line(columns.scorer(w, self.loss), columns.factor * p, lengths, penalty)
        state, sums = columns.rounds.sum_twice(
            line.spread,
            partial(evaluate_pairs, line=line, loss=self.loss, with_curvature=step > 0),
            partial(sum_derivatives, step=step),
        )
        return Point(self, w + state.length * p, state, sums)


class Point:
    """The objective at one ``w``: value, gradient, and products with the Hessian."""

    def __init__(
        self, objective: Objective, w: np.ndarray, state: PairState, sums: tuple[np.ndarray, ...]
    ) -> None:
        self.w, self.Xw, self.length, self.objective = w, w, state.length, objective
        self._state, self._sums = state, sums
        self.value = state.value + 0.5 * objective.l2 * float(w @ w)
        self.pair_gradient = objective.columns.factor * sums[0][:-1]
        self.gradient = self.pair_gradient + objective.l2 * w

    def for_objective(self, objective: Objective) -> "Point":
        """Another objective on the same rows at the same ``w``; with the same loss, its sums are reused."""
        if objective.loss != self.objective.loss:
            return objective.at(self.w)
        return Point(objective, self.w, self._state, self._sums)

    @property
    def active_weight(self) -> float:
        """The derivative by a shift of all positives' scores, with the opposite sign."""
        return -float(self._sums[0][-1])

    def slope(self, v: np.ndarray, Xv: np.ndarray) -> float:
        """The gradient times ``v``."""
        return float(self.gradient @ v)

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``v``: from the Hessian if it is formed, else by a round."""
        if self._state.row_curvature is not None:
            return self._hessian @ v, v
        columns, state = self.objective.columns, self._state
        shared = {"scorer": state.scorer, "nodes": state.histogram.nodes, "direction": columns.factor * v}
        _, total = columns.rounds.sum_twice(
            partial(spread_weight_changes, **shared),
            self._function.node_slope_changes,
            partial(sum_gradient_changes, node_slopes=state.node_slopes, **shared),
        )
        return columns.factor * total + self.objective.l2 * v, v

    @cached_property
    def _function(self) -> MeshFunction:
        return mesh_function(self.objective.loss, self._state.histogram)

    @cached_property
    def _hessian(self) -> np.ndarray:
        loss, factor, state = self.objective.loss, self.objective.columns.factor, self._state
        _, square, by_node = self._sums
        curvature = coarse_curvature(loss, state.mesh, state.histogram)
        sums = by_node.reshape(-1, len(factor))
        hessian = np.outer(factor, factor) * (square + sums.T @ curvature.by_nodes @ sums)
        push = getattr(loss, "push", 1.0)
        if push > 1.0 and state.value > 0.0:
            hessian -= (push - 1.0) / state.value * np.outer(self.pair_gradient, self.pair_gradient)
        return hessian + self.objective.l2 * np.eye(len(factor))

    def solver(self, diagonal: np.ndarray) -> Solve:
        """Solves with the Hessian where it is formed and positive definite, else with a ``diagonal``."""
        if self._state.row_curvature is None:
            return lambda r: r / diagonal
        ridge = 1e-10 * diagonal  # constant columns have no curvature
        try:
            factor = cho_factor(self._hessian + np.diag(ridge), lower=True)
        except LinAlgError:
            return lambda r: r / diagonal
        return lambda r: cho_solve(factor, r)
