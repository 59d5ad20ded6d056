"""Routines on the rows of a dense or CSR matrix: products, sums and reading entry by entry.

Kernels are written with them once, for both layouts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from scipy import sparse

from .jit import INLINED, VECTORISED, kernel


class CSR(NamedTuple):
    """The three arrays of a ``scipy.sparse`` CSR matrix or array."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


Rows = np.ndarray | CSR


def as_rows(X) -> Rows:
    """View ``X``, a C-ordered array or CSR, as the row routines need it.

    The view is read-only, so that kernels are compiled once for writable and read-only input, and
    cannot change the caller's data.
    """
    if isinstance(X, CSR) or sparse.issparse(X):
        return CSR(*map(read_only, (X.data, X.indices, X.indptr)))
    return read_only(X)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def by_layout(dense: Callable, csr: Callable, doc: str, csr_flags: dict[str, Any] = INLINED) -> Callable:
    """A routine that calls ``dense`` or ``csr``, by the type of its first argument; kernels may call it."""

    def routine(X: Rows, *args: Any) -> Any:
        return (csr if isinstance(X, CSR) else dense)(X, *args)

    # Dense sums are vectorised. CSR sums are not: they would need gather instructions, which are slower.
    @overload(routine, jit_options=VECTORISED, strict=False)
    def pick_dense(X, *args):
        return None if _is_csr(X) else dense

    @overload(routine, jit_options=csr_flags, strict=False)
    def pick_csr(X, *args):
        return csr if _is_csr(X) else None

    routine.__doc__ = doc
    return routine


def for_both_layouts(routine: Callable) -> Callable:
    """Decorate a routine written with ``span`` and ``entry``; it is compiled as ``by_layout`` does."""
    return by_layout(routine, routine, routine.__doc__ or "")


def _is_csr(X: types.Type) -> bool:
    return getattr(X, "instance_class", None) is CSR


def _dense_dot(X, i, u):
    inner, square = 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner += x * u[j]
        square += x * x
    return inner, square


# Unsigned indices: Numba tests signed ones for negative values, a third of the time of a CSR row.
# Several partial sums: an addition has to wait for the previous one to the same sum.
def _csr_dot(X, i, u):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    unrolled_stop = stop - (stop - start) % np.uintp(4)
    inner_0, inner_1, inner_2, inner_3, square_0, square_1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(start, unrolled_stop, np.uintp(4)):
        k_1, k_2, k_3 = k + np.uintp(1), k + np.uintp(2), k + np.uintp(3)
        x_0, x_1 = np.float64(X.data[k]), np.float64(X.data[k_1])
        x_2, x_3 = np.float64(X.data[k_2]), np.float64(X.data[k_3])
        inner_0 += x_0 * u[np.uintp(X.indices[k])]
        inner_1 += x_1 * u[np.uintp(X.indices[k_1])]
        inner_2 += x_2 * u[np.uintp(X.indices[k_2])]
        inner_3 += x_3 * u[np.uintp(X.indices[k_3])]
        square_0 += x_0 * x_0 + x_1 * x_1
        square_1 += x_2 * x_2 + x_3 * x_3
    for k in range(unrolled_stop, stop):
        x = np.float64(X.data[k])
        inner_0 += x * u[np.uintp(X.indices[k])]
        square_0 += x * x
    return (inner_0 + inner_1) + (inner_2 + inner_3), square_0 + square_1


def _dense_dot2(X, i, u, v):
    inner_u, inner_v = 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner_u += x * u[j]
        inner_v += x * v[j]
    return inner_u, inner_v


def _csr_dot2(X, i, u, v):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    unrolled_stop = stop - (stop - start) % np.uintp(2)
    u_0, u_1, v_0, v_1 = 0.0, 0.0, 0.0, 0.0
    for k in range(start, unrolled_stop, np.uintp(2)):
        x_0, j_0 = np.float64(X.data[k]), np.uintp(X.indices[k])
        x_1, j_1 = np.float64(X.data[k + np.uintp(1)]), np.uintp(X.indices[k + np.uintp(1)])
        u_0 += x_0 * u[j_0]
        u_1 += x_1 * u[j_1]
        v_0 += x_0 * v[j_0]
        v_1 += x_1 * v[j_1]
    for k in range(unrolled_stop, stop):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        u_0 += x * u[j]
        v_0 += x * v[j]
    return u_0 + u_1, v_0 + v_1


def _dense_axpy(X, i, c, u):
    for j in range(X.shape[1]):
        u[j] += c * X[i, j]


def _csr_axpy(X, i, c, u):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    unrolled_stop = stop - (stop - start) % np.uintp(4)
    for k in range(start, unrolled_stop, np.uintp(4)):
        k_1, k_2, k_3 = k + np.uintp(1), k + np.uintp(2), k + np.uintp(3)
        u[np.uintp(X.indices[k])] += c * X.data[k]
        u[np.uintp(X.indices[k_1])] += c * X.data[k_1]
        u[np.uintp(X.indices[k_2])] += c * X.data[k_2]
        u[np.uintp(X.indices[k_3])] += c * X.data[k_3]
    for k in range(unrolled_stop, stop):
        u[np.uintp(X.indices[k])] += c * X.data[k]


dot = by_layout(_dense_dot, _csr_dot, "``dot(X, i, u)``: ``x_i . u`` and ``|x_i|^2``.")
dot2 = by_layout(_dense_dot2, _csr_dot2, "``dot2(X, i, u, v)``: ``x_i . u`` and ``x_i . v``.")
axpy = by_layout(_dense_axpy, _csr_axpy, "``axpy(X, i, c, u)``: ``u += c x_i``.")
count_rows = by_layout(
    lambda X: X.shape[0], lambda X: len(X.indptr) - 1, "``count_rows(X)``: the number of rows."
)
span = by_layout(
    lambda X, i: (0, X.shape[1]),
    lambda X, i: (X.indptr[i], X.indptr[i + 1]),
    "``span(X, i)``: the first entry of row ``i`` and the end of its entries, for ``entry``.",
)
entry = by_layout(
    lambda X, i, k: (k, np.float64(X[i, k])),
    lambda X, i, k: (X.indices[np.uintp(k)], np.float64(X.data[np.uintp(k)])),
    "``entry(X, i, k)``: column and value of entry ``k``.",
)


@for_both_layouts
def axpy2(X, i, c, u, e, v):
    """``u += c x_i`` and ``v += e x_i``."""
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        j = np.uintp(column)
        u[j] += c * x
        v[j] += e * x


def _sqnorm(X, i):
    square = 0.0
    start, stop = span(X, i)
    for k in range(start, stop):
        _, x = entry(X, i, k)
        square += x * x
    return square


sqnorm = by_layout(_sqnorm, _sqnorm, "``sqnorm(X, i)``: ``|x_i|^2``.", csr_flags=VECTORISED)


@for_both_layouts
def dot2_sqnorm(X, i, u, v):
    """``x_i . u``, ``x_i . v`` and ``|x_i|^2``."""
    inner_u, inner_v, square = 0.0, 0.0, 0.0
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        j = np.uintp(column)
        inner_u += x * u[j]
        inner_v += x * v[j]
        square += x * x
    return inner_u, inner_v, square


@kernel
def scores(X: Rows, w: np.ndarray) -> np.ndarray:
    """``X w`` in float64, without a copy of a float32 ``X``."""
    out = np.empty(count_rows(X))
    for i in range(len(out)):
        out[i], _ = dot(X, i, w)
    return out


@kernel
def products(X: Rows, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``X u`` and ``X v``."""
    by_u, by_v = np.empty(count_rows(X)), np.empty(count_rows(X))
    for i in range(len(by_u)):
        by_u[i], by_v[i] = dot2(X, i, u, v)
    return by_u, by_v


def bytes_per_row(X: Rows) -> float:
    """Mean size of a row in memory."""
    if isinstance(X, CSR):
        return (X.data.nbytes + X.indices.nbytes) / max(1, count_rows(X))
    return X.nbytes / max(1, len(X))
