"""A random sample of the past rows of two classes, of fixed size, to be visited again."""

from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from .jit import inlined
from .random import uniform
from .rows import CSR, Rows, by_layout

GOLDEN = 0.5 * (5.0**0.5 - 1.0)


class Reservoir(NamedTuple):
    """Row k of class c is row ``places[c, k]`` of ``rows``, and has weight ``weights[c, k]``.

    A dense row takes the place of the one it replaces; a sparse one goes to the end. ``kept`` has the number
    of rows of each class, ``last`` the row last visited as a share of it, ``capacity`` the largest number for
    each class, and ``stored`` the number of sparse rows in memory, still kept or not.
    """

    rows: Rows
    places: np.ndarray
    weights: np.ndarray
    kept: np.ndarray
    last: np.ndarray
    capacity: np.ndarray
    stored: np.ndarray
    max_bytes: int

    @classmethod
    def empty(cls, X: Rows, size: int, max_bytes: int) -> "Reservoir":
        """Room for so many rows like these of each class, or as many as the memory allows."""
        if isinstance(X, CSR):  # for twice as many, so that packing is rare
            size = min(size, max_bytes // 128)
            room = min(4 * size * (1 + len(X.data) // (len(X.indptr) - 1)), max_bytes // 12)
            starts = np.zeros(4 * size + 1, dtype=np.int32)
            rows: Rows = CSR(np.zeros(room), np.zeros(room, dtype=np.int32), starts)
        else:
            size = min(size, max_bytes // (16 * X.shape[1] + 32))
            rows = np.zeros((2 * size, X.shape[1]))
        kept, stored = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64)
        places, capacity = np.arange(2 * size).reshape(2, size), np.full(1, size)
        return cls(rows, places, np.zeros((2, size)), kept, np.zeros(2), capacity, stored, max_bytes)

    def packed(self, n: int) -> "Reservoir":
        """The sparse rows in use, moved together, with as much room again; one of n entries comes next.

        If they take more than half of the memory, fewer are kept, as many of either class.
        """
        rows, size = cast(CSR, self.rows), self.weights.shape[1]
        lengths = np.where(np.arange(size) < self.kept[:, None], np.diff(rows.indptr)[self.places], 0)
        fit = np.searchsorted(lengths.sum(axis=0).cumsum(), self.max_bytes // 24 - n, side="right")
        for number in (self.kept, self.capacity):
            np.minimum(number, fit, out=number)
        used = np.arange(size) < self.kept[:, None]
        packed = as_array(rows._replace(indptr=rows.indptr[: self.stored[0] + 1]))[self.places[used]]
        self.stored[0] = packed.shape[0]
        self.places[used] = np.arange(packed.shape[0])
        room = max(len(rows.data), 2 * (packed.nnz + n))
        parts = (packed.data, room), (packed.indices, room), (packed.indptr, len(rows.indptr))
        return self._replace(rows=CSR(*(np.pad(part, (0, length - len(part))) for part, length in parts)))

    def widened(self, extra: int) -> "Reservoir":
        """The same rows with columns added that are zero in them; fewer if they take too much memory."""
        if isinstance(self.rows, CSR):
            return self
        wide = Reservoir.empty(
            np.zeros((1, self.rows.shape[1] + extra)), self.weights.shape[1], self.max_bytes
        )
        size = wide.weights.shape[1]
        cast(np.ndarray, wide.rows)[:, :-extra] = self.rows[self.places[:, :size].ravel()]
        kept, capacity = np.minimum(self.kept, size), np.minimum(self.capacity, size)
        return wide._replace(
            weights=self.weights[:, :size].copy(), kept=kept, last=self.last, capacity=capacity
        )


def as_array(X: Rows, n_features: int = 2**31 - 1):
    """Rows as an array, dense or sparse, from which some can be selected."""
    return sparse.csr_array(tuple(X), shape=(len(X.indptr) - 1, n_features)) if isinstance(X, CSR) else X


@inlined
def is_short(X, i, reservoir):
    """Whether a row may be kept: a sparse one over a sixteenth of the memory would displace many."""
    return 12 * 16 * n_entries(X, i) <= reservoir.max_bytes


@inlined
def keep_row(reservoir, X, i, c, weight, n_rows, draws):
    """Put row i into the reservoir of class c, perhaps in the place of another.

    ``n_rows`` is the number of the class's rows so far, with this one: each is kept equally likely. If old
    rows count less in it, only as many are in use, so that they are replaced as fast as they fade.
    """
    if not is_short(X, i, reservoir):
        return
    capacity = min(reservoir.capacity[0], int(np.ceil(n_rows)))
    k = min(reservoir.kept[c], capacity)
    reservoir.kept[c] = min(reservoir.kept[c] + 1, capacity)
    if k == capacity:
        k = int(uniform(draws) * max(n_rows, float(capacity)))
    if k < capacity:
        store_row(X, i, reservoir, c, k)
        reservoir.weights[c, k] = weight


@inlined
def next_row(reservoir, c, n_rows):
    """The row of class c to visit, -1 if none is kept: golden-ratio steps visit all equally often, mixed."""
    in_use = min(reservoir.kept[c], int(np.ceil(n_rows)))
    if in_use == 0:
        return -1
    reservoir.last[c] += GOLDEN if reservoir.last[c] < 1.0 - GOLDEN else GOLDEN - 1.0
    return int(reservoir.last[c] * in_use)


def _store_dense(X, i, reservoir, c, k):
    place = reservoir.places[c, k]
    for j in range(X.shape[1]):
        reservoir.rows[place, j] = X[i, j]


def _store_csr(X, i, reservoir, c, k):
    rows, place, n = reservoir.rows, reservoir.stored[0], np.uintp(n_entries(X, i))
    start, end = np.uintp(X.indptr[i]), np.uintp(rows.indptr[place])
    for e in range(n):
        rows.data[end + e] = X.data[start + e]
    for e in range(n):
        rows.indices[end + e] = X.indices[start + e]
    rows.indptr[place + 1] = np.intp(end + n)
    reservoir.places[c, k] = place
    reservoir.stored[0] += 1


def _is_full_csr(X, i, reservoir):
    rows, stored = reservoir.rows, reservoir.stored[0]
    if reservoir.capacity[0] == 0 or not is_short(X, i, reservoir):
        return False
    return stored + 1 == len(rows.indptr) or rows.indptr[stored] + n_entries(X, i) > len(rows.data)


n_entries = by_layout(
    lambda X, i: 0,
    lambda X, i: X.indptr[i + 1] - X.indptr[i],
    "``n_entries(X, i)``: of a row, if it is sparse.",
)
store_row = by_layout(
    _store_dense, _store_csr, "``store_row(X, i, reservoir, c, k)``: copy a row to a place."
)
is_full = by_layout(
    lambda X, i, reservoir: False, _is_full_csr, "``is_full(X, i, reservoir)``: `packed` is needed for row i."
)
