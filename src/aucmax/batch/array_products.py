"""Products of the rows with a vector, for dense arrays of torch, CuPy or another library of the array API.

X stays where it is and is never copied. Vectors over the columns are NumPy arrays, vectors over the rows are
arrays of X's library and device in float64: only numbers over the columns move between device and host.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..kernels.rows import as_rows
from ..pairs.array_classes import ArrayClasses
from ..validation.namespaces import Arrays, find_arrays
from .newton import Solve
from .products import Products
from .threads import Map

COMBINED_ROWS = 2**18  # of a float32 X, summed in float32 before the sums are added up in float64
BLOCK_BYTES = 2**28  # of rows copied at a time
CENTRE_ROWS = 256
ROW_BYTES = 400  # largest memory that a fit needs for each row, beside X


def make_products(X: Any, run: Map) -> Products:
    """Products with validated rows of any kind."""
    arrays = find_arrays(X)
    return Products(as_rows(X), X.shape[1], run) if arrays is None else ArrayProducts(arrays, X)


class ArrayProducts(Products):
    """``X v`` and ``X' r`` on the device of X.

    With a ``factor``, X stands for the rows with column j multiplied by ``factor[j]``; they are not copied.
    """

    X: Any

    def __init__(self, arrays: Arrays, X: Any, factor: np.ndarray | None = None) -> None:
        self.arrays, self.X, self.factor = arrays, X, factor
        self.n_rows, self.n_features = X.shape

    @property
    def row_bytes(self) -> float:
        return self.n_features * self.arrays.xp.finfo(self.X.dtype).bits / 8

    def scaled(self, factor: np.ndarray) -> "ArrayProducts":
        return ArrayProducts(self.arrays, self.X, factor)

    def in_one_thread(self) -> "ArrayProducts":
        return self

    def split(self, signed: Any) -> Any:
        on_device = self.arrays.put(signed) if isinstance(signed, np.ndarray) else signed
        return ArrayClasses.split(self.arrays, on_device)

    def select(self, values: Any, rows: np.ndarray) -> Any:
        return values[self.arrays.put(rows)]

    def take(self, rows: Any) -> "ArrayProducts":
        return ArrayProducts(self.arrays, self.arrays.xp.take(self.X, rows, axis=0), self.factor)

    def inner(self, r: Any, s: Any) -> float:
        return float(self.arrays.xp.sum(r * s))

    def scores(self, v: np.ndarray) -> Any:
        return self.arrays.float64(self.X @ self.arrays.put(self.coef(v), self.X.dtype))

    def combine(self, r: Any) -> np.ndarray:
        xp, r = self.arrays.xp, self.arrays.xp.astype(r, self.X.dtype, copy=False)
        sums = [r[rows] @ self.X[rows, :] for rows in self._row_blocks(COMBINED_ROWS)]
        return self.coef(self.arrays.get(xp.sum(xp.stack(sums), axis=0, dtype=xp.float64)))

    def _row_blocks(self, height: int) -> Iterator[slice]:
        """Consecutive rows, at most ``height`` at a time."""
        return (slice(start, min(start + height, self.n_rows)) for start in range(0, self.n_rows, height))

    def class_sums(self, classes: Any) -> tuple[np.ndarray, np.ndarray]:
        """A centre of the columns, and the sums of ``x - centre`` and of its square in each class."""
        xp, dtype = self.arrays.xp, self.X.dtype
        sample = xp.sort(self.X[:: max(1, self.n_rows // CENTRE_ROWS), :], axis=0)
        centre = sample[sample.shape[0] // 2, :]  # a value that occurs: constant columns have variance zero
        zeros = xp.zeros_like(classes.pos_weight), xp.zeros_like(classes.neg_weight)
        weights = classes.by_row(classes.pos_weight, zeros[1]), classes.by_row(zeros[0], classes.neg_weight)
        weight = xp.astype(xp.stack(weights), dtype, copy=False)
        total = []
        for rows in self._row_blocks(max(1, int(BLOCK_BYTES / self.row_bytes))):
            block = self.X[rows, :] - centre
            total.append(xp.stack([weight[:, rows] @ block, weight[:, rows] @ (block * block)], axis=1))
        sums = self.arrays.get(sum(map(self.arrays.float64, total)))
        return self.arrays.get(self.arrays.float64(centre)), sums.reshape(4, -1)

    def solver(self, matrix: np.ndarray) -> Solve | None:
        """Solve with a matrix, given by its lower triangle, on the device; None unless positive definite.

        Products with the inverse of a large matrix are faster there than solves with a factor on the host.
        """
        if not (np.diagonal(matrix) > 0.0).all():
            return None
        xp = self.arrays.xp
        lower = xp.tril(self.arrays.put(matrix))
        inverse = xp.linalg.inv(lower + xp.tril(lower, k=-1).T)
        inverse = 0.5 * (inverse + inverse.T)
        if not bool(xp.min(xp.linalg.diagonal(inverse)) > 0.0):
            return None
        return lambda r: self.arrays.get(inverse @ self.arrays.put(r))

    def covariance(self, rows: Any, weight: Any) -> tuple[np.ndarray, np.ndarray]:
        """Covariance of some rows in the columns as stored, by weights that sum to one, and their mean."""
        xp = self.arrays.xp
        block = self.arrays.float64(xp.take(self.X, rows, axis=0))
        mean = weight @ block
        block = (block - mean) * xp.sqrt(weight)[:, None]
        return self.arrays.get(block.T @ block), self.arrays.get(mean)
