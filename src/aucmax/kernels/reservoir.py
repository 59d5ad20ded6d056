"""A random sample of the past rows of two classes, of fixed size, to be visited again."""

from typing import NamedTuple, cast

import numpy as np
from scipy import sparse

from .jit import inlined
from .random import uniform
from .rows import CSR, Rows, by_layout

GOLDEN = 0.5 * (5.0**0.5 - 1.0)


class Reservoir(NamedTuple):
    """Row k of class c is row ``places[c, k]`` of ``rows``, with ``lengths[c, k]`` entries if it is sparse.

    Its weight is ``weights[c, k]``. ``kept`` has the number of rows of each class, ``last`` the row last
    visited as a share of it, ``capacity`` the largest number for each class, ``entries`` the number of
    entries of the sparse rows kept, and ``stored`` that of sparse rows in memory, still kept or not.

    A row that comes is read where it lies, and copied at the end of its chunk if it is still kept: until then
    ``in_chunk[c, k]``, an argument of the functions below, is its number in the chunk, and else -1.
    """

    rows: Rows
    places: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    kept: np.ndarray
    last: np.ndarray
    capacity: np.ndarray
    entries: np.ndarray
    stored: np.ndarray
    max_bytes: int

    @classmethod
    def empty(cls, X: Rows, size: int, max_bytes: int) -> "Reservoir":
        """For so many rows like these of each class, or as many as the memory allows."""
        if isinstance(X, CSR):
            size = min(size, max_bytes // 128)
            rows: Rows = CSR(np.zeros(0), np.zeros(0, np.int32), np.zeros(4 * size + 1, np.int32))
        else:
            size = min(size, max_bytes // (16 * X.shape[1] + 40))
            rows = np.zeros((2 * size, X.shape[1]))
        places, lengths = np.arange(2 * size).reshape(2, size), np.zeros((2, size), dtype=np.int64)
        kept, entries, stored = np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
        weights, capacity = np.zeros((2, size)), np.full(1, size)
        return cls(rows, places, lengths, weights, kept, np.zeros(2), capacity, entries, stored, max_bytes)

    def with_room(self, X: Rows, n_rows: int, longest: int) -> "Reservoir":
        """The same with room for what may be kept of so many rows of X, of up to ``longest`` entries.

        Where there is none, the sparse rows in use are moved together. Where the memory allows, there is then
        room for twice as many rows as may be kept, so that this is rare.
        """
        if not isinstance(X, CSR):
            return self
        rows, size = cast(CSR, self.rows), self.weights.shape[1]
        n_rows = min(n_rows, 2 * size)
        n = min(n_rows * longest, len(X.data), self.max_bytes // 24)
        if self.stored[0] + n_rows < len(rows.indptr) and rows.indptr[self.stored[0]] + n <= len(rows.data):
            return self
        packed = self.for_file() if self.stored[0] else self
        rows = cast(CSR, packed.rows)
        usual = 4 * size * (1 + len(X.data) // (len(X.indptr) - 1))
        room = min(max(len(self.rows.data), 2 * len(rows.data) + n, usual), self.max_bytes // 12)
        wide = CSR(np.empty(room), np.empty(room, np.int32), np.zeros(4 * size + 1, np.int32))
        for part, line in zip(rows, wide, strict=True):
            line[: len(part)] = part
        return packed._replace(rows=wide)

    def for_file(self) -> "Reservoir":
        """The same without spare room and rows no longer kept: equal however the stream was cut."""
        used = np.arange(self.weights.shape[1]) < self.kept[:, None]
        if not isinstance(self.rows, CSR):
            return self._replace(rows=np.where(used.reshape(-1, 1), self.rows, 0.0))
        starts = self.rows.indptr[: self.stored[0] + 1]
        rows = as_array(self.rows._replace(indptr=starts))[self.places[used]]
        places, stored = np.zeros_like(self.places), np.full(1, rows.shape[0])
        places[used] = np.arange(rows.shape[0])
        return self._replace(rows=CSR(rows.data, rows.indices, rows.indptr), places=places, stored=stored)

    def __reduce__(self) -> tuple:
        return Reservoir, tuple(self.for_file())

    def widened(self, extra: int) -> "Reservoir":
        """The same rows with columns added that are zero in them; fewer if they take too much memory."""
        if isinstance(self.rows, CSR):
            return self
        like = np.zeros((1, self.rows.shape[1] + extra))
        wide = Reservoir.empty(like, self.weights.shape[1], self.max_bytes)
        size = wide.weights.shape[1]
        # Evenly spaced among those kept, as the first to be kept are the oldest.
        chosen = np.arange(size) * np.maximum(self.kept, size)[:, None] // max(size, 1)
        cast(np.ndarray, wide.rows)[:, :-extra] = self.rows[
            np.take_along_axis(self.places, chosen, 1).ravel()
        ]
        kept, capacity = np.minimum(self.kept, size), np.minimum(self.capacity, size)
        weights = np.take_along_axis(self.weights, chosen, 1)
        return wide._replace(weights=weights, kept=kept, last=self.last, capacity=capacity)


def as_array(X: Rows, n_features: int = 2**31 - 1):
    """Rows as an array, dense or sparse, from which some can be selected."""
    return sparse.csr_array(tuple(X), shape=(len(X.indptr) - 1, n_features)) if isinstance(X, CSR) else X


@inlined
def keep_row(reservoir, in_chunk, X, i, c, weight, n_rows, draws):
    """Put row i into the reservoir of class c, perhaps in the place of another.

    ``n_rows`` is the number of the class's rows so far, with this one: each is kept equally likely. If old
    rows count less in it, only as many are in use, so that they are replaced as fast as they fade. A sparse
    row over a sixteenth of the memory would displace many, and is not kept.
    """
    n, kept = n_entries(X, i), reservoir.kept
    if 12 * 16 * n > reservoir.max_bytes:
        return
    capacity = min(reservoir.capacity[0], int(np.ceil(n_rows)))
    while kept[c] > capacity:
        _drop_last(reservoir, c)
    k = kept[c] if kept[c] < capacity else int(uniform(draws) * max(n_rows, float(capacity)))
    if k >= capacity:
        return
    kept[c] = max(kept[c], k + 1)
    in_chunk[c, k], reservoir.weights[c, k] = i, weight
    reservoir.entries[0] += n - reservoir.lengths[c, k]
    reservoir.lengths[c, k] = n
    while 24 * reservoir.entries[0] > reservoir.max_bytes:  # half of the memory: the rest is room to move
        reservoir.capacity[0] = max(kept[0], kept[1]) - 1
        for each in range(2):
            if kept[each] > reservoir.capacity[0]:
                _drop_last(reservoir, each)


@inlined
def _drop_last(reservoir, c):
    reservoir.kept[c] -= 1
    reservoir.entries[0] -= reservoir.lengths[c, reservoir.kept[c]]
    reservoir.lengths[c, reservoir.kept[c]] = 0


@inlined
def next_row(reservoir, c, n_rows):
    """The row of class c to visit, -1 if none is kept: golden-ratio steps visit all equally often, mixed."""
    in_use = min(reservoir.kept[c], int(np.ceil(n_rows)))
    if in_use == 0:
        return -1
    reservoir.last[c] += GOLDEN if reservoir.last[c] < 1.0 - GOLDEN else GOLDEN - 1.0
    return int(reservoir.last[c] * in_use)


@inlined
def store_rows(reservoir, in_chunk, X):
    """Copy the rows of a chunk that are still kept at its end; ``with_room`` has made room."""
    for c in range(2):
        for k in range(reservoir.kept[c]):
            if in_chunk[c, k] >= 0:
                _store_row(X, in_chunk[c, k], reservoir, c, k)
                in_chunk[c, k] = -1


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


n_entries = by_layout(
    lambda X, i: 0,
    lambda X, i: X.indptr[i + 1] - X.indptr[i],
    "``n_entries(X, i)``: of a row, if it is sparse.",
)
_store_row = by_layout(_store_dense, _store_csr, "Copy row i of X to the place of row k of class c.")
