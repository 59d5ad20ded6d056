"""The regularised mean pair loss of a linear scorer, as a solver sees it."""

import functools
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ..kernels.jit import inlined, kernel
from ..kernels.rows import CSR, Rows, as_rows, axpy, by_layout, bytes_per_row, count, dot
from ..pairs.losses import Loss
from ..pairs.sums import Classes, PairSums
from .threads import Map

MOST_BLOCKS = 8
BLOCK_BYTES = 2**20
LONG_ROW = 32


def _dense_scores(X, w, start, stop, out):
    for i in range(start, stop):
        out[i], _ = dot(X, i, w)


def _csr_scores(X, w, start, stop, out):
    if X.indptr[stop] - X.indptr[start] >= LONG_ROW * (stop - start):
        for i in range(start, stop):
            out[i], _ = dot(X, i, w)
    else:
        _short_scores(X, w, start, stop, out)


@inlined
def _short_scores(X, w, start, stop, out):
    """The second way out of the inner loop keeps it from being unrolled, which loses on a dozen entries."""
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


_scores = by_layout(_dense_scores, _csr_scores, "``out[start:stop] = X[start:stop] w``.")


@kernel
def block_scores(X, w, start, stop, out):
    """``out[start:stop] = X[start:stop] w``."""
    _scores(X, w, start, stop, out)


@kernel
def block_combine(X, r, start, stop, out):
    """``out += X[start:stop]' r[start:stop]``."""
    for i in range(start, stop):
        if r[i] != 0.0:
            axpy(X, i, r[i], out)


class Products:
    """``X v`` and ``X' r`` over blocks of rows, in threads where that is worth it.

    The blocks, and the order in which their sums are added, do not depend on the number of
    threads, so neither does any bit of the result.
    """

    def __init__(self, X: Rows, n_features: int, run: Map = map) -> None:
        self.X, self.n_rows, self.n_features = X, count(X), n_features
        self._run = run
        cuts = np.linspace(0, self.n_rows, self._n_blocks() + 1).astype(np.int64)
        self._blocks = [(int(start), int(stop)) for start, stop in itertools.pairwise(cuts)]

    def _n_blocks(self) -> int:
        """A power of two: blocks worth a thread, and large beside the sums over columns that each keeps."""
        size = bytes_per_row(self.X) * self.n_rows
        worth = size / max(BLOCK_BYTES, 6 * 8 * self.n_features)
        return min(MOST_BLOCKS, 2 ** max(0, int(np.log2(max(worth, 1.0)))))

    def scores(self, v: np.ndarray) -> np.ndarray:
        """``X v``."""
        out = np.empty(self.n_rows)
        list(self._run(lambda block: block_scores(self.X, v, block[0], block[1], out), self._blocks))
        return out

    def combine(self, r: np.ndarray) -> np.ndarray:
        """``X' r``."""

        def part(start, stop):
            out = np.zeros(self.n_features)
            block_combine(self.X, r, start, stop, out)
            return out

        return self.total(part)

    def total(self, part: Callable[[int, int], np.ndarray]) -> np.ndarray:
        """Sum of ``part(start, stop)`` over the blocks, in their order."""
        return functools.reduce(np.add, self._run(lambda block: part(*block), self._blocks))

    def take(self, rows: np.ndarray) -> "Products":
        """The same for a copy of some rows."""
        X: Any = self.X
        if isinstance(X, CSR):
            whole = sparse.csr_array((X.data, X.indices, X.indptr), shape=(self.n_rows, self.n_features))
            return Products(as_rows(whole[rows]), self.n_features, self._run)
        return Products(as_rows(X[rows]), self.n_features, self._run)


class Objective:
    """Mean pair loss of ``X w`` plus ``l2/2 |w|^2``.

    Parameters
    ----------
    products : Products
    classes : Classes
    loss : Loss
    l2 : float
    """

    def __init__(self, products: Products, classes: Classes, loss: Loss, l2: float) -> None:
        self.products, self.classes, self.loss, self.l2 = products, classes, loss, l2

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``; ``Xw`` is ``X w`` where it is already known."""
        return Point(self, w, self.products.scores(w) if Xw is None else Xw)

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient at ``w``."""
        point = self.at(w)
        return point.value, point.gradient


class Point:
    """The objective near one ``w``: value, gradient, and products with the Hessian."""

    def __init__(
        self, objective: Objective, w: np.ndarray, Xw: np.ndarray, sums: PairSums | None = None
    ) -> None:
        self.w, self.Xw, self.objective = w, Xw, objective
        self.sums: PairSums = objective.loss.sums(objective.classes, Xw) if sums is None else sums
        self.value = self.sums.value + 0.5 * objective.l2 * float(w @ w)

    def under(self, objective: Objective) -> "Point":
        """The same place for another penalty, or another loss: what does not depend on that is kept."""
        if objective.loss != self.objective.loss:
            return Point(objective, self.w, self.Xw)
        moved = Point(objective, self.w, self.Xw, self.sums)
        moved._pair_gradient = self._pair_gradient
        return moved

    @cached_property
    def _score_gradient(self) -> np.ndarray:
        return self.sums.gradient()

    @cached_property
    def _pair_gradient(self) -> np.ndarray:
        return self.objective.products.combine(self._score_gradient)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._pair_gradient + self.objective.l2 * self.w

    def slope(self, v: np.ndarray, Xw: np.ndarray) -> float:
        """The gradient times ``v``, from ``Xw``, which is ``X v``, without a product."""
        return float(np.sum(self._score_gradient * Xw) + self.objective.l2 * np.sum(self.w * v))

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``X v``."""
        products = self.objective.products
        Xw = products.scores(v)
        return products.combine(self.sums.curvature(Xw)) + self.objective.l2 * v, Xw
