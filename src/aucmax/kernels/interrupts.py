"""Postpone Ctrl-C where it would crash Python or be ignored: around compiled code and in thread pools."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Ctrl-C, and what a handler may turn into an exception: a polite kill, a timeout.
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Postpone Ctrl-C to the end of the block, and other signals that have a handler.

    Python handles signals while Numba builds the NamedTuples that a kernel returns. An exception raised
    there crashes the process. Kernels called outside such a block return plain tuples.

    Examples
    --------
    >>> import signal
    >>> try:
    ...     with defer_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("continues")
    ... except KeyboardInterrupt:
    ...     print("stops")
    continues
    stops
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    received: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in received:
            handlers[signal.Signals(number)](number, frame)


class ThreadPool:
    """A thread pool that does not lose Ctrl-C.

    Python's own pool has two problems. Ctrl-C while a thread starts or a result is read may leave a lock
    locked, and the pool then never ends. Ctrl-C while the pool is deleted is raised in a callback of a weak
    reference, where it is printed and ignored. So Ctrl-C is postponed in ``submit``, in ``result`` and while
    the pool is deleted; only the wait for all threads at the end of the ``with`` block can be interrupted.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Future:
        """Run a task in one of the threads."""
        with defer_interrupts():
            return self._pool.submit(task, *arguments)

    def result(self, task: Future) -> Any:
        """Wait for a task and return its result."""
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
