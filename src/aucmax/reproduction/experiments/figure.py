"""What every figure has in common: methods traced on data sets, one record for each point of a curve."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..diagnostics import Matrix
from ..problems import Problem
from .job import Job, Record

QUICK_PROBLEM = Problem("diabetes", ("diabetes",), "range")
QUICK_PASSES, QUICK_POINTS = 8, 3


class CurveTask(NamedTuple):
    """A method on a data set; ``marks`` are the numbers of rows or passes, say, of a curve's points."""

    method: str
    X: Matrix
    y: np.ndarray
    marks: list[int]
    done: list[Record]
    quick: bool
    seed: int


@dataclass(frozen=True)
class Figure(ABC):
    """Curves, a panel for each data set; ``axes`` are x and y of each row of panels."""

    name: str
    title: str
    problems: tuple[Problem, ...]
    axes: tuple[tuple[str, str], ...]
    passes: int = 30
    repeats: int = 3
    points: int = 12

    claimed_by: ClassVar[str] = "Expected"  # who says what the figure shows

    @property
    @abstractmethod
    def methods(self) -> list[str]:
        """The names of the curves."""

    @abstractmethod
    def marks(self, problem: Problem, method: str, quick: bool) -> list[int]:
        """Where a curve has its points."""

    @abstractmethod
    def prepare(self, task: CurveTask) -> Callable[[int], Iterable[Record]]:
        """Do what all repeats share, and return the function that computes the curve of a repeat."""

    def n_repeats(self, method: str, quick: bool) -> int:
        """How often a curve is computed, each time with another seed or split."""
        return 1 if quick else self.repeats

    def jobs(self, quick: bool) -> list[Job]:
        """One for each curve."""
        return [
            Job(problem.name, method, len(self.marks(problem, method, quick)) * self.n_repeats(method, quick))
            for problem in ((QUICK_PROBLEM,) if quick else self.problems)
            for method in self.methods
        ]

    def work(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The points of each repeat's curve, all at once when the curve is complete."""
        problem = QUICK_PROBLEM if quick else next(each for each in self.problems if each.name == job.data)
        marks = self.marks(problem, job.method, quick)
        compute_curve = self.prepare(CurveTask(job.method, *problem.load(seed), marks, done, quick, seed))
        for repeat in range(self.n_repeats(job.method, quick)):
            known = {record["point"] for record in done if record["repeat"] == repeat}
            if len(known) < len(marks):
                for point, record in enumerate(list(compute_curve(repeat))):
                    if point not in known:
                        yield {"repeat": repeat, "point": point, **record}
