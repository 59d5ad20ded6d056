"""The row that is learnt from: room for it, and reading it."""

from typing import NamedTuple

import numpy as np

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


load = by_layout(_load_dense, _load_csr, "``load(X, i, row)``: copy row i; its number of entries.")
