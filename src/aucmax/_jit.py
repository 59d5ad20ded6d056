"""How the package compiles: ``kernel`` for entry points, ``inlined`` for their pieces."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable)

# NaN and infinity keep their meaning. Reassociation lets LLVM vectorise a sum; only sums over
# consecutive numbers gain by it.
FLAGS: dict[str, Any] = {"fastmath": {"contract", "arcp", "nsz"}, "error_model": "numpy"}
VECTORISED: dict[str, Any] = {"fastmath": {"reassoc", "contract", "arcp", "nsz"}, "error_model": "numpy"}


def source_stamp(package: Path) -> str:
    """Digest of every source file of the package."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_STAMP = source_stamp(Path(__file__).parent)


class _PackageCache(FunctionCache):
    """Numba's disk cache, keyed by every source file of the package.

    Numba looks only at the file that defines a kernel: after an upgrade it would run old
    machine code whenever a helper in another file had changed.
    """

    def __init__(self, func: Callable) -> None:
        super().__init__(func)
        self._cache_file._source_stamp = _STAMP


def kernel(func: F) -> F:
    """Compile a function called from Python, on its first call; keep the code on disk."""
    dispatcher = njit(nogil=True, **FLAGS)(func)
    if dispatcher is not func:  # NUMBA_DISABLE_JIT gives the function itself back
        with suppress(RuntimeError):  # where no folder can be written, each process compiles anew
            dispatcher._cache = _PackageCache(func)
    return dispatcher


inlined = register_jitable(**FLAGS)
