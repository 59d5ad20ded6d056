"""How much AUC depends on which random half of the classes is positive: the exact optimum for many halves."""

from collections.abc import Iterator
from typing import NamedTuple

from ..methods import METHODS
from ..problems import Problem
from ..protocol import Protocol, evaluate_splits
from .job import Job, Record
from .tables import TABLES

HALVES, QUICK_HALVES = 20, 2


class ClassPartitions(NamedTuple):
    """The squared loss's optimum for many random halves of the classes, one split each."""

    name: str
    title: str
    problems: tuple[Problem, ...]

    def jobs(self, quick: bool) -> list[Job]:
        """One for each data set and scaling of its rows; quick runs have the smallest data set only."""
        problems = [p for p in self.problems if p.name == "usps"] if quick else self.problems
        return [Job(p.name, p.rows, QUICK_HALVES if quick else HALVES) for p in problems]

    def work(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The AUC of each partition; its number is the seed with which it was drawn."""
        problem = next(p for p in self.problems if (p.name, p.rows) == (job.data, job.method))
        known = {record["partition"] for record in done}
        for partition in sorted(set(range(job.steps)) - known):
            X, y = problem.load(partition)
            splits = Protocol(1, 0).splits(y, seed)
            result = next(evaluate_splits(METHODS["B-LS-SVM"], X, y, splits, {}, seed))
            yield {"partition": partition, "positives": int(y.sum()), "auc": result.auc}


PARTITIONS = ClassPartitions(
    "partitions",
    "Random halves of the classes",
    tuple(
        problem
        for table in TABLES[:2]
        for problem in table.problems
        if problem.classes == "halves" and (table.name, problem.name) != ("spdam-table3", "sector")
    ),
)
