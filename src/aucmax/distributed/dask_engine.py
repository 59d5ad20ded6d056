"""Rounds over the partitions of Dask collections, and how long they wait for a cluster without workers.

Each round is a graph of tasks: a function of every partition, and sums of their results in a tree. Workers
keep only the partitions, if these fit; Dask recomputes a lost one, so a worker may leave at any time.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed, delayed
from scipy import sparse

from .progress import Watch
from .rounds import add

FAN_IN = 8  # partial sums that are added in one task
POLL_SECONDS = 1.0
MAX_SECONDS_WITHOUT_WORKERS = 60.0


class DaskRounds:
    """Rounds over delayed partitions.

    Parameters
    ----------
    partitions : sequence of Delayed
    persist : bool
        Keep the partitions in the workers' memory. Otherwise they are made anew in each pass over them.
    watch : callable, optional
        Called with the number of the round that runs, from time to time.

    Attributes
    ----------
    persisted : bool
        Whether the partitions are kept.
    n_rounds : int
    n_bytes : int
        Of the numbers sent to the partitions and of those they returned.
    """

    def __init__(
        self, partitions: Sequence[Delayed], persist: bool, watch: Watch = lambda n_rounds: None
    ) -> None:
        self.n_rounds, self.n_bytes, self.persisted, self._watch = 0, 0, persist, watch
        self._parts = list(dask.persist(*partitions)) if persist else list(partitions)

    def persist(self) -> None:
        """Keep the partitions in the workers' memory from now on."""
        self._parts, self.persisted = list(dask.persist(*self._parts)), True

    def collect(self, function: Callable) -> list:
        results = self._compute(self._map(function))
        self._count([function], results)
        return results

    def sum(self, function: Callable) -> Any:
        (result,) = self._compute([_tree_sum(self._map(function))])
        self._count([function], [result] * len(self._parts))
        return result

    def sum_twice(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        """One graph if the partitions are in memory, else two, so that none is kept between them."""
        if not self.persisted:
            return self._sum_in_two_passes(first, between, second)
        total = _tree_sum(self._map(first))
        state = delayed(_call, pure=False)(_shared(between), total)
        again = _tree_sum(self._map(second, state))
        n_bytes = delayed(count_bytes, pure=False)(total)
        state, result, subtotal_bytes = self._compute([state, again, n_bytes])
        self._count([first, between, second, state], [result] * len(self._parts))
        self.n_bytes += subtotal_bytes * len(self._parts)
        return state, result

    def _sum_in_two_passes(self, first: Callable, between: Callable, second: Callable) -> tuple[Any, Any]:
        state = between(self.sum(first))
        (result,) = self._compute([_tree_sum(self._map(second, _shared(state)))])
        self._count([second, state], [result] * len(self._parts))
        return state, result

    def _compute(self, values: Sequence[Delayed]) -> list:
        self._watch(self.n_rounds + 1)
        return compute(values, lambda: self._watch(self.n_rounds + 1))

    def _map(self, function: Callable, *args: Any) -> list[Delayed]:
        shared = _shared(function)
        return [delayed(_call, pure=False)(shared, part, *args) for part in self._parts]

    def _count(self, sent: Iterable, received: Iterable) -> None:
        self.n_rounds += 1
        self.n_bytes += count_bytes(list(sent)) * len(self._parts) + count_bytes(list(received))


def _call(function: Callable, *args: Any) -> Any:
    return function(*args)


def _shared(value: Any) -> Delayed:
    """A value that is sent to each worker once, not with each task."""
    return delayed(value, pure=False, traverse=False)


def _tree_sum(parts: list[Delayed]) -> Delayed:
    while len(parts) > 1:
        parts = [delayed(add, pure=False)(parts[k : k + FAN_IN]) for k in range(0, len(parts), FAN_IN)]
    return parts[0]


def count_bytes(value: Any) -> int:
    """Size of the arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if sparse.issparse(value):
        return value.data.nbytes + value.indices.nbytes + value.indptr.nbytes
    if isinstance(value, list | tuple):
        return sum(map(count_bytes, value))
    if hasattr(value, "keywords"):  # a functools.partial
        return count_bytes(list(value.keywords.values()))
    return sum(map(count_bytes, vars(value).values())) if hasattr(value, "__dict__") else 8


def current_client() -> Any:
    """The client of a cluster on which Dask would compute now; None for threads or processes."""
    owner = getattr(get_scheduler(), "__self__", None)
    return owner if hasattr(owner, "scheduler_info") else None


def compute(values: Sequence[Delayed], watch: Callable[[], None] = lambda: None) -> list:
    """Compute delayed values, on a cluster with a limit on the time without any worker.

    On a cluster ``watch`` is called every second.

    Raises
    ------
    RuntimeError
        If the cluster has no worker for ``MAX_SECONDS_WITHOUT_WORKERS``, or workers end again and again.
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
    limits = client.run_on_scheduler(_memory_limits)
    return 0.5 * sum(limit or np.inf for limit in limits)


def _memory_limits(dask_scheduler: Any) -> list[int]:
    return [worker.memory_limit for worker in dask_scheduler.workers.values()]
