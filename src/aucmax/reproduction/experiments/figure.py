"""The base class of all figures: a curve for each method and data set, and a record for each point."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..diagnostics import Matrix
from ..problems import Problem
from .job import Job, Record

QUICK_PROBLEM = Problem("diabetes", ("diabetes",), "range")
QUICK_PASSES, QUICK_POINTS = 8, 3


class CurveTask(NamedTuple):
    """What to compute a curve from: a method and data; ``marks`` has the x of each point, such as passes."""

    method: str
    X: Matrix
    y: np.ndarray
    marks: list[int]
    done: list[Record]
    quick: bool
    seed: int


@dataclass(frozen=True)
class Figure(ABC):
    """Curves in panels: a column for each data set, a row for each pair of x and y in ``axes``."""

    name: str
    title: str
    problems: tuple[Problem, ...]
    axes: tuple[tuple[str, str], ...]
    passes: int = 30
    repeats: int = 3
    points: int = 12

    claim_source: ClassVar[str] = "Expected"  # whose claim about the figure the page checks

    @property
    @abstractmethod
    def methods(self) -> list[str]:
        """The names of the curves."""

    @abstractmethod
    def marks(self, problem: Problem, method: str, quick: bool) -> list[int]:
        """The x of a curve's points: numbers of rows or passes, or degrees."""

    def prepare(self, task: CurveTask) -> Any:
        """What all repeats of a curve need, such as tuned parameters."""
        return None

    @abstractmethod
    def compute_curve(self, task: CurveTask, shared: Any, repeat: int) -> Iterable[Record]:
        """A record for each point of one repeat; ``shared`` is what ``prepare`` returned."""

    def size(self, quick: bool) -> tuple[int, int]:
        """Passes and points of a curve."""
        return (QUICK_PASSES, QUICK_POINTS) if quick else (self.passes, self.points)

    def n_repeats(self, method: str, quick: bool) -> int:
        """How often a curve is computed, each time with another seed or split."""
        return 1 if quick else self.repeats

    def jobs(self, quick: bool) -> list[Job]:
        """One job for each curve."""
        return [
            Job(problem.name, method, len(self.marks(problem, method, quick)) * self.n_repeats(method, quick))
            for problem in ((QUICK_PROBLEM,) if quick else self.problems)
            for method in self.methods
        ]

    def compute_records(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The points of each repeat's curve, all at once when the curve is complete."""
        problem = QUICK_PROBLEM if quick else next(each for each in self.problems if each.name == job.data)
        marks = self.marks(problem, job.method, quick)
        task = CurveTask(job.method, *problem.load(seed), marks, done, quick, seed)
        shared = self.prepare(task)
        for repeat in range(self.n_repeats(job.method, quick)):
            finished = {record["point"] for record in done if record["repeat"] == repeat}
            if len(finished) < len(marks):
                for point, record in enumerate(list(self.compute_curve(task, shared, repeat))):
                    if point not in finished:
                        yield {"repeat": repeat, "point": point, **_round_floats(record)}


def _round_floats(record: Record) -> Record:
    """Keep six significant digits, more than a figure shows."""
    return {k: float(f"{value:.6g}") if isinstance(value, float) else value for k, value in record.items()}
