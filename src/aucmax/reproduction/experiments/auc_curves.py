"""Figures of test AUC in the course of training, or against the degree of SAUC's polynomial."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import SPAM, VRSPAM
from ...metrics import auc
from ..diagnostics import Matrix, update_variance
from ..methods import METHODS, WIDE, Method
from ..problems import Problem
from ..protocol import Protocol, Split, tune
from ..trajectories import trace, trace_passes, training_marks, weights
from .figure import QUICK_PASSES, CurveTask, Figure
from .job import Record

FIRST_ROWS = 50
WIDE_OPAUC_STEPS = (2.0**-8, 2.0**-4)  # the only ones tried on wide data, where OPAUC is slow


class Line(NamedTuple):
    """A curve: a method of the tables with some parameters ``fixed``, or the l2 tuned for another method."""

    label: str
    method: str
    fixed: tuple[tuple[str, Any], ...] = ()
    same_l2_as: str = ""

    @property
    def estimator(self) -> str:
        return type(METHODS[self.method].model).__name__


class TrainTest(NamedTuple):
    """Training and test rows of a split."""

    X: Matrix
    y: np.ndarray
    X_test: Matrix
    y_test: np.ndarray

    def test_auc(self, w: np.ndarray) -> float:
        return auc(self.y_test, self.X_test @ w)


@dataclass(frozen=True)
class AUCCurves(Figure):
    """Curves of test AUC.

    Every repeat is another split into 80 % and 20 %. Parameters are tuned on the training rows of the first
    split, with as many passes as the figure shows, but no more than the method makes by default.
    """

    lines: tuple[Line, ...] = ()
    claim_source: ClassVar[str] = "The paper"

    @property
    def methods(self) -> list[str]:
        return [line.label for line in self.lines]

    def marks(self, problem: Problem, method: str, quick: bool) -> list[int]:
        line, (passes, points) = self._line(method), self.size(quick)
        n_train = problem.n_rows - math.ceil(0.2 * problem.n_rows)
        if line.method == "OPAUC" and problem.n_features >= WIDE:
            passes = 1
        return training_marks(line.estimator, max(FIRST_ROWS, n_train / 100), n_train, passes, points)

    def prepare(self, task: CurveTask) -> tuple[list[Split], dict[str, Any]]:
        """The split of each repeat, and the parameters for all."""
        splits = Protocol(self.n_repeats(task.method, task.quick), 0).splits(task.y, task.seed)
        if task.done:
            return splits, json.loads(task.done[0]["params"])
        train, _ = splits[0]
        tuning = task._replace(X=task.X[train], y=task.y[train])
        return splits, self._choose_params(self._line(task.method), tuning)

    def compute_curve(
        self, task: CurveTask, shared: tuple[list[Split], dict[str, Any]], repeat: int
    ) -> Iterator[Record]:
        X, y, (splits, params) = task.X, task.y, shared
        train, test = splits[repeat]
        model = METHODS[self._line(task.method).method].make(X.shape[1])
        model.set_params(**params, random_state=task.seed + repeat)
        for values in self._trace_auc(model, TrainTest(X[train], y[train], X[test], y[test]), task.marks):
            yield {"params": json.dumps(params), **values}

    def _line(self, label: str) -> Line:
        return next(line for line in self.lines if line.label == label)

    def _choose_params(self, line: Line, task: CurveTask) -> dict[str, Any]:
        """The fixed parameters, and the others tuned."""
        fixed = dict(line.fixed)
        if line.same_l2_as:
            fixed["l2"] = self._tune(METHODS[line.same_l2_as], {}, task)["l2"]
        return {**fixed, **self._tune(METHODS[line.method], fixed, task)}

    def _tune(self, method: Method, fixed: dict[str, Any], task: CurveTask) -> dict[str, Any]:
        grid = {name: values for name, values in (method.grid or {}).items() if name not in fixed}
        n_features = task.X.shape[1]
        if method.name == "OPAUC" and n_features >= WIDE:
            grid = {"step_size": WIDE_OPAUC_STEPS}
        model = method.make(n_features).set_params(**fixed)
        model.set_params(max_iter=min(model.max_iter, QUICK_PASSES if task.quick else self.passes))
        searched = method._replace(model=model, grid=grid)
        return tune(searched.with_coarse_grid() if task.quick else searched, task.X, task.y, task.seed)

    def _trace_auc(self, model: Any, parts: TrainTest, marks: list[int]) -> Iterator[Record]:
        if ("passes", "variance") in self.axes and isinstance(model, (SPAM, VRSPAM)):
            yield from _trace_auc_and_variance(model, parts, marks)
            return
        for snapshot in trace(model, parts.X, parts.y, marks, seed=model.random_state):
            yield {**snapshot.cost(), "auc": parts.test_auc(snapshot.observed)}


def _trace_auc_and_variance(model: SPAM | VRSPAM, parts: TrainTest, marks: list[int]) -> Iterator[Record]:
    """Also the variance of the updates: SPAM's at the last iterate, VRSPAM's relative to its anchor."""

    def average_and_last(model: Any) -> tuple[np.ndarray, np.ndarray]:
        return weights(model), model._solver.model.last().copy()

    stages = trace_passes(model, parts.X, parts.y, range(1, marks[-1] + 1), observe=average_and_last)
    for mark in marks:
        w, last = stages[mark - 1].observed
        record = {**stages[mark - 1].cost(), "auc": parts.test_auc(w)}
        if isinstance(model, SPAM):
            record["variance"] = update_variance(last, parts.X, parts.y)
        elif mark > 1:  # the anchor of the first stage is unknown
            anchor, _ = stages[mark - 2].observed
            record["variance"] = update_variance(w, parts.X, parts.y, anchor=anchor)
        yield record


class DegreeCurves(AUCCurves):
    """Test AUC of SAUC against the degree of its polynomial; its other parameters are tuned at degree 10."""

    DEGREES = (2, 5, 10, 25, 40)

    def marks(self, problem: Problem, method: str, quick: bool) -> list[int]:
        return list(self.DEGREES[:: 2 if quick else 1])

    def _trace_auc(self, model: Any, parts: TrainTest, marks: list[int]) -> Iterator[Record]:
        model.set_params(max_iter=min(model.max_iter, self.passes))
        for degree in marks:
            w = model.set_params(degree=degree).fit(parts.X, parts.y).coef_[0]
            yield {"degree": degree, "auc": parts.test_auc(w)}
