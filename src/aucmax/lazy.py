"""Public names that are imported when they are first used, so that ``import aucmax`` is fast."""

from collections.abc import Callable
from importlib import import_module


def public_names(package: str, folder: str) -> tuple[list[str], Callable, Callable]:
    """The ``__all__``, ``__getattr__`` and ``__dir__`` of a package, from its stub file.

    The stub is the only list of its public names: ``from .module import name as name``, one on a line.
    Modules, ``from . import name as name``, are not in ``__all__``.
    """
    with open(f"{folder}/__init__.pyi", encoding="utf-8") as stub:
        module_of = {line.split()[3]: line.split()[1] for line in stub if line.startswith("from .")}

    def find(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module_of[name] == ".":
            return import_module(f".{name}", package)
        return getattr(import_module(module_of[name], package), name)

    listed = [name for name, module in module_of.items() if module != "."]
    return listed, find, lambda: sorted({*module_of, "__all__", "__version__"})
