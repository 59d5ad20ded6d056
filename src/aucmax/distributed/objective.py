"""The regularised mean pair loss of a linear scorer over rows in partitions, as the Newton solver needs it.

Scores stay where the rows are. A vector of scores ``X v`` is represented by ``v`` itself.
"""

from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..batch.newton import Solve
from ..pairs.losses import Loss
from .curvature import CoarseCurvature, CoarseMesh, coarse_curvature
from .mesh import Histogram
from .pair_sums import MeshFunction, mesh_function
from .rounds import Rounds
from .row_sums import (
    Scorer,
    SignedRows,
    spread_weight_changes,
    spread_weights,
    sum_gradient,
    sum_gradient_changes,
    sum_hessian,
)

MAX_HESSIAN_FEATURES = (
    1024  # up to here the Hessian is formed; beyond, a round gives its product with a vector
)
CHEAP_FEATURES = 64  # up to here a row of the Hessian costs about as much as one of a pass over the rows
HESSIAN_ROWS = 2000  # for each feature: enough to make the Hessian where all rows would cost far more


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
    histogram: Histogram
    fields: np.ndarray
    mesh: CoarseMesh
    row_curvature: np.ndarray | None


def evaluate_pairs(histogram: Histogram, loss: Loss, with_curvature: bool) -> PairState:
    """The mean over all pairs from the weights of both classes on the mesh."""
    function, h = mesh_function(loss, histogram), loss.mesh_spacing
    mesh = CoarseMesh.around(histogram, h)
    curvature = coarse_curvature(loss, mesh, mesh.gather(histogram, h)).by_row if with_curvature else None
    return PairState(function.value, histogram, function.fields, mesh, curvature)


def sum_derivatives(rows: SignedRows, state: PairState, scorer: Scorer, step: int) -> tuple[np.ndarray, ...]:
    """Sums over a partition from which the gradient follows and, where it is formed, the Hessian."""
    score = scorer.scores(rows)
    gradient = sum_gradient(rows, scorer, score, state.histogram.nodes, state.fields)
    if state.row_curvature is None:
        return (gradient,)
    return gradient, *sum_hessian(rows, scorer.centre, score, state.mesh, state.row_curvature, step)


class Objective(NamedTuple):
    """Mean pair loss plus ``l2/2 |w|^2``."""

    columns: PartitionedColumns
    loss: Loss
    l2: float

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``."""
        return Point(self, w, *self._evaluate(w))

    def _evaluate(self, w: np.ndarray) -> tuple[PairState, tuple[np.ndarray, ...]]:
        """One round: the mean over all pairs, and its derivatives."""
        scorer, step = self.columns.scorer(w, self.loss), self.columns.hessian_step
        return self.columns.rounds.sum_twice(
            partial(spread_weights, scorer=scorer),
            partial(evaluate_pairs, loss=self.loss, with_curvature=step > 0),
            partial(sum_derivatives, scorer=scorer, step=step),
        )


class Point:
    """The objective at one ``w``: value, gradient, and products with the Hessian."""

    def __init__(
        self, objective: Objective, w: np.ndarray, state: PairState, sums: tuple[np.ndarray, ...]
    ) -> None:
        self.w, self.Xw, self.objective, self._state, self._sums = w, w, objective, state, sums
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
        columns, state, f = self.objective.columns, self._state, self.objective
        scorer, nodes = columns.scorer(self.w, f.loss), state.histogram.nodes
        direction = columns.factor * v
        _, total = columns.rounds.sum_twice(
            partial(spread_weight_changes, scorer=scorer, nodes=nodes, direction=direction),
            self._function.field_changes,
            partial(_change_gradient, scorer=scorer, state=state, direction=direction),
        )
        return columns.factor * total + f.l2 * v, v

    @cached_property
    def _function(self) -> MeshFunction:
        return mesh_function(self.objective.loss, self._state.histogram)

    @cached_property
    def _hessian(self) -> np.ndarray:
        loss, factor, state = self.objective.loss, self.objective.columns.factor, self._state
        _, square, by_node = self._sums
        weight = state.mesh.gather(state.histogram, loss.mesh_spacing)
        curvature: CoarseCurvature = coarse_curvature(loss, state.mesh, weight)
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


def _change_gradient(
    rows: SignedRows, field_changes: np.ndarray, scorer: Scorer, state: PairState, direction: np.ndarray
) -> np.ndarray:
    nodes, fields = state.histogram.nodes, state.fields
    return sum_gradient_changes(rows, scorer, nodes, fields, direction, field_changes)
