"""Sums of columns that add up over partitions, against the moments of all rows."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.batch.moments import Moments
from aucmax.distributed.problem import PartitionedRows
from aucmax.distributed.summary import summarise
from oracles.distributed import BlockRounds, problem


def moments_of(X, y, weights):
    """Weighted means and variances of the positives and of the negatives."""
    means, variances = [], []
    for k in (1, 0):
        weight = weights[y == k] / weights[y == k].sum()
        means.append(weight @ X[y == k])
        variances.append(weight @ (X[y == k] - means[-1]) ** 2)
    return Moments(*means, *variances)


def sums_of(X, y, weights, sizes, layout=np.asarray):
    return BlockRounds.of(X, y, weights, sizes, layout).sum(lambda rows: summarise(rows, np.zeros(2))).columns


@pytest.mark.python_mode
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("sizes", [(300,), (1, 60, 0, 7)])
def test_moments_of_partitions_add_up(sizes, layout):
    X, y, weights = problem(300)
    found = sums_of(X, y, weights, sizes, layout)
    np.testing.assert_allclose(found.weight, 1.0, rtol=1e-13)
    for one, other in zip(Moments.about(found.centre, found.total), moments_of(X, y, weights), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_columns_far_from_zero_keep_their_variance():
    X, y, weights = problem(300)
    far = X + 1e8  # squares of these have no digit left for the variance
    order = np.argsort(X[:, 0])  # each partition has another mean
    found = sums_of(far[order], y[order], weights[order], (40,))
    moments, exact = Moments.about(found.centre, found.total), moments_of(far - 1e8, y, weights)
    np.testing.assert_allclose(moments.pos_variance, exact.pos_variance, rtol=1e-7)
    np.testing.assert_allclose(moments.neg_variance, exact.neg_variance, rtol=1e-7)


def test_partitions_of_one_class_and_without_weight():
    X, y, weights = problem(300)
    order = np.argsort(y, kind="stable")
    weights[:20] = 0.0
    found = sums_of(X[order], y[order], weights[order], (10,))
    exact = moments_of(X, y, weights)
    np.testing.assert_allclose(Moments.about(found.centre, found.total).pos_mean, exact.pos_mean, rtol=1e-12)


def test_numbers_too_large_to_square_are_refused_in_any_partition():
    X, y, _ = problem(300)
    X[250, 3] = 1e200
    rounds = BlockRounds.of(X, y, np.ones(300), (40,))
    with pytest.raises(ValueError, match="Column 3 of X has numbers too large to square"):
        PartitionedRows(rounds, np.bincount(y), np.ones(2), 5)


def test_layout_of_partitions():
    X, y, weights = problem(3000)
    for layouts, is_sparse in (((sparse.csr_array,) * 2, True), ((sparse.csr_array, np.asarray), False)):
        blocks = [BlockRounds.of(X, y, weights, (1500,), layout).blocks for layout in layouts]
        rows = PartitionedRows(BlockRounds([blocks[0][0], blocks[1][1]]), np.bincount(y), np.ones(2), 5)
        assert rows.sparse == is_sparse
        stored = sum(
            b.X.data.nbytes + b.X.indices.nbytes if sparse.issparse(b.X) else b.X.nbytes
            for b in rows.rounds.blocks
        )
        assert rows.n_bytes == pytest.approx(stored, rel=1e-3)


def test_rows_of_zeros_only():
    _, y, weights = problem(3000)
    rounds = BlockRounds.of(np.zeros((3000, 5)), y, weights, (700,), sparse.csr_array)
    rows = PartitionedRows(rounds, np.bincount(y), np.ones(2), 5)
    assert rows.sparse
    assert rows.sample is None
    assert not rows.spread.any()
