"""The command line: train, predict, evaluate, compare, inspect, export, reproduce, demo, warm-up."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code."""
    try:
        from .app import main as run  # here, so that Ctrl-C during the imports gives no traceback
    except KeyboardInterrupt:
        print("aucmax: stopped", file=sys.stderr)
        sys.exit(130)
    run(arguments)
