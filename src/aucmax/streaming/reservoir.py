"""A random sample of each class's past rows, of fixed size, for replay."""

from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from ..kernels.jit import inlined
from ..kernels.random import uniform
from ..kernels.rows import CSR, Rows, by_layout
from .constants import RESERVOIR_BYTES

FULL = 0.75  # of the room for sparse entries is in use at most after packing, so that this is rare
LONGEST = (
    RESERVOIR_BYTES // 128
)  # entries of a sparse row that is kept: no row takes over a tenth of the memory
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
SEED = 88172645463325252  # of the draws: the same stream gives the same model, whatever random_state is


class Reservoir(NamedTuple):
    """Row k of class c is row ``places[c, k]`` of ``rows``, and has weight ``weights[c, k]``.

    A dense row takes the place of the one it replaces; a sparse one goes to the end.
    """

    rows: Rows
    places: np.ndarray
    weights: np.ndarray

    @classmethod
    def empty(cls, X: Rows, size: int) -> "Reservoir":
        """Room for so many rows like these of each class, or as many as the memory allows."""
        if isinstance(X, CSR):
            size = min(size, RESERVOIR_BYTES // 128)
            # Twice the room, so that packing is rare.
            entries = min(4 * size * (1 + len(X.data) // (len(X.indptr) - 1)), most_entries(size))
            values, indices = np.zeros(entries), np.zeros(entries, dtype=np.int32)
            rows: Rows = CSR(values, indices, np.zeros(4 * size + 1, dtype=np.int32))
        else:
            size = min(size, RESERVOIR_BYTES // (16 * X.shape[1] + 32))
            rows = np.zeros((2 * size, X.shape[1]))
        return cls(rows, np.arange(2 * size).reshape(2, size), np.zeros((2, size)))

    def widened(self, extra: int, classes: Any) -> "Reservoir":
        """The same rows with columns added that are zero in them; fewer if they take too much memory."""
        if isinstance(self.rows, CSR):
            return self
        wider = Reservoir.empty(np.zeros((1, self.rows.shape[1] + extra)), self.weights.shape[1])
        size = wider.weights.shape[1]
        cast(np.ndarray, wider.rows)[:, :-extra] = self.rows[self.places[:, :size].ravel()]
        wider.weights[:] = self.weights[:, :size]
        classes.kept, classes.capacity = np.minimum(classes.kept, size), np.minimum(classes.capacity, size)
        return wider

    def with_room(self, state: Any, classes: Any, n: int) -> "Reservoir":
        """The same rows, moved together, so that they and n more entries fill no more than ``FULL``.

        There is more room for longer rows, up to the bound; beyond it fewer are kept, as many of either class.
        """
        (values, indices, indptr), size = cast(CSR, self.rows), self.weights.shape[1]
        n = n if n <= LONGEST else 0
        lengths = np.where(np.arange(size) < classes.kept[:, None], np.diff(indptr)[self.places], 0)
        in_use = lengths.sum(axis=0).cumsum()
        fit = int(np.searchsorted(in_use, FULL * most_entries(size) - n, side="right"))
        classes.kept, classes.capacity = np.minimum(classes.kept, fit), np.minimum(classes.capacity, fit)
        neg, pos = classes.kept.astype(int)
        used = np.concatenate([self.places[0, :neg], self.places[1, :pos]])
        stored = int(state.sparse_rows)
        packed = sparse.csr_array((values, indices, indptr[: stored + 1]), shape=(stored, 2**31 - 1))[used]
        entries = len(values)
        while FULL * entries < packed.nnz + n:
            entries = min(2 * entries, most_entries(size))
        if entries > len(values):
            values, indices = np.zeros(entries), np.zeros(entries, dtype=np.int32)
        for array, part in zip((values, indices, indptr), (packed.data, packed.indices, packed.indptr)):
            array[: len(part)] = part
        self.places[0, :neg], self.places[1, :pos] = np.split(np.arange(len(used)), [neg])
        state.sparse_rows = len(used)
        return self._replace(rows=CSR(values, indices, indptr))


def most_entries(size: int) -> int:
    """How many entries so many rows of each class may have: each row takes 24 bytes, each entry 12."""
    return (RESERVOIR_BYTES - 48 * size) // 12


@inlined
def keep_row(reservoir, state, classes, c, draws, X, i, weight):
    """Put a new row of class c into its reservoir, perhaps in the place of another.

    Without a half-life, each row so far is kept with the same probability. With one, only as many rows are in
    use as the class has left of its faded count, so that old rows are replaced as fast as they are forgotten.
    """
    own = classes[c]
    capacity = min(own.capacity, np.ceil(own.faded_rows))
    k = min(own.kept, capacity)
    own.kept = min(own.kept + 1.0, capacity)
    if k == capacity:
        k = np.floor(uniform(draws) * max(own.faded_rows, capacity))
    if k < capacity:
        store_row(X, i, reservoir, state, c, int(k))
        reservoir.weights[c, int(k)] = weight


@inlined
def next_row(reservoir, classes, c):
    """The row of class c to replay, -1 if none is kept: golden-ratio steps visit all equally often, mixed."""
    own = classes[c]
    in_use = min(own.kept, np.ceil(own.faded_rows)) if c >= 0 else 0.0
    if in_use == 0.0:
        return -1
    own.replayed += GOLDEN if own.replayed < 1.0 - GOLDEN else GOLDEN - 1.0
    return int(own.replayed * in_use)


def _store_dense(X, i, reservoir, state, c, k):
    place = reservoir.places[c, k]
    for j in range(X.shape[1]):
        reservoir.rows[place, j] = X[i, j]


def _store_csr(X, i, reservoir, state, c, k):
    place, start, n = int(state.sparse_rows), np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    end = np.uintp(reservoir.rows.indptr[place])
    if n > LONGEST:
        n = np.uintp(0)  # an empty row makes no step
    for e in range(n):
        reservoir.rows.data[end + e] = X.data[start + e]
    for e in range(n):
        reservoir.rows.indices[end + e] = X.indices[start + e]
    reservoir.rows.indptr[place + 1] = np.intp(end + n)
    reservoir.places[c, k] = place
    state.sparse_rows += 1.0


def _is_full_csr(X, i, reservoir, state):
    rows, used, n = reservoir.rows, int(state.sparse_rows), X.indptr[i + 1] - X.indptr[i]
    too_long = n <= LONGEST and rows.indptr[used] + n > len(rows.data)
    return reservoir.places.shape[1] > 0 and (used + 1 == len(rows.indptr) or too_long)


store_row = by_layout(_store_dense, _store_csr, "``(X, i, reservoir, state, c, k)``: copy a row to a place.")
is_full = by_layout(
    lambda X, i, reservoir, state: False,
    _is_full_csr,
    "``(X, i, reservoir, state)``: whether `with_room` is needed.",
)
