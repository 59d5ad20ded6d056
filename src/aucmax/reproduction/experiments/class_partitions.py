"""How much AUC depends on the choice of the positive classes: the exact optimum for many random halves."""

from collections.abc import Iterator

from ..methods import METHODS
from ..protocol import Protocol, evaluate_splits
from .job import Job, Record
from .tables import TABLES

N_PARTITIONS, N_QUICK_PARTITIONS = 20, 2


class ClassPartitions:
    """Test AUC of the squared loss's optimum for many partitions of the classes into two halves."""

    name, title = "partitions", "Random halves of the classes"
    problems = tuple(
        problem
        for table in TABLES[:2]
        for problem in table.problems
        if problem.classes == "halves" and (table.name, problem.name) != ("spdam-table3", "sector")
    )

    def jobs(self, quick: bool) -> list[Job]:
        """One job for each data set and scaling of its rows; quick runs use the smallest data set only."""
        problems = [p for p in self.problems if p.name == "usps"] if quick else self.problems
        return [Job(p.name, p.rows, N_QUICK_PARTITIONS if quick else N_PARTITIONS) for p in problems]

    def compute_records(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The AUC of each partition; the number of a partition is the seed that draws it."""
        problem = next(p for p in self.problems if (p.name, p.rows) == (job.data, job.method))
        finished = {record["partition"] for record in done}
        for partition in sorted(set(range(job.n_records)) - finished):
            X, y = problem.load(partition)
            splits = Protocol(1, 0).splits(y, seed)
            result = next(evaluate_splits(METHODS["B-LS-SVM"], X, y, splits, {}, seed))
            yield {"partition": partition, "positives": int(y.sum()), "auc": result.auc}


PARTITIONS = ClassPartitions()
