"""What every experiment offers: jobs, and the records that each of them yields."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from ...validation.errors import ParameterError

Record = dict[str, Any]


class Job(NamedTuple):
    """One method on one data set; ``n_records`` is the number of records when it is complete.

    ``splits`` has the numbers of the splits that a table evaluates, and is empty for other experiments.
    """

    data: str
    method: str
    n_records: int
    splits: tuple[int, ...] = ()

    def includes(self, record: Record) -> bool:
        """Whether a record of the experiment is one of this job's."""
        same = (record["data"], record["method"]) == (self.data, self.method)
        return same and (not self.splits or record["split"] in self.splits)

    def restrict_to(self, splits: tuple[int, ...]) -> "Job":
        """The job with only those of its splits."""
        kept = tuple(split for split in self.splits if split in splits)
        return self._replace(splits=kept, n_records=len(kept))


class Experiment(Protocol):
    """A table or a figure of a paper."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def jobs(self, quick: bool) -> list[Job]:
        """All jobs; with ``quick``, those of a short run on small data sets."""

    def compute_records(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """Compute the records of a job, except those already ``done``."""


class Selection(NamedTuple):
    """The part of an experiment to run: data sets, methods and splits; all of them where a field is empty."""

    data: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    splits: tuple[int, ...] = ()

    def jobs_of(self, experiment: Experiment, quick: bool) -> list[Job]:
        """The selected jobs of an experiment; every name and number must be one of the experiment's."""
        jobs = experiment.jobs(quick)
        names = {"data": [job.data for job in jobs], "method": [job.method for job in jobs]}
        for field, known in names.items():
            for name in getattr(self, field):
                if name not in known:
                    allowed = f"one of {', '.join(dict.fromkeys(known))}"
                    raise ParameterError(experiment.name, field, allowed, name)
        jobs = [
            job
            for job in jobs
            if (not self.data or job.data in self.data) and (not self.method or job.method in self.method)
        ]
        return jobs if not self.splits else self._with_splits(experiment, jobs)

    def _with_splits(self, experiment: Experiment, jobs: list[Job]) -> list[Job]:
        n_splits = max(len(job.splits) for job in jobs) if jobs else 0
        for split in self.splits:
            if split >= n_splits:
                allowed = f"numbers from 0 to {n_splits - 1}" if n_splits else "left out: it has no splits"
                raise ParameterError(experiment.name, "splits", allowed, split)
        return [job for job in (job.restrict_to(self.splits) for job in jobs) if job.splits]


EVERYTHING = Selection()
