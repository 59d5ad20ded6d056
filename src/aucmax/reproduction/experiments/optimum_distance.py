"""Every method's distance to the exact minimiser of its own objective."""

from collections.abc import Iterator
from dataclasses import dataclass

from sklearn.base import clone

from ..minimisers import TARGETS, Target
from ..problems import Problem
from ..trajectories import trace, training_marks
from .figure import CurveTask, Figure
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
        return training_marks(method, 0.1 * problem.n_rows, problem.n_rows, *self.size(quick))

    def prepare(self, task: CurveTask) -> Target:
        return TARGETS[task.method](task.X, task.y)

    def compute_curve(self, task: CurveTask, shared: Target, repeat: int) -> Iterator[Record]:
        seed = task.seed + repeat
        model = clone(shared.model).set_params(random_state=seed)
        for snapshot in trace(model, task.X, task.y, task.marks, seed):
            yield {**snapshot.cost(), **shared.excess(snapshot.observed, task.X, task.y)}
