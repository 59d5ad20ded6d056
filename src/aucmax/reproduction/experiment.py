"""What every experiment is: jobs that yield records, done once each, on all processors."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.managers import SyncManager
from pathlib import Path
from queue import Empty
from threading import Thread
from typing import Any, NamedTuple, Protocol

from threadpoolctl import threadpool_limits

from ..validation.errors import DataError
from .records import Records, now, versions

POLL = 0.2  # seconds between two looks whether a process has failed


class Job(NamedTuple):
    """One method on one data set; ``steps`` is how many records make it complete."""

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
        """All there is to do; ``quick`` for a minute on small data sets."""

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

    Each of the ``processes`` (all cores by default; 1 is this one) works with one thread. Records
    are on file one by one, so that a run that is stopped, however rudely, goes on from there.
    """
    jobs = experiment.jobs(quick)
    wanted = {"quick": quick, "seed": seed}
    todo = [(job, records.where(data=job.data, method=job.method, **wanted)) for job in jobs]
    total = sum(job.steps for job in jobs)
    count = sum(min(len(done), job.steps) for job, done in todo)
    progress(count, total, "")
    todo = [(job, done) for job, done in todo if len(done) < job.steps]
    if not todo:
        return
    common = {"experiment": experiment.name, **wanted, "versions": versions()}
    tasks = [(experiment, job, done, quick, seed) for job, done in todo]
    processes = processes or os.cpu_count() or 1
    with records.alone():
        for record in _here(tasks) if processes == 1 else _on_all(tasks, processes):
            records.add({**common, **record, "at": now()})
            count += 1
            progress(count, total, f"{record['data']} {record['method']}")


def _here(tasks: list[tuple]) -> Iterator[dict[str, Any]]:
    with threadpool_limits(1):
        for task in tasks:
            yield from _work(*task)


def _on_all(tasks: list[tuple], processes: int) -> Iterator[dict[str, Any]]:
    try:
        with _workers(processes) as (pool, arrived):
            yield from _arriving(arrived, {pool.submit(_send, arrived, *task) for task in tasks})
    except BrokenProcessPool as error:
        raise DataError(
            "A process was killed, perhaps for want of memory; run again with one process."
        ) from error


@contextmanager
def _workers(processes: int) -> Iterator[tuple[ProcessPoolExecutor, Any]]:
    """Processes and a queue from them; all are gone at the end, at once if it is an error or an interrupt."""
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    manager = SyncManager(ctx=context)
    manager.start(_follow_parent)
    pool = ProcessPoolExecutor(processes, context, _follow_parent)
    try:
        yield pool, manager.Queue()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    pool.shutdown()
    manager.shutdown()


def _follow_parent() -> None:
    """In a worker: leave interrupts to the parent, and end when it ends, however that comes about."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _arriving(arrived: Any, running: set[Future]) -> Iterator[dict[str, Any]]:
    """Records as they come, until all jobs are over; a job's error is raised here."""
    while running:
        over, running = wait(running, timeout=0)
        for future in over:
            future.result()
        try:
            while True:
                yield arrived.get(timeout=POLL)
        except Empty:
            pass


def _work(
    experiment: Experiment, job: Job, done: list[dict[str, Any]], quick: bool, seed: int
) -> Iterator[dict[str, Any]]:
    for record in experiment.work(job, done, quick, seed):
        yield {"data": job.data, "method": job.method, **record}


def _send(arrived: Any, *task: Any) -> None:
    with threadpool_limits(1):
        for record in _work(*task):
            arrived.put(record)


def record_file(folder: Path, experiment: Experiment) -> Path:
    """Where an experiment keeps its records."""
    return folder / "records" / f"{experiment.name}.jsonl"
