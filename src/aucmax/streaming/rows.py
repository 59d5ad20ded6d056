"""The row that is learnt from: room for it, reading it, and asking for those to come."""

from typing import NamedTuple

import numpy as np

from ..kernels.prefetch import prefetch
from ..kernels.rows import by_layout


class Row(NamedTuple):
    """Room for one row: its values, their columns if sparse, the scaled values, and the columns' squares."""

    values: np.ndarray
    columns: np.ndarray
    scaled: np.ndarray
    squares: np.ndarray


def _load_dense(X, i, row):
    for j in range(X.shape[1]):
        row.values[j] = X[i, j]
    return X.shape[1]


def _load_csr(X, i, row):
    start, n = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    for e in range(n):
        row.values[e] = X.data[start + e]
        row.columns[e] = X.indices[start + e]
    return np.intp(n)


def _fetch_dense(X, order, done, columns):
    start = order[min(done + 2, len(order) - 1)] * X.shape[1]
    for k in range(start, start + X.shape[1], 8):
        prefetch(X, k)


def _fetch_csr(X, order, done, columns):
    # The columns of a row are known once its indices have come, so these are fetched a turn earlier.
    last = len(order) - 1
    i = order[min(done + 2, last)]
    for k in range(X.indptr[i], X.indptr[i + 1], 8):
        prefetch(X.data, k)
        prefetch(X.indices, k)
    i = order[min(done + 1, last)]
    for k in range(np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])):
        prefetch(columns.table, np.uintp(4) * np.uintp(X.indices[k]))


load = by_layout(_load_dense, _load_csr, "``load(X, i, row)``: copy row i; its number of entries.")
fetch_ahead = by_layout(
    _fetch_dense,
    _fetch_csr,
    "``fetch_ahead(X, order, done, columns)``: ask for the rows to come and their columns. In random order"
    " they lie anywhere in memory, and waiting for them would take a tenth of the time.",
)
