"""The papers' classification problems: which rows, scaled how, and which labels against which."""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import maxabs_scale, minmax_scale, normalize

from .. import datasets

DENSE = 0.3  # share of non-zeros from which dense rows are the quicker ones


class Problem(NamedTuple):
    """A data set as a paper used it.

    ``columns`` is "range" (each to [-1, 1]), "largest" (each divided by its largest absolute value,
    which keeps zeros) or "asis"; then ``rows`` is "unit" or "centred" (less its mean, then unit).
    ``classes`` is "two", "halves" (a random half of them against the rest), "parity" (even against
    odd) or "last" (the largest label against the rest).
    """

    name: str
    files: tuple[str, ...]
    columns: str = "asis"
    rows: str = "unit"
    classes: str = "two"

    def load(self, seed: int) -> tuple[Any, np.ndarray]:
        """Rows and labels 0 and 1; ``seed`` says which half of the classes is positive."""
        X, labels = _rows(self.files, self.columns, self.rows)
        return X, self._positive(labels, seed).astype(np.int8)

    def _positive(self, labels: np.ndarray, seed: int) -> np.ndarray:
        found = np.unique(labels)
        if len(found) == 2 or self.classes in ("two", "last"):
            return labels == found[-1]
        if self.classes == "parity":
            return labels % 2 == 0
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        return np.isin(labels, rng.permutation(found)[: len(found) // 2])


@lru_cache(maxsize=1)  # the jobs of a worker come sorted by data set
def _rows(files: tuple[str, ...], columns: str, rows: str) -> tuple[Any, np.ndarray]:
    tables = [datasets.load(name) for name in files]
    X = sparse.csr_array(sparse.vstack([table.X for table in tables]))
    if columns == "range":
        X = minmax_scale(X.toarray(), (-1.0, 1.0))
        X[:, X.min(axis=0) == X.max(axis=0)] = 0.0
    elif columns == "largest":
        X = sparse.csr_array(maxabs_scale(X))
    if rows == "centred":
        X = X.toarray() if sparse.issparse(X) else X
        X -= X.mean(axis=1, keepdims=True)
    X = normalize(X, copy=False)
    if sparse.issparse(X) and X.nnz > DENSE * X.shape[0] * X.shape[1]:
        X = X.toarray()
    return X, np.concatenate([table.y for table in tables])
