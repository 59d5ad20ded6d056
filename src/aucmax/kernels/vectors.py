"""The inner product of two vectors, inside and outside kernels; columns that lie together in memory."""

import numpy as np
from numba.extending import overload

from .jit import VECTORISED


def inner_product(u, v):
    """``u . v`` without BLAS, whose threads would keep spinning while the next kernel runs."""
    return float(np.einsum("i,i", u, v))


@overload(inner_product, jit_options=VECTORISED)
def _inner_product(u, v):
    def loop(u, v):
        total = 0.0
        for j in range(len(u)):
            total += u[j] * v[j]
        return total

    return loop


def lines_of_four(n: int) -> np.ndarray:
    """Zeros of shape (n, 4), the first at the beginning of a cache line, so that no line lies across two."""
    memory = np.zeros(4 * n + 8)
    start = -memory.ctypes.data // 8 % 8
    return memory[start : start + 4 * n].reshape(n, 4)
