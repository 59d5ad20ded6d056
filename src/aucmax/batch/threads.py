"""A ``map`` over threads, for products with X and for folds."""

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from ..kernels.interrupts import ThreadPool, defer_interrupts
from ..validation.parameters import Rule, is_whole, nothing

n_jobs_rule = Rule(lambda value: is_whole(value) and value != 0, "a whole number other than 0") | nothing

Map = Callable[..., Iterable]


def _pool_map(pool: ThreadPool, pool_size: int, function: Callable[[Any], Any], items: Iterable) -> list:
    """``map`` over a pool and the calling thread, which starts at once while the pool's threads wake up."""
    numbered = list(enumerate(items))
    tasks, results = iter(numbered), [None] * len(numbered)

    def work() -> None:
        for position, item in tasks:  # the threads share this iterator
            results[position] = function(item)

    futures = [pool.submit(work) for _ in range(min(pool_size, len(numbered) - 1))]
    work()
    with defer_interrupts():  # Ctrl-C here could leave a lock taken, and the pool would never end
        for future in futures:
            if not future.cancel():  # one that has not started would find no task left
                future.result()
    return results


@functools.cache
def _blas_threads() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def thread_map(n_jobs: int | None) -> Iterator[Map]:
    """A ``map`` over that many threads: all cores for None or -1, fewer inside a joblib worker.

    BLAS is limited to one thread meanwhile: its own threads wait for each other by spinning, which on a
    busy machine makes a small factorisation hundreds of times slower.
    """
    workers = min(effective_n_jobs(-1 if n_jobs is None else n_jobs), os.cpu_count() or 1)
    with _blas_threads().limit(limits=1, user_api="blas"):
        if workers == 1:
            yield map
            return
        with ThreadPool(workers - 1) as pool:
            yield functools.partial(_pool_map, pool, workers - 1)
