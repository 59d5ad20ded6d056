"""Step sizes and the order in which rows are visited."""

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import Rows, bytes_per_row, count

CACHE_BYTES = 8 * 2**20
BLOCK_BYTES = 32 * 2**10


@inlined
def inverse_sqrt(step_size, t):
    """The step ``t = 1, 2, ...`` of the papers: ``step_size / sqrt(t)``."""
    return step_size / np.sqrt(t)


def visit(X: Rows, rng: np.random.RandomState | None) -> np.ndarray:
    """Indices of the rows in the order of one pass; stored order without ``rng``.

    Data larger than the cache are shuffled by blocks of neighbouring rows: a random row from
    memory costs four times a neighbouring one, a block of 32 KiB hardly more.
    """
    n_rows = count(X)
    if rng is None:
        return np.arange(n_rows)
    size = bytes_per_row(X)
    block = 1 if size * n_rows <= CACHE_BYTES else int(np.ceil(BLOCK_BYTES / size))
    if block == 1:
        return rng.permutation(n_rows)
    return _within(rng.permutation(-(-n_rows // block)), block, n_rows)


@kernel
def _within(blocks, block, n_rows):
    """The rows of one block after another; the last block of the data may be short."""
    order, place = np.empty(n_rows, dtype=np.intp), 0
    for start in blocks * block:
        for row in range(start, min(start + block, n_rows)):
            order[place] = row
            place += 1
    return order
