"""A random sample of each class's past rows, of fixed size, for replay."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.jit import inlined
from ..kernels.random import uniform
from .constants import RESERVOIR_BYTES

FULL = 0.75  # of the pool is in use at most after it was compacted, so that this is rare
SEED = 88172645463325252  # of the draws: the same stream gives the same model, whatever random_state is


class Reservoir(NamedTuple):
    """Rows in one pool: row k of class c has ``lengths[c, k]`` entries from ``starts[c, k]`` on.

    Dense rows have no ``columns``. A row takes the place of the one it replaces if it is not longer, or else
    goes to the end of the pool. A start of -1 is that of a row too long to be kept.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray

    @classmethod
    def empty(cls, size: int, length: float, is_sparse: bool) -> "Reservoir":
        """Room for so many rows of each class of this usual length, or as many as the memory allows."""
        # Sparse rows have twice the room, so that compacting is rare; dense ones room for one more.
        entries = int(4 * size * (length + 1)) if is_sparse else (2 * size + 1) * int(length)
        entries = min(entries, RESERVOIR_BYTES // (12 if is_sparse else 8))
        columns = np.zeros(entries if is_sparse else 0, dtype=np.uint32)
        starts, lengths = np.zeros((2, 2, size), dtype=np.int64)
        return cls(np.zeros(entries), columns, starts, lengths, np.zeros((2, size)))

    def widened(self, n_features: int) -> "Reservoir":
        """Room for dense rows of so many columns; those kept are shorter."""
        values = Reservoir.empty(self.starts.shape[1], n_features, False).values
        values[: len(self.values)] = self.values
        return self._replace(values=values)


@inlined
def keep_row(reservoir, state, classes, c, draws, row, n, weight):
    """Put a new row of class c into its reservoir, perhaps in the place of another.

    Without a half-life, each row so far is kept with the same probability. With one, only as many rows are in
    use as the class has left of its faded count, so that old rows are replaced as fast as they are forgotten.
    Rows lie in random order, so that rows replayed in turn are a mixture of all times.
    """
    capacity = min(classes[c].capacity, np.ceil(classes[c].faded_rows))
    last = int(min(classes[c].kept, capacity))
    if last < capacity:
        classes[c].kept = last + 1.0
        k = int(uniform(draws) * (last + 1.0))
        exchange(reservoir, c, k, last)
    else:
        classes[c].kept = capacity
        k = int(uniform(draws) * max(classes[c].faded_rows, capacity))
        if k >= capacity:
            return
    start = reservoir.starts[c, k]
    if n > reservoir.lengths[c, k]:
        start = int(state.pool_end)
        if start + n > len(reservoir.values):
            start, n = -1, 0
        state.pool_end += n
    reservoir.starts[c, k], reservoir.lengths[c, k], reservoir.weights[c, k] = start, n, weight
    copy_entries(row.values, 0, reservoir.values, start, n)
    if len(row.columns) > 0:
        copy_entries(row.columns, 0, reservoir.columns, start, n)


@inlined
def exchange(reservoir, c, k, last):
    """Exchange two kept rows of class c."""
    for numbers in (reservoir.starts, reservoir.lengths):
        numbers[c, k], numbers[c, last] = numbers[c, last], numbers[c, k]
    reservoir.weights[c, last] = reservoir.weights[c, k]


@inlined
def recall(reservoir, classes, c, row):
    """Load the next kept row of class c, each in turn: its number of entries, -1 if none, and its weight."""
    in_use = min(classes[c].kept, np.ceil(classes[c].faded_rows)) if c >= 0 else 0.0
    if in_use == 0.0:
        return -1, 0.0
    classes[c].replayed = classes[c].replayed + 1.0 if classes[c].replayed + 1.0 < in_use else 0.0
    k = int(classes[c].replayed)
    start, n = reservoir.starts[c, k], reservoir.lengths[c, k]
    copy_entries(reservoir.values, start, row.values, 0, n)
    if len(row.columns) > 0:
        copy_entries(reservoir.columns, start, row.columns, 0, n)
    else:  # zeros in columns that came later
        for j in range(n, len(row.values)):
            row.values[j] = 0.0
        n = len(row.values)
    return n if start >= 0 else -1, reservoir.weights[c, k]


@inlined
def copy_entries(source, start, target, to, n):
    """Copy n entries, from ``start`` to ``to``."""
    start, to = np.uintp(start), np.uintp(to)
    for e in range(np.uintp(n)):
        target[to + e] = source[start + e]


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
    classes.kept, classes.capacity = np.minimum(classes.kept, size), np.minimum(classes.capacity, size)
    ends = lengths.cumsum().reshape(lengths.shape)
    moved = np.arange(ends[-1, -1]) + np.repeat(starts - (ends - lengths), lengths.ravel())
    values[: len(moved)], columns[: len(moved)] = values[moved], columns[moved] if len(columns) else 0
    starts[:] = np.where(starts < 0, -1, ends - lengths)
    state.pool_end = len(moved)
