"""A random sample of each class's past rows, of fixed size, for replay."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import inlined
from ..kernels.random import uniform
from .constants import RESERVOIR_BYTES
from .rows import ranges

FULL = 0.75  # of the pool is in use at most after it was compacted, so that this is rare
SEED = 88172645463325252  # of the draws: the same stream gives the same model, whatever random_state is


class Reservoir(NamedTuple):
    """Rows in one pool: row k of class c has ``lengths[c, k]`` entries from ``starts[c, k]`` on.

    Dense rows have no ``columns`` and lie one after the other. A sparse row takes the place of the one it
    replaces if it is not longer, or else goes to the end of the pool. A start of -1 is that of a row too long
    to be kept.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray

    @classmethod
    def dense(cls, size: int, n_features: int) -> "Reservoir":
        """Room for so many rows of each class, or as many as the memory allows."""
        size = min(size, RESERVOIR_BYTES // (16 * max(n_features, 1)))
        starts = n_features * np.arange(2 * size).reshape(2, size)
        return cls(
            np.zeros(starts.size * n_features),
            np.zeros(0, dtype=np.int32),
            starts,
            np.full_like(starts, n_features),
            np.zeros((2, size)),
        )

    @classmethod
    def sparse(cls, size: int, n_features: int, mean_entries: float) -> "Reservoir":
        """The same; twice the memory that rows of usual length need, so that compacting is rare."""
        entries = min(int(4 * size * (mean_entries + 1)), RESERVOIR_BYTES // 12)
        columns = np.zeros(entries, dtype=np.int32 if n_features < 2**31 else np.int64)
        starts, lengths = np.zeros((2, 2, size), dtype=np.int64)
        return cls(np.zeros(entries), columns, starts, lengths, np.zeros((2, size)))

    def widened(self, n_features: int, extra: int) -> "Reservoir":
        """The same rows with zeros in new columns; fewer dense ones if they take too much memory."""
        if len(self.columns):
            return self
        wide = Reservoir.dense(self.starts.shape[1], n_features + extra)
        size = wide.starts.shape[1]
        rows = self.values.reshape(*self.starts.shape, n_features)[:, :size]
        wide.values[:] = np.pad(rows, ((0, 0), (0, 0), (0, extra))).ravel()
        return wide._replace(weights=self.weights[:, :size].copy())


@inlined
def keep_row(reservoir, state, classes, c, draws, row, n, weight):
    """Put a new row of class c into its reservoir, perhaps in the place of another.

    Without a half-life, each row so far is kept with the same probability. With one, only as many rows are in
    use as the class has left of its faded count, so that old rows are replaced as fast as they are forgotten.
    """
    rows = classes[c].faded_rows
    places = min(classes[c].places, np.ceil(rows))
    k = int(min(classes[c].kept, places))
    classes[c].kept = k + 1.0 if k < places else places
    if k == places:
        k = int(uniform(draws) * max(rows, places))
    if k >= places:
        return
    start = reservoir.starts[c, k]
    if n > reservoir.lengths[c, k]:
        start = int(state.pool_end)
        if start + n > len(reservoir.values):
            start, n = -1, 0
        state.pool_end += n
    reservoir.starts[c, k], reservoir.lengths[c, k], reservoir.weights[c, k] = start, n, weight
    copy_row(row.values, row.columns, 0, reservoir.values, reservoir.columns, start, n)


@inlined
def recall(reservoir, classes, c, row):
    """Load the next row of the reservoir of class c, each in turn; its place, -1 if it is not there."""
    in_use = min(classes[c].kept, np.ceil(classes[c].faded_rows))
    if in_use == 0.0:
        return -1
    classes[c].replayed = classes[c].replayed + 1.0 if classes[c].replayed + 1.0 < in_use else 0.0
    k = int(classes[c].replayed)
    start, n = reservoir.starts[c, k], reservoir.lengths[c, k]
    copy_row(reservoir.values, reservoir.columns, start, row.values, row.columns, 0, n)
    return k if start >= 0 else -1


@inlined
def copy_row(values, columns, start, to_values, to_columns, to, n):
    """Copy n values, and their columns if there are any."""
    start, to = np.uintp(start), np.uintp(to)
    for e in range(np.uintp(n)):
        to_values[to + e] = values[start + e]
    if len(columns) > 0:
        for e in range(np.uintp(n)):
            to_columns[to + e] = columns[start + e]


@inlined
def is_full(reservoir, state, n):
    """Whether a row of n entries, if so long a row can be kept at all, needs ``make_room`` first."""
    size = len(reservoir.values)
    return state.pool_end + n > size and n <= FULL * size


def make_room(reservoir: Reservoir, state: Any, classes: Any, n: int) -> None:
    """Move the rows in use together, so that they and a row of n entries fill no more than ``FULL``.

    If they are too long for that, fewer are kept, as many of either class.
    """
    values, columns, starts, lengths, _ = reservoir
    lengths[np.arange(lengths.shape[1]) >= classes.kept[:, None]] = 0
    size = int(np.searchsorted(lengths.sum(axis=0).cumsum(), FULL * len(values) - n, side="right"))
    lengths[:, size:] = 0
    classes.kept, classes.places = np.minimum(classes.kept, size), np.minimum(classes.places, size)
    moved = ranges(starts.ravel(), lengths.ravel())
    values[: len(moved)], columns[: len(moved)] = values[moved], columns[moved]
    ends = lengths.cumsum().reshape(lengths.shape)
    starts[:] = np.where(starts < 0, -1, ends - lengths)
    state.pool_end = len(moved)
