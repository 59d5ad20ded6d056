"""Small partitions are joined into blocks."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.distributed import DaskAUCClassifier, preparation
from aucmax.distributed.preparation import group_partitions, validate_block
from oracles.distributed import problem, spread


def test_small_partitions_are_joined(monkeypatch):
    monkeypatch.setattr(preparation, "BLOCK_BYTES", 100)
    rows = np.array([3, 0, 7, 1, 40, 5, 5, 1, 0])
    assert group_partitions(rows, 10) == [(0, 3, 0), (3, 4, 10), (4, 5, 11), (5, 7, 51), (7, 9, 61)]
    assert group_partitions(np.array([500]), 10) == [(0, 1, 0)]


@pytest.mark.parametrize(
    "kinds", [(np.asarray, np.asarray), (sparse.csr_array,) * 2, (np.asarray, sparse.csr_array)]
)
def test_blocks_have_the_rows_of_their_partitions(kinds):
    X, y, weights = problem(30)
    parts = [
        (kind(X[k : k + 15]), y[k : k + 15], weights[k : k + 15])
        for k, kind in zip((0, 15), kinds, strict=True)
    ]
    block = validate_block(0, 7, 5, 1, np.array([-1.0, 2.0]), parts)
    found = block.X.toarray() if sparse.issparse(block.X) else block.X
    assert sparse.issparse(block.X) == (kinds[0] is sparse.csr_array)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(block.y, np.where(y == 1, 2.0, -1.0) * weights)
    assert block.first == 7


def test_an_error_names_the_partition_within_a_block(monkeypatch):
    monkeypatch.setattr(preparation, "BLOCK_BYTES", 2**23)
    X, y, _ = problem()
    X[130, 2] = np.nan
    with pytest.raises(ValueError, match="Partition 3: "):
        DaskAUCClassifier().fit(*spread(X, y))
