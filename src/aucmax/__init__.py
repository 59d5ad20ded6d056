"""Linear models that maximise AUC: exactly, or online in one pass."""

import importlib
import re
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

# Public names by the module that defines them, read from the stub file, which is their only list. Modules
# load when they are first used, so that `import aucmax` is quick and compiles nothing.
_MODULE_OF = {
    name: module
    for module, name in re.findall(
        r"^from (\.[\w.]*) import (\w+)", Path(__file__).with_suffix(".pyi").read_text("utf-8"), re.MULTILINE
    )
}

__all__ = [name for name, module in _MODULE_OF.items() if module != "."]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _MODULE_OF[name] == ".":
        return importlib.import_module(f".{name}", __name__)
    return getattr(importlib.import_module(_MODULE_OF[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
