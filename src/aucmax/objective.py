"""The regularised mean pair loss of a linear scorer, as a solver sees it."""

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from threadpoolctl import ThreadpoolController

from ._jit import kernel
from .losses import Loss
from .pairsums import Classes, PairSums
from .rows import CSR, Rows, as_rows, axpy, bytes_per_row, count, dot

BLOCKS = 8
WORTH_THREADS = 2**21


@kernel
def block_scores(X, w, start, stop, out):
    """``out[start:stop] = X[start:stop] w``."""
    for i in range(start, stop):
        out[i], _ = dot(X, i, w)


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

    def __init__(self, X: Rows, n_features: int, run: Callable[..., Iterable] = map) -> None:
        self.X, self.n_rows, self.n_features = X, count(X), n_features
        size = bytes_per_row(X) * self.n_rows
        self._pool, self._run = run, run if size > WORTH_THREADS else map
        cuts = np.linspace(0, self.n_rows, (BLOCKS if size > WORTH_THREADS else 1) + 1).astype(np.int64)
        self._blocks = list(itertools.pairwise(cuts))

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
        return functools.reduce(
            np.add, self._run(lambda block: part(int(block[0]), int(block[1])), self._blocks)
        )

    def take(self, rows: np.ndarray) -> "Products":
        """The same for a copy of some rows."""
        X: Any = self.X
        if isinstance(X, CSR):
            whole = sparse.csr_array((X.data, X.indices, X.indptr), shape=(self.n_rows, self.n_features))
            return Products(as_rows(whole[rows]), self.n_features, self._pool)
        return Products(as_rows(X[rows]), self.n_features, self._pool)


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Callable[..., Iterable]]:
    """A ``map`` over that many threads: all cores for None or -1, fewer inside a joblib worker.

    BLAS keeps to one thread meanwhile: its own threads wait for each other by spinning, which on a
    busy machine makes a small factorisation hundreds of times slower.
    """
    workers = min(effective_n_jobs(-1 if n_jobs is None else n_jobs), os.cpu_count() or 1)
    with _libraries().limit(limits=1, user_api="blas"):
        if workers == 1:
            yield map
            return
        with ThreadPoolExecutor(workers) as pool:
            yield pool.map


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

    def at(self, w: np.ndarray, image: np.ndarray | None = None) -> "Point":
        """The objective at ``w``; ``image`` is ``X w`` where it is already known."""
        return Point(self, w, self.products.scores(w) if image is None else image)

    def value_grad(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient at ``w``."""
        point = self.at(w)
        return point.value, point.gradient


class Point:
    """The objective near one ``w``: value, gradient, and products with the Hessian."""

    def __init__(self, objective: Objective, w: np.ndarray, image: np.ndarray) -> None:
        self.w, self.image = w, image
        self._products, self._l2 = objective.products, objective.l2
        self.sums: PairSums = objective.loss.sums(objective.classes, image)
        self.value = self.sums.value + 0.5 * self._l2 * float(w @ w)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._products.combine(self.sums.gradient()) + self._l2 * self.w

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``X v``."""
        image = self._products.scores(v)
        return self._products.combine(self.sums.curvature(image)) + self._l2 * v, image
