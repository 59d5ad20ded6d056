"""OAM's buffer: a random sample of the rows of each class, kept over all chunks.

During a chunk, ``row_of_place`` has for each place of the buffer the index of a row of the chunk, or -1 minus
the place of a row kept from earlier chunks. Rows are copied once, at the end of the chunk.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...kernels.jit import inlined
from ...kernels.random import uniform
from ...kernels.rows import CSR, Rows, as_rows, axpy, dot2_sqnorm, read_only


class Buffer(NamedTuple):
    """The kept rows, first those of positives, then as many places for negatives; the random generator."""

    rows: Rows | None
    generator: np.ndarray


@inlined
def sample_place(generator, class_weight, weight, n_kept, size):
    """Reservoir sampling: the place for a row, which is the next free or a random one, or -1 for none."""
    if n_kept < size:
        return n_kept
    place = int(uniform(generator) * class_weight / weight)
    return place if place < size else -1


@inlined
def dot2_buffered(X, kept, index, u, v):
    """``dot2_sqnorm`` of a buffered row."""
    if index >= 0:
        return dot2_sqnorm(X, index, u, v)
    return dot2_sqnorm(kept, -1 - index, u, v)


@inlined
def axpy_buffered(X, kept, index, c, u):
    """``u += c`` times a buffered row."""
    if index >= 0:
        axpy(X, index, c, u)
    else:
        axpy(kept, -1 - index, c, u)


def kept_rows(buffer: Buffer, X: Rows, size: int, n_features: int) -> Rows:
    """The buffer's rows; zeros, stored as ``X`` is, if there are none so far."""
    rows = buffer.rows
    if isinstance(rows, CSR):  # read-only again: copies and pickles are writable
        return CSR(*map(read_only, rows))
    if rows is not None:
        return read_only(rows)
    if isinstance(X, CSR):
        return as_rows(sparse.csr_array((size, n_features), dtype=X.data.dtype))
    return read_only(np.zeros((size, n_features), dtype=X.dtype))


def replace_rows(kept: Rows, X: Rows, row_of_place: np.ndarray, n_features: int) -> Rows:
    """A copy of the kept rows, stored as ``X`` is, in which rows of ``X`` replace some by ``row_of_place``.

    A CSR copy has spare capacity, so that its size does not change with each row.
    """
    parts = [_entries(X, i) if i >= 0 else _entries(kept, k) for k, i in enumerate(row_of_place)]
    if not isinstance(X, CSR):
        dense = np.zeros((len(row_of_place), n_features), dtype=X.dtype)
        for row, (columns, values) in zip(dense, parts, strict=True):
            row[columns] = values
        return read_only(dense)
    indptr = np.cumsum([0, *(len(values) for _, values in parts)], dtype=X.indptr.dtype)
    capacity = 1 << int(indptr[-1]).bit_length()
    data, indices = np.zeros(capacity, dtype=X.data.dtype), np.zeros(capacity, dtype=X.indices.dtype)
    for start, (columns, values) in zip(indptr, parts, strict=False):
        indices[start : start + len(values)], data[start : start + len(values)] = columns, values
    return CSR(read_only(data), read_only(indices), read_only(indptr))


def _entries(X: Rows, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns and values of a row."""
    if isinstance(X, CSR):
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part], X.data[part]
    return np.arange(X.shape[1]), X[i]
