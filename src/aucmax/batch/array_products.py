"""Products of the rows with a vector, for dense arrays of torch, CuPy or another library of the array API.

X stays where it is and is never copied. Vectors over the columns are NumPy arrays, vectors over the rows are
arrays of X's library and device in float64: only numbers over the columns move between device and host.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..kernels.rows import as_rows
from ..pairs.array_sums import ArrayClasses
from ..validation.namespaces import Arrays, find_arrays
from .newton import Solve
from .products import Products
from .threads import Map

COMBINED_ROWS = 2**18  # of a float32 X, summed in float32 before the sums are added up in float64
BLOCK_BYTES = 2**27  # of rows copied at a time
CENTRE_ROWS = 256
ROW_BYTES = 800  # largest memory that a fit needs for each row, beside X and a few such blocks
FIXED_BYTES = 4 * BLOCK_BYTES


def make_products(X: Any, run: Map) -> Products:
    """Products with validated rows of any kind."""
    arrays = find_arrays(X)
    return Products(as_rows(X), X.shape[1], run) if arrays is None else ArrayProducts(arrays, X)


def row_blocks(n_rows: int, height: int) -> Iterator[slice]:
    """Consecutive rows, at most ``height`` at a time."""
    return (slice(start, min(start + height, n_rows)) for start in range(0, n_rows, height))


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
        sums = [r[rows] @ self.X[rows, :] for rows in row_blocks(self.n_rows, COMBINED_ROWS)]
        return self.coef(self.arrays.get(xp.sum(xp.stack(sums), axis=0, dtype=xp.float64)))

    def class_sums(self, classes: Any) -> tuple[np.ndarray, np.ndarray]:
        """A centre of the columns, and the sums of ``x - centre`` and of its square in each class."""
        xp, arrays = self.arrays.xp, self.arrays
        sample = xp.sort(self.X[:: max(1, self.n_rows // CENTRE_ROWS), :], axis=0)
        centre = sample[sample.shape[0] // 2, :]  # a value that occurs: constant columns have variance zero
        zeros = xp.zeros_like(classes.pos_weight), xp.zeros_like(classes.neg_weight)
        by_row = classes.by_row(classes.pos_weight, zeros[1]), classes.by_row(zeros[0], classes.neg_weight)
        weights = [xp.astype(weight, self.X.dtype, copy=False) for weight in by_row]
        total = []
        for rows in row_blocks(self.n_rows, max(1, int(BLOCK_BYTES / self.row_bytes))):
            block = self.X[rows, :] - centre
            parts = block, block * block
            total.append(xp.stack([weight[rows] @ values for weight in weights for values in parts]))
        sums = xp.sum(xp.stack(total), axis=0, dtype=xp.float64)
        return arrays.get(arrays.float64(centre)), arrays.get(sums)

    def pooled_covariance(self, samples: list[tuple[Any, Any, float]], total: float) -> Any:
        """Covariances of samples of rows, plus ``total`` times the square of the difference of their means.

        On the device, in scaled columns. Each of the two samples is given by its rows, their weights, which
        sum to one, and what its covariance is multiplied by.
        """
        xp, pooled, means = self.arrays.xp, [], []
        for rows, weight, size in samples:
            block = self.arrays.float64(xp.take(self.X, rows, axis=0))
            means.append(weight @ block)
            block = (block - means[-1]) * xp.sqrt(size * weight)[:, None]
            pooled.append(block.T @ block)
        factor = self.arrays.put(np.ones(self.n_features) if self.factor is None else self.factor)
        difference = factor * (means[0] - means[1])
        return (pooled[0] + pooled[1]) * factor[:, None] * factor + total * difference[:, None] * difference

    def add_to_diagonal(self, matrix: Any, values: np.ndarray) -> Any:
        """A matrix on the device with these values added to its diagonal."""
        identity = self.arrays.xp.eye(len(values), dtype=matrix.dtype, device=self.arrays.device)
        return matrix + identity * self.arrays.put(values)

    def solver(self, matrix: Any) -> Solve | None:
        """Solves with a positive definite matrix on the device, by its inverse; None where rounding is large.

        A solve on the host with a factor of a large matrix takes longer than many products with X.
        """
        xp = self.arrays.xp
        if not bool(xp.min(xp.linalg.diagonal(matrix)) > 0.0):
            return None
        inverse = xp.linalg.inv(matrix)
        inverse = 0.5 * (inverse + inverse.T)
        if not bool(xp.min(xp.linalg.diagonal(inverse)) > 0.0):
            return None
        return lambda r: self.arrays.get(inverse @ self.arrays.put(r))
