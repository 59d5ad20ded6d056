"""Progress of long commands on standard error: a bar on a terminal, otherwise a line from time to time."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMPILING = "compiling for this machine, once; aucmax warm-up does it ahead of time"
LINE_SECONDS, BAR_SECONDS = 10.0, 0.5  # between two lines, and between two updates of the bar

_quiet = False


def set_quiet(quiet: bool) -> None:
    """Whether the command that runs now shows no progress (``--quiet``)."""
    global _quiet
    _quiet = quiet


def announce(text: str) -> None:
    """Say on standard error what a command does now."""
    if not _quiet:
        print(text, file=sys.stderr, flush=True)


class ProgressBar:
    """Shows a text, the share done and the time left."""

    def __init__(self) -> None:
        self._updated = time.monotonic()
        self._first: tuple[float, float] | None = None  # time and amount done at the first update
        self._bar: Any = None

    def __enter__(self) -> Any:
        if sys.stderr.isatty() and not _quiet:
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
        if self._bar is not None:
            self._bar.update(self._task, description=text, completed=done, total=total)
        elif not _quiet:
            print(text, file=sys.stderr, flush=True)


class Step:
    """A step of which only the name and the time so far are known, such as a fit.

    A thread shows both, since the step itself may not return for minutes: on a terminal as they change,
    otherwise in a line from time to time.
    """

    def __init__(self, text: str) -> None:
        self._text, self._detail, self._started = text, "", time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, name="aucmax progress", daemon=True)

    def __enter__(self) -> "Step":
        if not _quiet:
            self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def update(self, detail: str) -> None:
        """Say how far the step has come."""
        self._detail = detail

    def _describe(self) -> str:
        seconds = int(time.monotonic() - self._started)
        detail = f": {self._detail}" if self._detail else ""
        return f"{self._text}{detail}  {seconds // 60}:{seconds % 60:02d}"

    def _show(self) -> None:
        if not sys.stderr.isatty():
            while not self._ended.wait(LINE_SECONDS):
                print(self._describe(), file=sys.stderr, flush=True)
            return
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status(Text(self._text)) as status:
            while not self._ended.wait(BAR_SECONDS):
                status.update(Text(self._describe()))  # as Text: brackets must not be read as markup


@contextmanager
def compile_notice(json: bool) -> Iterator[None]:
    """On a terminal, say before the first kernel is compiled that this takes time, once."""
    if json or _quiet or not sys.stderr.isatty():
        yield
        return
    from numba.core import event  # imported here, since that takes a third of a second

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
