"""Linear models that maximise AUC: exactly, or online in one pass."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names by the module that defines them. Modules load when they are first used, so that
# `import aucmax` is quick and compiles nothing.
_PUBLIC = {
    "aucmax.online.solam": ["SOLAM"],
    "aucmax.online.spam": ["SPAM"],
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = ["SOLAM", "SPAM"]

if TYPE_CHECKING:
    from .online.solam import SOLAM
    from .online.spam import SPAM


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in ("metrics",):
        return importlib.import_module(f"aucmax.{name}")
    raise AttributeError(f"module 'aucmax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
