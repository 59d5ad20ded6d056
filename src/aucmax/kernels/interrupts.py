"""Ctrl-C held back where it would crash Python or be lost: at the end of compiled code and of threads."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Let an interrupt wait until the block ends.

    Python looks for signals while Numba makes NamedTuples of what a kernel returns, and Numba does not
    expect an exception there: the process would crash. Kernels called elsewhere return plain tuples.

    Examples
    --------
    >>> import signal
    >>> try:
    ...     with defer_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("goes on")
    ... except KeyboardInterrupt:
    ...     print("stops")
    goes on
    stops
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if waiting:
            usual(*waiting[0])


class ThreadPool:
    """A pool of threads in which no Ctrl-C is lost.

    Python's own is not safe from it. Ctrl-C while a thread starts or its result is taken may leave a lock
    behind, for which the pool then waits for ever; and when threads go, callbacks of weak references run,
    in which an exception is printed and forgotten. There it waits; the wait for the end can be interrupted.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future:
        """Have a task done by one of the threads."""
        with defer_interrupts():
            return self._pool.submit(task, *arguments)

    def result(self, task: Future) -> Any:
        """What a task gave, once it is done."""
        with defer_interrupts():
            return task.result()

    def __enter__(self) -> "ThreadPool":
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self._pool.shutdown()
        finally:
            with defer_interrupts():
                del self._pool
