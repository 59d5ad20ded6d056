"""What a verbose fit shows between Newton steps: on a terminal, with rich, the round that runs."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watch = Callable[[int], None]  # takes the number of the round that runs


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
