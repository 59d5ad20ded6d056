"""Products of X and its transpose with vectors, over blocks of rows, in threads."""

import functools
import itertools
from collections.abc import Callable

import numpy as np
from scipy import sparse

from ..kernels.jit import kernel
from ..kernels.rows import CSR, Rows, as_rows, axpy, bytes_per_row, count_rows, dot
from ..pairs.sums import Classes
from .threads import Map

MAX_BLOCKS = 8
MIN_BLOCK_BYTES = 2**20  # blocks are at least this large
LONG_ROW = 32  # mean entries of a CSR row from which unrolled inner loops are faster


def block_scores(X: Rows, w: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
    """``out[start:stop] = X[start:stop] w``."""
    (_short_row_scores if _are_short(X, start, stop) else _row_scores)(X, w, start, stop, out)


def block_combine(X: Rows, r: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
    """``out += X[start:stop]' r[start:stop]``."""
    (_combine_short_rows if _are_short(X, start, stop) else _combine_rows)(X, r, start, stop, out)


def _are_short(X: Rows, start: int, stop: int) -> bool:
    """Whether CSR rows have so few entries that unrolled inner loops are slower."""
    return isinstance(X, CSR) and X.indptr[stop] - X.indptr[start] < LONG_ROW * (stop - start)


@kernel
def _row_scores(X, w, start, stop, out):
    for i in range(start, stop):
        out[i], _ = dot(X, i, w)


@kernel
def _combine_rows(X, r, start, stop, out):
    for i in range(start, stop):
        if r[i] != 0.0:
            axpy(X, i, r[i], out)


@kernel
def _short_row_scores(X, w, start, stop, out):
    """``break`` gives the inner loop a second exit, so the compiler does not unroll it."""
    d, k = np.uintp(len(w)), np.uintp(X.indptr[start])
    for i in range(start, stop):
        total, end = 0.0, np.uintp(X.indptr[i + 1])
        while k < end:
            j = np.uintp(X.indices[k])
            if j >= d:
                break
            total += X.data[k] * w[j]
            k += np.uintp(1)
        out[i] = total


@kernel
def _combine_short_rows(X, r, start, stop, out):
    """``out += X' r``; a second exit keeps this inner loop from being unrolled too."""
    d, k = np.uintp(len(out)), np.uintp(X.indptr[start])
    for i in range(start, stop):
        end = np.uintp(X.indptr[i + 1])
        if r[i] == 0.0:
            k = end
        while k < end:
            j = np.uintp(X.indices[k])
            if j >= d:
                break
            out[j] += r[i] * X.data[k]
            k += np.uintp(1)


class ScaledColumns:
    """Columns that are used multiplied by a ``factor`` each, but not copied; a factor of None is 1."""

    def __init__(self, n_features: int, factor: np.ndarray | None = None) -> None:
        self.n_features, self.factor = n_features, factor

    def coef(self, v: np.ndarray) -> np.ndarray:
        """Weights for the stored columns that give the scores of weights ``v`` for the scaled ones."""
        return v if self.factor is None else v * self.factor

    def scaled_coef(self, w: np.ndarray) -> np.ndarray:
        """The inverse of ``coef``; weights of columns with factor 0 are lost."""
        if self.factor is None:
            return w
        return np.divide(w, self.factor, out=np.zeros_like(w), where=self.factor > 0.0)


class Products(ScaledColumns):
    """``X v`` and ``X' r`` over blocks of rows, in threads where there are enough rows.

    With a ``factor``, the products are those of X with column j multiplied by ``factor[j]``; X is not copied.

    The blocks, and the order in which their sums are added, do not depend on the number of threads, so
    results are bit-equal for any number.
    """

    def __init__(
        self, X: Rows, n_features: int, map_blocks: Map = map, factor: np.ndarray | None = None
    ) -> None:
        super().__init__(n_features, factor)
        self.X, self.n_rows, self._map_blocks = X, count_rows(X), map_blocks
        bounds = np.linspace(0, self.n_rows, self._n_blocks() + 1).astype(np.int64)
        self._blocks = [(int(start), int(stop)) for start, stop in itertools.pairwise(bounds)]

    def _n_blocks(self) -> int:
        """A power of two; blocks are much larger than the vector over the columns that each allocates."""
        size = self.row_bytes * self.n_rows
        max_blocks = size / max(MIN_BLOCK_BYTES, 6 * 8 * self.n_features)
        return min(MAX_BLOCKS, 2 ** max(0, int(np.log2(max(max_blocks, 1.0)))))

    @property
    def row_bytes(self) -> float:
        """Mean size of a row in memory."""
        return bytes_per_row(self.X)

    def scaled(self, factor: np.ndarray) -> "Products":
        """Products with the same rows, each column multiplied by a factor."""
        return Products(self.X, self.n_features, self._map_blocks, factor)

    def in_one_thread(self) -> "Products":
        """The same products without threads, for callers that run in threads themselves."""
        return Products(self.X, self.n_features, map, self.factor)

    def scores(self, v: np.ndarray) -> np.ndarray:
        """``X v``."""
        out, w = np.empty(self.n_rows), self.coef(v)
        list(self._map_blocks(lambda block: block_scores(self.X, w, block[0], block[1], out), self._blocks))
        return out

    def combine(self, r: np.ndarray) -> np.ndarray:
        """``X' r``."""

        def part(start, stop):
            out = np.zeros(self.n_features)
            block_combine(self.X, r, start, stop, out)
            return out

        return self.coef(self.total(part))

    def total(self, part: Callable[[int, int], np.ndarray]) -> np.ndarray:
        """Sum of ``part(start, stop)`` over the blocks, in their order."""
        return functools.reduce(np.add, self._map_blocks(lambda block: part(*block), self._blocks))

    def inner(self, r: np.ndarray, s: np.ndarray) -> float:
        """``r' s`` of two vectors over the rows."""
        return float(np.sum(r * s))

    def split(self, signed: np.ndarray) -> Classes:
        """The classes of the rows, from signed weights."""
        return Classes.split(signed)

    def select(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Some entries of a vector over the rows."""
        return values[rows]

    def take(self, rows: np.ndarray) -> "Products":
        """Products with a copy of some rows."""
        X = self.X
        if isinstance(X, CSR):
            X = sparse.csr_array((X.data, X.indices, X.indptr), shape=(self.n_rows, self.n_features))
        return Products(as_rows(X[rows]), self.n_features, self._map_blocks, self.factor)
