"""Progress of long commands on standard error: a bar on a terminal, otherwise a line from time to time."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

COMPILING = "compiling for this machine, once; aucmax warm-up does it ahead of time"
LINE_SECONDS, BAR_SECONDS = 10.0, 0.5  # between two updates


class ProgressBar:
    """Shows a text, the share done and the time left."""

    def __init__(self) -> None:
        self._updated = time.monotonic()
        self._first: tuple[float, float] | None = None  # time and amount done at the first update
        self._bar: Any = None

    def __enter__(self) -> "ProgressBar":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns = BarColumn(24), TextColumn("{task.description}", markup=False)
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("starting", total=None)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, text: str, done: float = 0, total: float | None = None) -> None:
        """Show the text and the share done, unless the last update was a moment ago."""
        now = time.monotonic()
        self._first = started, done_before = self._first or (now, done)
        if now - self._updated < (LINE_SECONDS if self._bar is None else BAR_SECONDS):
            return
        self._updated = now
        if total and done > done_before:
            left = round((now - started) * max(total - done, 0) / (done - done_before))
            text += f"  {left // 60}:{left % 60:02d} left"
        if self._bar is None:
            print(text, file=sys.stderr, flush=True)
        else:
            self._bar.update(self._task, description=text, completed=done, total=total)


def spinner(text: str) -> AbstractContextManager:
    """Show on a terminal that work is in progress."""
    from rich.console import Console

    return Console(stderr=True).status(text)


@contextmanager
def compile_notice(json: bool) -> Iterator[None]:
    """Say on a terminal that the first use compiles, before the first kernel that is not in the cache."""
    if json or not sys.stderr.isatty():
        yield
        return
    from numba.core import event  # here: importing it takes a third of a second

    class Notice(event.Listener):
        printed = False

        def on_start(self, event: Any) -> None:
            if not self.printed:
                self.printed = True
                print(f"aucmax: {COMPILING} ...", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Notice()):
        yield
