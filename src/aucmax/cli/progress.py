"""How far a long training is: a bar on a terminal, now and then a line in a log."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
LINE_SECONDS, BAR_SECONDS = 10.0, 0.5


class Progress:
    """Rows so far, rows a second, AUC so far, time left; on standard error."""

    def __init__(self, path: str, rows: int) -> None:
        self._size = text_size(path)
        self._first_rows = rows
        self._began = self._shown = time.monotonic()
        self._bar: Any = None
        self._on_terminal = sys.stderr.isatty()

    def __enter__(self) -> "Progress":
        if self._on_terminal:
            from rich.console import Console
            from rich.progress import BarColumn, SpinnerColumn, TextColumn
            from rich.progress import Progress as Bar

            line = TextColumn("{task.description}")
            columns = (BarColumn(24), line) if self._size else (SpinnerColumn(), line)
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("waiting for rows", total=self._size)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, fit: Any) -> None:
        """Bring the display up to date, if it is time to."""
        now = time.monotonic()
        if now - self._shown < (BAR_SECONDS if self._on_terminal else LINE_SECONDS):
            return
        self._shown = now
        byte = fit.position.get("byte", 0) if isinstance(fit.position, dict) else 0
        text = self._text(fit, byte, now - self._began)
        if self._bar is not None:
            self._bar.update(self._task, completed=byte, description=text)
        else:
            print(text, file=sys.stderr, flush=True)

    def _text(self, fit: Any, byte: int, seconds: float) -> str:
        speed = (fit.rows - self._first_rows) / seconds
        text = f"{fit.rows:,} rows  {speed:,.0f} rows/s  AUC {fit.model.auc_:.4f}"
        if not self._size or not byte:
            return text
        done = min(byte / self._size, 1.0)
        left = round(fit.rows * (1.0 / done - 1.0) / speed)
        return f"{text}  {left // 60}:{left % 60:02d} left"


def text_size(path: str) -> int | None:
    """Bytes of a file whose positions are counted in its bytes; None for pipes, archives and addresses."""
    if path == "-" or not Path(path).is_file():
        return None
    with open(path, "rb") as file:
        start = file.read(6)
    return None if start.startswith(COMPRESSED) else Path(path).stat().st_size


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show on a terminal that something is going on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
