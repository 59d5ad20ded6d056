"""Decorators that compile: ``kernel`` for functions called from Python, the others for what kernels call."""

import ast
import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable)

# fastmath: without "nnan" and "ninf", so that NaN and infinity stay valid. "reassoc" lets LLVM vectorise a
# sum, which is faster only over consecutive numbers. forceinline: a call for each row would copy the
# descriptor of each array and change its reference count by atomic instructions.
FLAGS: dict[str, Any] = {"fastmath": {"contract", "arcp", "nsz"}, "error_model": "numpy"}
INLINED: dict[str, Any] = FLAGS | {"forceinline": True}
VECTORISED: dict[str, Any] = INLINED | {"fastmath": {"reassoc", "contract", "arcp", "nsz"}}

PACKAGE = Path(__file__).parents[1]


class _PackageCache(FunctionCache):
    """Numba's disk cache, keyed by all files of the package that a kernel may call into.

    Numba's own key is the file that defines the kernel. After an upgrade that changes a function in
    another file, it would run the old machine code.
    """

    folders: ClassVar[set[str]] = set()  # of all kernels

    def __init__(self, func: Callable) -> None:
        super().__init__(func)
        self._source = Path(func.__code__.co_filename)
        self.folders.add(self.cache_path)

    def load_overload(self, *args: Any) -> Any:
        self._cache_file._source_stamp = source_digest(self._source)
        try:
            return super().load_overload(*args)
        except (AttributeError, ImportError, TypeError):  # compiled for a class that no longer exists
            self._cache_file.flush()
            return None

    def save_overload(self, *args: Any) -> None:
        self._cache_file._source_stamp = source_digest(self._source)
        super().save_overload(*args)


@cache
def source_digest(source: Path) -> str:
    """Digest of a source file and of all that it imports from the package, directly or indirectly."""
    found, unread = {source}, [source]
    while unread:
        new = imported_files(unread.pop()) - found
        found |= new
        unread += new
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def imported_files(source: Path) -> set[Path]:
    """Files of the package that a file imports from, at its top or within functions."""
    files: set[Path] = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            folder = source.parents[node.level - 1] if node.level else PACKAGE.parent
            module = folder.joinpath(*(node.module or "").split("."))
            for name in (module, *(module / alias.name for alias in node.names)):
                files |= {name.with_suffix(".py"), name / "__init__.py"}
    return {file for file in files if file.is_relative_to(PACKAGE) and file.is_file()}


def kernel(func: F, **options: Any) -> F:
    """Compile a function that Python calls, on its first call; keep the machine code on disk."""
    dispatcher = njit(nogil=True, **FLAGS, **options)(func)
    if dispatcher is not func:  # with NUMBA_DISABLE_JIT, njit returns the function unchanged
        with suppress(RuntimeError):  # no folder can be written: each process compiles anew
            dispatcher._cache = _PackageCache(func)
    return dispatcher


def in_place_kernel(func: F) -> F:
    """A ``kernel`` that makes no array, only changes those it is given.

    None of them is reference-counted, which takes a tenth of the time where a row has many small steps.
    """
    return kernel(func, _nrt=False)


def cache_folder() -> str | None:
    """The folder that holds the machine code of all kernels; None where no folder can be written."""
    return os.path.commonpath(_PackageCache.folders) if _PackageCache.folders else None


inlined = register_jitable(**INLINED)
vectorised = register_jitable(**VECTORISED)
