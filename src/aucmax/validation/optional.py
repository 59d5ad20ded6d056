"""Packages that only some features need."""

import importlib
from typing import Any


def import_optional(module: str, task: str, extra: str = "cli") -> Any:
    """Import an optional package, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = (error.name or module).partition(".")[0]
        raise ImportError(
            f'{task} needs the package {package}; run: pip install "aucmax[{extra}]" {package}'
        ) from error
