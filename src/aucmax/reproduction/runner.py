"""Run the jobs of an experiment on all cores, and append each record to a file immediately."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import datetime, timezone
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import Any

from threadpoolctl import threadpool_limits

from ..validation.errors import DataError
from .experiments.job import EVERYTHING, Experiment, Job, Record, Selection
from .records import Records, versions

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
    selection: Selection = EVERYTHING,
    processes: int | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, current: None,
) -> None:
    """Compute the selected records that are missing, and call ``progress`` after each one.

    Each of the ``processes``, by default one for each core, uses one thread; with 1, no other process is
    started. Every record is appended to the file as soon as it is computed, so that a run that was
    interrupted or killed continues from there.
    """
    jobs = selection.jobs_of(experiment, quick)
    settings = {"quick": quick, "seed": seed}
    finished = [(job, records.where(data=job.data, method=job.method, **settings)) for job in jobs]
    total = sum(job.n_records for job in jobs)
    counts = [sum(map(job.includes, done)) for job, done in finished]
    count = sum(counts)
    progress(count, total, "")
    tasks: list[Task] = [
        (experiment, job, done, quick, seed)
        for (job, done), n_done in zip(finished, counts, strict=True)
        if n_done < job.n_records
    ]
    if not tasks:
        return
    common = {"experiment": experiment.name, **settings, "versions": versions()}
    processes = min(processes or os.cpu_count() or 1, len(tasks))
    new_records = _run_here(tasks) if processes == 1 else _run_in_processes(tasks, processes)
    with records.locked(), closing(new_records):
        for record in new_records:
            at = datetime.now(timezone.utc).isoformat(timespec="seconds")
            records.add({**common, **record, "at": at})
            count += 1
            progress(count, total, f"{record['data']} {record['method']}")


def _compute(
    experiment: Experiment, job: Job, done: list[Record], quick: bool, seed: int
) -> Generator[Record, None, None]:
    for record in experiment.compute_records(job, done, quick, seed):
        yield {"data": job.data, "method": job.method, **record}


def _run_here(tasks: list[Task]) -> Generator[Record, None, None]:
    with threadpool_limits(1):
        for task in tasks:
            yield from _compute(*task)


def _run_in_processes(tasks: list[Task], processes: int) -> Generator[Record, None, None]:
    """Yield records as soon as worker processes compute them; a worker asks for the next task when idle.

    joblib returns the result of a task only when it ends, here after up to 50 records and several minutes,
    and a killed run would lose them all.
    """
    context = multiprocessing.get_context("spawn")
    remaining = iter(tasks)
    workers: dict[Any, Any] = {}
    try:
        for _ in range(processes):
            connection, worker_end = context.Pipe()
            workers[connection] = context.Process(target=_run_worker, args=(worker_end,), daemon=True)
            workers[connection].start()
            worker_end.close()  # so that `recv` fails when the worker ends
        while workers:
            ready: list[Any] = wait(workers)
            for connection in ready:
                record = _receive(connection)
                if record is not None:
                    yield record
                    continue
                task = next(remaining, None)
                connection.send(task)
                if task is None:
                    workers.pop(connection).join()
    finally:
        for worker in workers.values():
            worker.terminate()
            worker.join()


def _receive(connection: Any) -> Record | None:
    """A worker's record, or None if it asks for a task; raises the error of a task that failed."""
    try:
        answer = connection.recv()
    except (EOFError, ConnectionError) as error:
        problem = "A process was killed, perhaps because memory ran out"
        raise DataError(problem, remedy="run again with one process") from error
    if isinstance(answer, Exception):
        raise answer
    return answer


def _run_worker(connection: Any) -> None:
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
    """End this process when its parent ends, even if the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
