"""Rounds over the partitions of Dask collections, what they show, and how long they wait for workers.

Each round is a graph of tasks: a function of every partition, and sums of their results in a tree. Workers
keep only the partitions, if these fit; Dask recomputes a lost one, so a worker may leave at any time.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import MethodType
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed, delayed
from scipy import sparse

from .rounds import add

Watch = Callable[[int], None]  # takes the number of the round that runs

FAN_IN = 8  # partial sums that are added in one task
SMALL_BYTES = 2**14  # values below this size are sent with each task, larger ones to each worker once
POLL_SECONDS = 1.0
MAX_SECONDS_WITHOUT_WORKERS = 60.0


class DaskRounds:
    """Rounds over delayed partitions, kept in the workers' memory (``persist``) or made anew in each pass.

    ``n_bytes`` counts the numbers sent to the partitions and those they returned. ``watch`` is called with
    the number of the round that runs, from time to time.
    """

    def __init__(
        self, partitions: Sequence[Delayed], persist: bool, watch: Watch = lambda n_rounds: None
    ) -> None:
        self.n_rounds, self.n_bytes, self.persisted, self._watch = 0, 0, persist, watch
        self._parts = list(dask.persist(*partitions)) if persist else list(partitions)

    def persist(self) -> None:
        """Keep the partitions in the workers' memory from now on."""
        self._parts, self.persisted = list(dask.persist(*self._parts)), True

    def sum(self, function: Callable, *shared: Any) -> Any:
        """The sum of ``function(rows, *shared)`` over the partitions."""
        (result,) = self._compute([self._tree_sum(function, *map(_argument, shared))])
        self._count((function, *shared), result)
        return result

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        """One graph if the partitions are in memory, else two, so that none is kept between them."""
        if not self.persisted:
            state = between(self.sum(first))
            return state, self.sum(second, state)
        evaluated = delayed(_evaluate, pure=False)(_argument(between), self._tree_sum(first))
        (state, n_bytes), result = self._compute([evaluated, self._tree_sum(second, evaluated[0])])
        self._count((first, between, second, state), result)
        self.n_bytes += n_bytes * len(self._parts)
        return state, result

    def _tree_sum(self, function: Callable, *shared: Any) -> Delayed:
        """Sums of a few results in each task, and then of these sums."""
        function = _argument(function)
        parts = [delayed(_call, pure=False)(function, part, *shared) for part in self._parts]
        while len(parts) > 1:
            parts = [delayed(add, pure=False)(parts[k : k + FAN_IN]) for k in range(0, len(parts), FAN_IN)]
        return parts[0]

    def _compute(self, values: Sequence[Delayed]) -> list:
        self._watch(self.n_rounds + 1)
        return compute(values, lambda: self._watch(self.n_rounds + 1))

    def _count(self, sent: Any, received: Any) -> None:
        self.n_rounds += 1
        self.n_bytes += count_bytes(sent, len(self._parts)) + count_bytes(received, len(self._parts))


def _call(function: Callable, *arguments: Any) -> Any:
    return function(*arguments)


def _evaluate(between: Callable, total: Any) -> tuple[Any, int]:
    """The state between two passes, and the size of the total of the first."""
    return between(total), count_bytes(total)


def _argument(value: Any) -> Any:
    """A value as an argument of many tasks: a large one becomes a task itself, whose result workers share."""
    return value if count_bytes(value) < SMALL_BYTES else delayed(value, pure=False, traverse=False)


def count_bytes(value: Any, n_parts: int = 1) -> int:
    """Size of the arrays in what so many partitions get or return; sums of lists have each item once."""
    if isinstance(value, np.ndarray):
        return value.nbytes * n_parts
    if sparse.issparse(value):
        return (value.data.nbytes + value.indices.nbytes + value.indptr.nbytes) * n_parts
    if isinstance(value, list):
        return sum(map(count_bytes, value))
    if isinstance(value, tuple):
        return sum(count_bytes(each, n_parts) for each in value)
    if isinstance(value, partial):
        return count_bytes(tuple(value.keywords.values()), n_parts)
    if isinstance(value, MethodType):
        return count_bytes(value.__self__, n_parts)
    return count_bytes(tuple(vars(value).values()), n_parts) if hasattr(value, "__dict__") else 8 * n_parts


def current_client() -> Any:
    """The client of a cluster on which Dask would compute now; None for threads or processes."""
    owner = getattr(get_scheduler(), "__self__", None)
    return owner if hasattr(owner, "scheduler_info") else None


def compute(values: Sequence[Delayed], watch: Callable[[], None] = lambda: None) -> list:
    """Compute delayed values; on a cluster ``watch`` is called every second.

    A cluster without any worker for some time, or whose workers end again and again, is a RuntimeError.
    """
    client = current_client()
    if client is None:
        return list(dask.compute(*values))
    from distributed import KilledWorker

    futures = client.compute(list(values))
    try:
        _wait(client, futures, watch)
        return client.gather(futures)
    except KilledWorker as error:
        raise RuntimeError(
            "Workers that had to compute the same partition ended, most likely for lack of memory; make "
            "partitions smaller, or give workers more memory."
        ) from error
    except BaseException:  # Ctrl-C too: the cluster must not go on with work that nobody waits for
        client.cancel(futures)
        raise


def _wait(client: Any, futures: list, watch: Callable[[], None]) -> None:
    from distributed import TimeoutError, wait

    seen = time.monotonic()
    while True:
        try:
            wait(futures, timeout=POLL_SECONDS)
            return
        except TimeoutError:
            watch()
            now = time.monotonic()
            seen = now if client.nthreads() else seen
            if now - seen > MAX_SECONDS_WITHOUT_WORKERS:
                raise RuntimeError(
                    f"The cluster has had no worker for {MAX_SECONDS_WITHOUT_WORKERS:.0f} seconds; start "
                    "workers and fit again."
                ) from None


def memory_for_rows() -> float:
    """Half of the memory of the workers, or of this machine where Dask computes on threads."""
    client = current_client()
    if client is None:
        from distributed.system import MEMORY_LIMIT

        return 0.5 * MEMORY_LIMIT

    def limits(dask_scheduler: Any) -> list[int]:
        return [worker.memory_limit for worker in dask_scheduler.workers.values()]

    return 0.5 * sum(limit or np.inf for limit in client.run_on_scheduler(limits))


@contextmanager
def watch_rounds(name: str, verbose: int) -> Iterator[Watch]:
    """Shows the round that runs and the time since the fit began; nothing without a terminal or rich."""
    started = time.monotonic()
    if not (verbose and sys.stderr.isatty()):
        yield lambda n_rounds: None
        return
    try:
        from rich.console import Console
    except ImportError:
        yield lambda n_rounds: None
        return
    with Console(stderr=True).status(f"{name}: reading labels") as status:
        yield lambda n: status.update(f"{name}: round {n}, {time.monotonic() - started:.0f} s")
