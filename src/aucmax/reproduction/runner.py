"""Run the jobs of an experiment on all processors, each once, and put every record on file at once."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator
from contextlib import closing
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import Any

from threadpoolctl import threadpool_limits

from ..validation.errors import DataError
from .experiments.job import Experiment, Job, Record
from .records import Records, now, versions

Task = tuple[Experiment, Job, list[Record], bool, int]


def record_file(folder: Path, experiment: Experiment) -> Path:
    """The file with an experiment's records."""
    return folder / "records" / f"{experiment.name}.jsonl"


def run(
    experiment: Experiment,
    records: Records,
    *,
    quick: bool = False,
    seed: int = 0,
    processes: int | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, current: None,
) -> None:
    """Compute the records that are missing, and call ``progress`` after each one.

    Each of the ``processes`` (all cores by default; 1 is this one) works with one thread. Every record is
    on file as soon as it exists, so that a run that is interrupted or killed continues from there.
    """
    jobs = experiment.jobs(quick)
    settings = {"quick": quick, "seed": seed}
    known = [(job, records.where(data=job.data, method=job.method, **settings)) for job in jobs]
    total = sum(job.steps for job in jobs)
    count = sum(min(len(done), job.steps) for job, done in known)
    progress(count, total, "")
    tasks: list[Task] = [(experiment, job, done, quick, seed) for job, done in known if len(done) < job.steps]
    if not tasks:
        return
    common = {"experiment": experiment.name, **settings, "versions": versions()}
    processes = min(processes or os.cpu_count() or 1, len(tasks))
    arriving = _run_here(tasks) if processes == 1 else _run_in_processes(tasks, processes)
    with records.locked(), closing(arriving):
        for record in arriving:
            records.add({**common, **record, "at": now()})
            count += 1
            progress(count, total, f"{record['data']} {record['method']}")


def _compute(
    experiment: Experiment, job: Job, done: list[Record], quick: bool, seed: int
) -> Generator[Record, None, None]:
    for record in experiment.work(job, done, quick, seed):
        yield {"data": job.data, "method": job.method, **record}


def _run_here(tasks: list[Task]) -> Generator[Record, None, None]:
    with threadpool_limits(1):
        for task in tasks:
            yield from _compute(*task)


def _run_in_processes(tasks: list[Task], processes: int) -> Generator[Record, None, None]:
    """The records of all tasks as they are made, by worker processes that ask for the next task when idle.

    joblib returns a result when its task ends, here after up to 50 records and several minutes: all of them
    would be lost when the run is killed.
    """
    context = multiprocessing.get_context("spawn")
    waiting = iter(tasks)
    workers: dict[Any, Any] = {}
    try:
        for _ in range(processes):
            ours, theirs = context.Pipe()
            workers[ours] = context.Process(target=_serve, args=(theirs,), daemon=True)
            workers[ours].start()
            theirs.close()  # so that `recv` fails when the worker ends
        while workers:
            ready: list[Any] = wait(workers)
            for connection in ready:
                answer = _receive(connection)
                if answer is not None:
                    yield answer
                    continue
                task = next(waiting, None)
                connection.send(task)
                if task is None:
                    workers.pop(connection).join()
    finally:
        for worker in workers.values():
            worker.terminate()
            worker.join()


def _receive(connection: Any) -> Record | None:
    """A worker's record, or None where it asks for a task; its error is raised here."""
    try:
        answer = connection.recv()
    except (EOFError, ConnectionError) as error:
        problem = "A process was killed, perhaps because memory ran out"
        raise DataError(problem, remedy="run again with one process") from error
    if isinstance(answer, Exception):
        raise answer
    return answer


def _serve(connection: Any) -> None:
    """In a worker process: ask for tasks and send their records, until there are no more tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    Thread(target=_exit_with_parent, daemon=True).start()
    connection.send(None)
    with threadpool_limits(1):
        for task in iter(connection.recv, None):
            try:
                for record in _compute(*task):
                    connection.send(record)
                connection.send(None)
            except Exception as error:
                connection.send(error)


def _exit_with_parent() -> None:
    """End this process when its parent is gone, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
