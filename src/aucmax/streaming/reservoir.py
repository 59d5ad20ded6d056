"""A random sample of each class's past rows, of fixed size, for replay."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel
from ..kernels.random import uniform
from ..kernels.rows import by_layout
from .constants import RESERVOIR_BYTES

FULL = 0.75  # of the pool is in use at most after it was compacted, so that this is rare
SEED = 88172645463325252  # of the draws: the same stream gives the same model, whatever random_state is


class DenseReservoir(NamedTuple):
    """``rows[c, k]`` is the k-th row kept of class c, ``weights[c, k]`` its relative weight."""

    rows: np.ndarray
    weights: np.ndarray

    @classmethod
    def empty(cls, size: int, n_features: int) -> "DenseReservoir":
        size = min(size, _places_within_limit(n_features))
        return cls(np.zeros((2, size, n_features)), np.zeros((2, size)))

    def widened(self, extra: int) -> "DenseReservoir":
        """The same rows with zeros in new columns, fewer if they take too much memory."""
        size = _places_within_limit(self.rows.shape[2] + extra)
        rows, weights = self.rows[:, :size], self.weights[:, :size].copy()
        return DenseReservoir(np.pad(rows, ((0, 0), (0, 0), (0, extra))), weights)


def _places_within_limit(n_features: int) -> int:
    return RESERVOIR_BYTES // (16 * max(n_features, 1))


class SparseReservoir(NamedTuple):
    """Rows one after the other in one pool, each behind an entry that names it: its place and its length.

    ``starts[c, k]`` is where the values of the k-th row of class c begin; the entry before has its length as
    column and ``c + 2 k`` as value. A row that was replaced stays in the pool until that is compacted.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    weights: np.ndarray

    @classmethod
    def empty(cls, size: int, n_features: int, mean_entries: float) -> "SparseReservoir":
        # Twice as much as rows of the usual length need, so that compacting is rare.
        entries = min(int(4 * size * (mean_entries + 1)), RESERVOIR_BYTES // 12)
        columns = np.zeros(entries, dtype=np.int32 if n_features < 2**31 else np.int64)
        return cls(np.zeros(entries), columns, np.zeros((2, size), dtype=np.int64), np.zeros((2, size)))

    def widened(self, extra: int) -> "SparseReservoir":
        """The same: rows of zeros in new columns are stored as they were."""
        return self


def starting_draws() -> np.ndarray:
    """The state of the random draws before the first row."""
    return np.array([SEED], dtype=np.uint64)


@inlined
def place_to_keep(classes, c, draws):
    """Where a new row of class c goes in its reservoir, or -1.

    Without a half-life, each row so far is kept with the same probability. With one, only as many rows are in
    use as the class has left of its faded count, so that old rows are replaced as fast as they are forgotten.
    """
    rows = classes[c].faded_rows
    places = min(classes[c].places, np.ceil(rows))
    classes[c].kept = min(classes[c].kept, places)
    if classes[c].kept < places:
        classes[c].kept += 1.0
        return int(classes[c].kept) - 1
    k = int(uniform(draws) * max(rows, places))
    return k if k < places else -1


@inlined
def next_kept(classes, c):
    """The row of the reservoir of class c to replay, each in turn; -1 if it has none."""
    in_use = min(classes[c].kept, np.ceil(classes[c].faded_rows))
    if in_use == 0.0:
        return -1
    classes[c].replayed = classes[c].replayed + 1.0 if classes[c].replayed + 1.0 < in_use else 0.0
    return int(classes[c].replayed)


def _keep_dense(X, row, n, reservoir, state, classes, c, k):
    for j in range(n):
        reservoir.rows[c, k, j] = row.values[j]


def _keep_csr(X, row, n, reservoir, state, classes, c, k):
    start = int(state.pool_end) + 1
    if start + n > len(reservoir.values):  # it is too long
        reservoir.starts[c, k] = 0
        return
    reservoir.values[start - 1] = c + 2 * k
    reservoir.columns[start - 1] = n
    for e in range(n):
        reservoir.values[start + e] = row.values[e]
        reservoir.columns[start + e] = row.columns[e]
    reservoir.starts[c, k] = start
    state.pool_end = start + n
    state.longest = max(state.longest, float(n))


def _recall_dense(X, reservoir, c, k, row):
    for j in range(reservoir.rows.shape[2]):
        row.values[j] = reservoir.rows[c, k, j]
    return reservoir.rows.shape[2]


def _recall_csr(X, reservoir, c, k, row):
    start = reservoir.starts[c, k]
    if start == 0:  # it was too long to be kept
        return -1
    n = int(reservoir.columns[start - 1])
    for e in range(n):
        row.values[e] = reservoir.values[start + e]
        row.columns[e] = reservoir.columns[start + e]
    return n


def _has_room_dense(X, reservoir, state, n):
    return True


def _has_room_csr(X, reservoir, state, n):
    size = len(reservoir.values)
    return int(state.pool_end) + 1 + n <= size or n + 1.0 > FULL * size


@kernel
def make_room(reservoir, state, classes, n):
    """Compact the pool, so that no more than ``FULL`` of it is in use after a row of ``n`` entries is added.

    If its rows are too long for that, the classes keep fewer, first the one that keeps more.
    """
    starts, columns, limit = reservoir.starts, reservoir.columns, FULL * len(reservoir.values)
    in_use = 1.0 + n
    for owner in range(2):
        for k in range(int(classes[owner].kept)):
            in_use += 1.0 + columns[starts[owner, k] - 1] if starts[owner, k] > 0 else 0.0
    while in_use > limit:
        loser = 0 if classes[0].kept >= classes[1].kept else 1
        classes[loser].kept -= 1.0
        classes[loser].places = classes[loser].kept
        k = int(classes[loser].kept)
        if starts[loser, k] > 0:
            in_use -= 1.0 + columns[starts[loser, k] - 1]
        starts[loser, k] = 0
    compact(reservoir, state, classes)


@inlined
def compact(reservoir, state, classes):
    """Move the rows in use together, in the order they are stored."""
    values, columns, starts = reservoir.values, reservoir.columns, reservoir.starts
    end, at = 0, 0
    while at < int(state.pool_end):
        c, k, n = int(values[at]) % 2, int(values[at]) // 2, int(columns[at])
        if starts[c, k] == at + 1 and k < classes[c].kept:
            starts[c, k] = end + 1
            for e in range(n + 1):
                values[end + e], columns[end + e] = values[at + e], columns[at + e]
            end += n + 1
        at += n + 1
    state.pool_end = float(end)


has_room = by_layout(
    _has_room_dense,
    _has_room_csr,
    "``has_room(X, reservoir, state, n)``: whether a row can be kept, if any row so long can, as things are.",
)
keep_row = by_layout(
    _keep_dense,
    _keep_csr,
    "``keep_row(X, row, n, reservoir, state, classes, c, k)``: put the loaded row into place k of class c.",
)
recall = by_layout(
    _recall_dense,
    _recall_csr,
    "``recall(X, reservoir, c, k, row)``: load a kept row; its number of entries, -1 if it is not there.",
)
