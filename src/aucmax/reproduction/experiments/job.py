"""What every experiment offers: jobs, and the records that each of them yields."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

Record = dict[str, Any]


class Job(NamedTuple):
    """One method on one data set; ``n_records`` is the number of records when it is complete."""

    data: str
    method: str
    n_records: int


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
