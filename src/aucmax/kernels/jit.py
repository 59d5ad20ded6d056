"""How the package compiles: ``kernel`` for entry points, ``inlined`` or ``vectorised`` for their pieces."""

import ast
import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable)

# NaN and infinity keep their meaning. Reassociation lets LLVM vectorise a sum, which pays only for sums over
# consecutive numbers. LLVM inlines the pieces: a call at each row would pass seven words for each array and
# count references to it by atomic instructions.
FLAGS: dict[str, Any] = {"fastmath": {"contract", "arcp", "nsz"}, "error_model": "numpy"}
INLINED: dict[str, Any] = FLAGS | {"forceinline": True}
VECTORISED: dict[str, Any] = INLINED | {"fastmath": {"reassoc", "contract", "arcp", "nsz"}}

PACKAGE = Path(__file__).parents[1]


class _PackageCache(FunctionCache):
    """Numba's disk cache, keyed by all files of the package that a kernel may call into.

    Numba's own key is the file that defines the kernel. After an upgrade that changes a function in
    another file, it would run the old machine code.
    """

    def __init__(self, func: Callable) -> None:
        super().__init__(func)
        self._source = Path(func.__code__.co_filename)

    def load_overload(self, *args: Any) -> Any:
        self._cache_file._source_stamp = stamp(self._source)
        try:
            return super().load_overload(*args)
        except (AttributeError, ImportError, TypeError):  # compiled for classes that no longer exist
            self._cache_file.flush()
            return None

    def save_overload(self, *args: Any) -> None:
        self._cache_file._source_stamp = stamp(self._source)
        super().save_overload(*args)


@cache
def stamp(source: Path) -> str:
    """Digest of a source file and of all that it imports from the package, directly or indirectly."""
    found, unread = {source}, [source]
    while unread:
        new = imported(unread.pop()) - found
        found |= new
        unread += new
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def imported(source: Path) -> set[Path]:
    """Files of the package that a file imports from, at its top or within functions."""
    return {path for node in ast.walk(ast.parse(source.read_bytes())) for path in _imports(node, source)}


def _imports(node: ast.AST, source: Path) -> Iterator[Path]:
    if not isinstance(node, ast.ImportFrom):
        return
    folder = source.parents[node.level - 1] if node.level else PACKAGE.parent
    module = folder.joinpath(*(node.module or "").split("."))
    for place in (module, *(module / alias.name for alias in node.names)):
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_relative_to(PACKAGE) and path.is_file():
                yield path


def kernel(func: F) -> F:
    """Compile a function that Python calls, on its first call; keep the machine code on disk."""
    dispatcher = njit(nogil=True, **FLAGS)(func)
    if dispatcher is not func:  # NUMBA_DISABLE_JIT gives the function itself back
        with suppress(RuntimeError):  # if no folder can be written, each process compiles
            dispatcher._cache = _PackageCache(func)
    return dispatcher


inlined = register_jitable(**INLINED)
vectorised = register_jitable(**VECTORISED)
