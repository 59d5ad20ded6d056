"""What every experiment offers: jobs, and the records that each of them yields."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

Record = dict[str, Any]


class Job(NamedTuple):
    """One method on one data set; ``steps`` is the number of records when it is complete."""

    data: str
    method: str
    steps: int


class Experiment(Protocol):
    """A table or a figure of a paper."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def jobs(self, quick: bool) -> list[Job]:
        """All jobs; ``quick`` those of a short run on small data sets."""

    def work(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The records of a job without those that are ``done``."""
