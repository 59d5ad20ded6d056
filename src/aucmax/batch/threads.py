"""A ``map`` over threads, for products with X and for folds."""

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from ..kernels.interrupts import ThreadPool, defer_interrupts
from ..validation.parameters import Rule, is_whole, none

n_jobs_rule = Rule(lambda value: is_whole(value) and value != 0, "a whole number other than 0") | none

Map = Callable[..., Iterable]


def _pool_map(pool: ThreadPool, pool_size: int, function: Callable[[Any], Any], items: Iterable) -> list:
    """``map`` over a pool and the calling thread, which works too instead of waiting for the pool."""
    numbered = list(enumerate(items))
    tasks, results = iter(numbered), [None] * len(numbered)

    def work() -> None:
        for position, item in tasks:  # the threads share this iterator
            results[position] = function(item)

    futures = [pool.submit(work) for _ in range(min(pool_size, len(numbered) - 1))]
    work()
    with defer_interrupts():  # Ctrl-C here could leave a lock locked, and the pool would never end
        for future in futures:
            if not future.cancel():  # not started yet: all tasks are done, so it has nothing to do
                future.result()
    return results


@functools.cache
def _blas_threads() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def thread_map(n_jobs: int | None) -> Iterator[Map]:
    """A ``map`` over that many threads: all cores for None or -1, fewer inside a joblib worker.

    Inside the block BLAS uses one thread: its threads wait for each other in busy loops, which on a busy
    machine make a small factorisation hundreds of times slower.
    """
    workers = min(effective_n_jobs(-1 if n_jobs is None else n_jobs), os.cpu_count() or 1)
    with _blas_threads().limit(limits=1, user_api="blas"):
        if workers == 1:
            yield map
            return
        with ThreadPool(workers - 1) as pool:
            yield functools.partial(_pool_map, pool, workers - 1)
