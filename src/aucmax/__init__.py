"""Linear models that maximise AUC: exactly, or online in one pass."""

from importlib import import_module

__version__ = "0.2.0"

# The stub file is the only list of public names: `from .module import name as name`, one on a line. A module
# is imported when one of its names is first used, so that `import aucmax` is fast.
with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:
    _MODULE_OF = {line.split()[3]: line.split()[1] for line in _stub if line.startswith("from .")}

__all__ = [name for name, module in _MODULE_OF.items() if module != "."]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _MODULE_OF[name] == ".":
        return import_module(f".{name}", __name__)
    return getattr(import_module(_MODULE_OF[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*_MODULE_OF, "__all__", "__version__"})
