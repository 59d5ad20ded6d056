"""The papers' classification problems: which files, scaled how, and which labels are positive."""

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import maxabs_scale, minmax_scale, normalize

from .. import datasets

DENSE_SHARE = 0.3  # share of non-zeros from which dense rows are faster than CSR


class Problem(NamedTuple):
    """A data set as a paper used it.

    ``columns`` is "range" (each column to [-1, 1]), "max_abs" (each divided by its largest absolute value,
    which keeps zeros) or "unscaled"; then ``rows`` is "unit" (norm one) or "centred" (minus its mean, then
    norm one). The positive labels are, for ``classes`` "two" and "largest", the larger or largest one, for
    "halves" a random half of them, for "parity" the even ones.
    """

    name: str
    files: tuple[str, ...]
    columns: str = "unscaled"
    rows: str = "unit"
    classes: str = "two"

    @property
    def n_rows(self) -> int:
        return sum(datasets.SOURCES[name].n_rows for name in self.files)

    @property
    def n_features(self) -> int:
        return datasets.SOURCES[self.files[0]].n_features

    def load(self, seed: int) -> tuple[Any, np.ndarray]:
        """Rows and labels 0 and 1; ``seed`` selects the positive half of the classes."""
        X, labels = _scaled_rows(self.files, self.columns, self.rows)
        return X, self._positive(labels, seed).astype(np.int8)

    def _positive(self, labels: np.ndarray, seed: int) -> np.ndarray:
        found = np.unique(labels)
        if len(found) == 2 or self.classes in ("two", "largest"):
            return labels == found[-1]
        if self.classes == "parity":
            return labels % 2 == 0
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        return np.isin(labels, rng.permutation(found)[: len(found) // 2])


@lru_cache(maxsize=1)  # one is enough: a worker's jobs are sorted by data set
def _scaled_rows(files: tuple[str, ...], columns: str, rows: str) -> tuple[Any, np.ndarray]:
    tables = [datasets.load(name) for name in files]
    X = sparse.csr_array(sparse.vstack([table.X for table in tables]))
    if columns == "range":
        X = minmax_scale(X.toarray(), (-1.0, 1.0))
        X[:, X.min(axis=0) == X.max(axis=0)] = 0.0
    elif columns == "max_abs":
        X = sparse.csr_array(maxabs_scale(X))
    if rows == "centred":
        X = X.toarray() if sparse.issparse(X) else X
        X -= X.mean(axis=1, keepdims=True)
    X = normalize(X, copy=False)
    if sparse.issparse(X) and X.nnz > DENSE_SHARE * X.shape[0] * X.shape[1]:
        X = X.toarray()
    return X, np.concatenate([table.y for table in tables])
