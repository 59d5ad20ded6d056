"""How much the random halves of the classes decide: the exact optimum's AUC over many of them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .experiment import Job
from .methods import METHODS
from .problems import Problem
from .protocol import Protocol, judged

HALVES, QUICK_HALVES = 20, 2


class Partitions(NamedTuple):
    """The squared loss's optimum for many random halves of the classes, one split each."""

    name: str
    title: str
    problems: tuple[Problem, ...]

    def jobs(self, quick: bool) -> list[Job]:
        """One for each data set and scaling of its rows; quick on the smallest only."""
        problems = [p for p in self.problems if p.name == "usps"] if quick else self.problems
        return [Job(p.name, p.rows, QUICK_HALVES if quick else HALVES) for p in problems]

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """The AUC of each partition; its number is the seed that drew it."""
        problem = next(p for p in self.problems if (p.name, p.rows) == (job.data, job.method))
        known = {record["partition"] for record in done}
        for partition in range(job.steps):
            if partition not in known:
                X, y = problem.load(partition)
                splits = Protocol(1, 0).splits(y, False, seed)
                fit = next(judged(METHODS["B-LS-SVM"], X, y, splits, {}, seed))
                yield {"partition": partition, "positives": int(y.sum()), "auc": fit.auc}
