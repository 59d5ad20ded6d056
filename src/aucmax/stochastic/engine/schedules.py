"""The order in which a pass visits the rows."""

import numpy as np

from ...kernels.jit import kernel
from ...kernels.rows import Rows, bytes_per_row, count_rows

# Data larger than the cache are shuffled by blocks of neighbouring rows: a random row from memory costs
# four times as much as a neighbouring one, a random block of 32 KiB hardly more than its neighbour.
CACHE_BYTES = 8 * 2**20
BLOCK_BYTES = 32 * 2**10


def visiting_order(X: Rows, rng: np.random.RandomState | None) -> np.ndarray:
    """Indices of the rows in the order of one pass: shuffled by ``rng``, or in stored order without it."""
    n_rows = count_rows(X)
    if rng is None:
        return np.arange(n_rows)
    size = bytes_per_row(X)
    if size * n_rows <= CACHE_BYTES or size >= BLOCK_BYTES:
        return rng.permutation(n_rows)
    block = int(np.ceil(BLOCK_BYTES / size))
    return _rows_of_blocks(rng.permutation(-(-n_rows // block)), block, n_rows)


@kernel
def _rows_of_blocks(blocks, block, n_rows):
    """The rows of one block after another; the last block of the data may be short."""
    order, place = np.empty(n_rows, dtype=np.intp), 0
    for start in blocks * block:
        for row in range(start, min(start + block, n_rows)):
            order[place] = row
            place += 1
    return order
