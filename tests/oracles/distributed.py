"""Rows in Dask arrays, rounds over lists of blocks, and the pair loss one pair at a time."""

import dask.array as da
import numpy as np

from aucmax.distributed.rounds import add
from aucmax.distributed.row_sums import SignedRows


def problem(n_rows=200, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.7)
    y = (X @ rng.normal(size=n_features) + rng.normal(size=n_rows) > 0.8).astype(int)
    X = np.round(X + np.linspace(-1, 3, n_features), 3).astype(np.float32).astype(float)
    return X, y, rng.uniform(0.0, 2.0, n_rows) * (rng.random(n_rows) < 0.9)


def spread(X, y, *weights, chunks=40):
    return da.from_array(X, chunks=(chunks, -1)), *(
        da.from_array(part, chunks=chunks) for part in (y, *weights)
    )


class BlockRounds:
    """Rounds over a list of blocks in this process: another engine than Dask."""

    def __init__(self, blocks):
        self.blocks, self.n_rounds = blocks, 0

    @classmethod
    def of(cls, X, y, weights, sizes, layout=np.asarray):
        """Blocks with these numbers of rows, again and again, with weights that sum to one in each class."""
        signed = np.where(y == 1, weights / weights[y == 1].sum(), -weights / weights[y == 0].sum())
        blocks, start, turn = [], 0, 0
        while start < len(y):
            stop = start + sizes[turn % len(sizes)]
            blocks.append(SignedRows(layout(X[start:stop]), signed[start:stop], start))
            start, turn = stop, turn + 1
        return cls(blocks)

    def sum(self, function):
        self.n_rounds += 1
        return add([function(block) for block in self.blocks])

    def sum_twice(self, first, between, second):
        state = between(self.sum(first))
        return state, self.sum(lambda block: second(block, state))


def mean_over_pairs(loss, push, score, y, weights):
    """The pushed mean of a loss, from the matrix of all pairs."""
    pos, neg = (weights[y == k] / weights[y == k].sum() for k in (1, 0))
    losses = pos @ loss.value(score[y == 1][:, None] - score[y == 0])
    return (neg @ losses**push) ** (1.0 / push)
