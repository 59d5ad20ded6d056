"""Ask the processor for memory that will be needed soon, so that a loop does not wait for it."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from .jit import INLINED


def prefetch(array: np.ndarray, k: int) -> None:
    """Fetch the cache line of element ``k``, counted along the memory of a C-ordered array; changes nothing.

    ``k`` is not checked: the processor passes over addresses that do not exist.
    """


@overload(prefetch, jit_options=INLINED)
def _compiled(array, k):
    return lambda array, k: _instruction(array, np.intp(k))


@intrinsic
def _instruction(typing_context, array, k):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        number, address = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        place = builder.bitcast(builder.gep(start, [arguments[1]]), address)
        builder.call(function, [place, number(0), number(3), number(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
