"""Every method's distance to the exact minimiser of its own objective."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ..minimisers import TARGETS
from ..problems import Problem
from ..trajectories import TRACED_BY_PASS, pass_marks, trace
from .figure import QUICK_PASSES, QUICK_POINTS, CurveTask, Figure
from .job import Record


@dataclass(frozen=True)
class OptimumDistance(Figure):
    """Distance to the minimiser and gap of the objective, against passes over all rows."""

    axes: tuple[tuple[str, str], ...] = (("passes", "distance"), ("passes", "gap"))
    repeats: int = 2
    points: int = 10

    @property
    def methods(self) -> list[str]:
        return list(TARGETS)

    def marks(self, problem: Problem, method: str, quick: bool) -> list[int]:
        passes, points = (QUICK_PASSES, QUICK_POINTS) if quick else (self.passes, self.points)
        if method in TRACED_BY_PASS:
            return pass_marks(method, passes, points)
        return [round(share * problem.n_rows) for share in np.geomspace(0.1, passes, points)]

    def prepare(self, task: CurveTask) -> Callable[[int], Iterator[Record]]:
        target = TARGETS[task.method](task.X, task.y)

        def compute_curve(repeat: int) -> Iterator[Record]:
            seed = task.seed + repeat
            model = clone(target.model).set_params(random_state=seed)
            for snapshot in trace(model, task.X, task.y, task.marks, seed):
                yield {**snapshot.cost(), **target.excess(snapshot.observed, task.X, task.y)}

        return compute_curve
