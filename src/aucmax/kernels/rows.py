"""Rows of a matrix, dense or CSR: all that the stochastic methods know of how ``X`` is stored."""

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
    """View ``X``, C-ordered or CSR, as something the row routines accept.

    The view is read-only: kernels are compiled once for writable and read-only input, and
    none of them can change the caller's data.
    """
    if sparse.issparse(X):
        return CSR(*(_frozen(part) for part in (X.data, X.indices, X.indptr)))
    return _frozen(X)


def _frozen(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def by_layout(dense: Callable, csr: Callable, doc: str, csr_flags: dict[str, Any] = INLINED) -> Callable:
    """One name for two routines; the type of ``X`` picks, at compile time or in Python."""

    def routine(X: Rows, *args: Any) -> Any:
        return (csr if isinstance(X, CSR) else dense)(X, *args)

    # Dense sums may be reassociated, and so vectorised; CSR sums would become gathers,
    # which are slower, so they keep a strict order.
    @overload(routine, jit_options=VECTORISED, strict=False)
    def pick_dense(X, *args):
        return None if _is_csr(X) else dense

    @overload(routine, jit_options=csr_flags, strict=False)
    def pick_csr(X, *args):
        return csr if _is_csr(X) else None

    routine.__doc__ = doc
    return routine


def _is_csr(X: types.Type) -> bool:
    return getattr(X, "instance_class", None) is CSR


def _dense_dot(X, i, u):
    inner, square = 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner += x * u[j]
        square += x * x
    return inner, square


# Unsigned indices spare the test for negative ones, which is a third of the time of a CSR row.
# Four sums at a time, and two: each addition waits for the last one of its sum.
def _csr_dot(X, i, u):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    whole = stop - (stop - start) % np.uintp(4)
    inner_0, inner_1, inner_2, inner_3, square_0, square_1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(start, whole, np.uintp(4)):
        k_1, k_2, k_3 = k + np.uintp(1), k + np.uintp(2), k + np.uintp(3)
        x_0, x_1 = np.float64(X.data[k]), np.float64(X.data[k_1])
        x_2, x_3 = np.float64(X.data[k_2]), np.float64(X.data[k_3])
        inner_0 += x_0 * u[np.uintp(X.indices[k])]
        inner_1 += x_1 * u[np.uintp(X.indices[k_1])]
        inner_2 += x_2 * u[np.uintp(X.indices[k_2])]
        inner_3 += x_3 * u[np.uintp(X.indices[k_3])]
        square_0 += x_0 * x_0 + x_1 * x_1
        square_1 += x_2 * x_2 + x_3 * x_3
    for k in range(whole, stop):
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
    whole = stop - (stop - start) % np.uintp(2)
    u_0, u_1, v_0, v_1 = 0.0, 0.0, 0.0, 0.0
    for k in range(start, whole, np.uintp(2)):
        x_0, j_0 = np.float64(X.data[k]), np.uintp(X.indices[k])
        x_1, j_1 = np.float64(X.data[k + np.uintp(1)]), np.uintp(X.indices[k + np.uintp(1)])
        u_0 += x_0 * u[j_0]
        u_1 += x_1 * u[j_1]
        v_0 += x_0 * v[j_0]
        v_1 += x_1 * v[j_1]
    for k in range(whole, stop):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        u_0 += x * u[j]
        v_0 += x * v[j]
    return u_0 + u_1, v_0 + v_1


def _dense_probe(X, i, u, v):
    inner_u, inner_v, square = 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner_u += x * u[j]
        inner_v += x * v[j]
        square += x * x
    return inner_u, inner_v, square


def _csr_probe(X, i, u, v):
    inner_u, inner_v, square = 0.0, 0.0, 0.0
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        inner_u += x * u[j]
        inner_v += x * v[j]
        square += x * x
    return inner_u, inner_v, square


def _dense_note(X, i, columns, n):
    return len(columns) + 1


def _csr_note(X, i, columns, n):
    start, stop = np.intp(X.indptr[i]), np.intp(X.indptr[i + 1])
    if n + stop - start <= len(columns):
        for k in range(stop - start):
            columns[n + k] = X.indices[start + k]
    return n + stop - start


def _dense_axpy(X, i, c, u):
    for j in range(X.shape[1]):
        u[j] += c * X[i, j]


def _csr_axpy(X, i, c, u):
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        u[np.uintp(X.indices[k])] += c * X.data[k]


def _dense_axpy2(X, i, c, u, e, v):
    for j in range(X.shape[1]):
        x = X[i, j]
        u[j] += c * x
        v[j] += e * x


def _csr_axpy2(X, i, c, u, e, v):
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        x, j = X.data[k], np.uintp(X.indices[k])
        u[j] += c * x
        v[j] += e * x


def _dense_shift(X, i, c, u, e, v, centre):
    l1, gap = 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        before, after = u[j], u[j] + c * x
        l1 += abs(after) - abs(before)
        gap += c * x * (after + before - 2.0 * centre[j])
        u[j] = after
        v[j] += e * x
    return l1, gap


def _csr_shift(X, i, c, u, e, v, centre):
    l1, gap = 0.0, 0.0
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        before, after = u[j], u[j] + c * x
        l1 += abs(after) - abs(before)
        gap += c * x * (after + before - 2.0 * centre[j])
        u[j] = after
        v[j] += e * x
    return l1, gap


def _dense_square(X, i):
    total = 0.0
    for j in range(X.shape[1]):
        total += np.float64(X[i, j]) ** 2
    return total


def _csr_square(X, i):
    total = 0.0
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        total += np.float64(X.data[k]) ** 2
    return total


def _dense_count(X):
    return X.shape[0]


def _csr_count(X):
    return len(X.indptr) - 1


def _dense_dot3(X, i, u, v, w):
    inner_u, inner_v, inner_w = 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner_u += x * u[j]
        inner_v += x * v[j]
        inner_w += x * w[j]
    return inner_u, inner_v, inner_w


def _csr_dot3(X, i, u, v, w):
    inner_u, inner_v, inner_w = 0.0, 0.0, 0.0
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        x, j = np.float64(X.data[k]), np.uintp(X.indices[k])
        inner_u += x * u[j]
        inner_v += x * v[j]
        inner_w += x * w[j]
    return inner_u, inner_v, inner_w


def _dense_clear(X, i, u):
    for j in range(X.shape[1]):
        u[j] = 0.0


def _csr_clear(X, i, u):
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        u[np.uintp(X.indices[k])] = 0.0


def _dense_span(X, i):
    return 0, X.shape[1]


def _csr_span(X, i):
    return X.indptr[i], X.indptr[i + 1]


def _dense_entry(X, i, k):
    return k, np.float64(X[i, k])


def _csr_entry(X, i, k):
    return X.indices[np.uintp(k)], np.float64(X.data[np.uintp(k)])


dot = by_layout(_dense_dot, _csr_dot, "``dot(X, i, u)``: ``x_i . u`` and ``|x_i|^2``, in one pass.")
dot2 = by_layout(_dense_dot2, _csr_dot2, "``dot2(X, i, u, v)``: ``x_i . u`` and ``x_i . v``, in one pass.")
axpy = by_layout(_dense_axpy, _csr_axpy, "``axpy(X, i, c, u)``: ``u += c x_i``.")
axpy2 = by_layout(
    _dense_axpy2, _csr_axpy2, "``axpy2(X, i, c, u, e, v)``: ``u += c x_i`` and ``v += e x_i``, in one pass."
)
note = by_layout(
    _dense_note,
    _csr_note,
    "``note(X, i, columns, n)``: append the row's columns to a list of n; the new n, too large if no room.",
)
probe = by_layout(
    _dense_probe, _csr_probe, "``probe(X, i, u, v)``: ``x_i . u``, ``x_i . v`` and ``|x_i|^2``, in one pass."
)
shift = by_layout(
    _dense_shift,
    _csr_shift,
    "``shift(X, i, c, u, e, v, centre)``: ``axpy2``, and what it adds to ``|u|_1`` and ``|u - centre|^2``.",
)
square = by_layout(_dense_square, _csr_square, "``square(X, i)``: ``|x_i|^2``.", csr_flags=VECTORISED)
count = by_layout(_dense_count, _csr_count, "``count(X)``: the number of rows.")
dot3 = by_layout(
    _dense_dot3, _csr_dot3, "``dot3(X, i, u, v, w)``: ``x_i . u``, ``x_i . v`` and ``x_i . w``, in one pass."
)
clear = by_layout(_dense_clear, _csr_clear, "``clear(X, i, u)``: zero ``u`` wherever ``x_i`` is stored.")

span = by_layout(_dense_span, _csr_span, "``span(X, i)``: where the entries of row ``i`` begin and end.")
entry = by_layout(
    _dense_entry, _csr_entry, "``entry(X, i, k)``: column and value of entry ``k``, within the row's span."
)


@kernel
def scores(X: Rows, w: np.ndarray) -> np.ndarray:
    """``X w`` in float64, without a copy of a float32 ``X``."""
    out = np.empty(count(X))
    for i in range(len(out)):
        out[i], _ = dot(X, i, w)
    return out


@kernel
def products(X: Rows, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``X u`` and ``X v``, in one pass."""
    by_u, by_v = np.empty(count(X)), np.empty(count(X))
    for i in range(len(by_u)):
        by_u[i], by_v[i] = dot2(X, i, u, v)
    return by_u, by_v


def bytes_per_row(X: Rows) -> float:
    """Mean size of a row in memory."""
    if isinstance(X, CSR):
        return (X.data.nbytes + X.indices.nbytes) / max(1, count(X))
    return X.nbytes / max(1, len(X))


def blank(X: Rows, n_rows: int, n_features: int) -> Rows:
    """Rows of zeros, stored as those of ``X`` are."""
    if isinstance(X, CSR):
        return as_rows(sparse.csr_array((n_rows, n_features), dtype=X.data.dtype))
    return _frozen(np.zeros((n_rows, n_features), dtype=X.dtype))


def refilled(old: Rows, X: Rows, source: np.ndarray, n_features: int) -> Rows:
    """A copy of ``old`` in which row k is row ``source[k]`` of ``X``, where that is not negative.

    It is stored as ``X`` is; a CSR one has room to spare, so that its size does not follow each row's.
    """
    parts = [_entries(X, i) if i >= 0 else _entries(old, k) for k, i in enumerate(source)]
    if not isinstance(X, CSR):
        dense = np.zeros((len(source), n_features), dtype=X.dtype)
        for row, (columns, values) in zip(dense, parts, strict=True):
            row[columns] = values
        return _frozen(dense)
    indptr = np.cumsum([0, *(len(values) for _, values in parts)], dtype=X.indptr.dtype)
    room = 1 << int(indptr[-1]).bit_length()
    data, indices = np.zeros(room, dtype=X.data.dtype), np.zeros(room, dtype=X.indices.dtype)
    for start, (columns, values) in zip(indptr, parts, strict=False):
        indices[start : start + len(values)], data[start : start + len(values)] = columns, values
    return CSR(_frozen(data), _frozen(indices), _frozen(indptr))


def _entries(X: Rows, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and values of a row."""
    if isinstance(X, CSR):
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part], X.data[part]
    return np.arange(X.shape[1]), X[i]


def read_only(X: Rows) -> Rows:
    """The same rows as kernels want them; copies and pickles come back writable."""
    return CSR(*map(_frozen, X)) if isinstance(X, CSR) else _frozen(X)
