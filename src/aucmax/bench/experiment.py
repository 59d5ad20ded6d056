"""What every experiment is: jobs that yield records, done once each, on all processors."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple, Protocol

from threadpoolctl import threadpool_limits

from .records import Records, surroundings


class Job(NamedTuple):
    """One method on one data set; ``steps`` is how many records make it complete."""

    data: str
    method: str
    steps: int


class Experiment(Protocol):
    """A table or a figure of a paper."""

    name: str
    title: str

    def jobs(self, quick: bool) -> list[Job]:
        """All there is to do; ``quick`` for minutes on small data sets."""

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """The records of a job, less those that are ``done``."""


def run(
    experiment: Experiment,
    records: Records,
    *,
    quick: bool = False,
    seed: int = 0,
    processes: int | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, doing: None,
) -> None:
    """Do what the records do not hold yet, telling ``progress`` after each record.

    Each process works with one thread; records arrive here one by one and are on file before the next.
    """
    jobs = experiment.jobs(quick)
    wanted = {"quick": quick, "seed": seed}
    left = [(job, records.where(data=job.data, method=job.method, **wanted)) for job in jobs]
    total = sum(job.steps for job in jobs)
    count = sum(min(len(done), job.steps) for job, done in left)
    left = [(job, done) for job, done in left if len(done) < job.steps]
    progress(count, total, "")
    if not left:
        return
    common = {"experiment": experiment.name, **wanted, **surroundings()}
    with ExitStack() as stack:
        manager = stack.enter_context(multiprocessing.get_context("spawn").Manager())
        arrived = manager.Queue()
        pool = ProcessPoolExecutor(
            processes or os.cpu_count(), mp_context=multiprocessing.get_context("spawn")
        )
        stack.callback(pool.shutdown, cancel_futures=True)
        running = {pool.submit(_do, experiment, job, done, quick, seed, arrived) for job, done in left}
        while running or not arrived.empty():
            try:
                record = arrived.get(timeout=0.2)
            except Empty:
                over, running = wait(running, timeout=0)
                for future in over:
                    future.result()
                continue
            records.add({**common, **record})
            count += 1
            progress(count, total, f"{record['data']} {record['method']}")


def _do(
    experiment: Experiment, job: Job, done: list[dict[str, Any]], quick: bool, seed: int, arrived: Any
) -> None:
    with threadpool_limits(1):
        for record in experiment.work(job, done, quick, seed):
            arrived.put({"data": job.data, "method": job.method, **record})


def record_file(folder: Path, experiment: Experiment) -> Path:
    """Where an experiment keeps its records."""
    return folder / "records" / f"{experiment.name}.jsonl"
