"""The order in which a pass visits the rows."""

import numpy as np
import pytest

from aucmax.kernels.rows import as_rows
from aucmax.stochastic.engine import loop

pytestmark = pytest.mark.python_mode


@pytest.mark.parametrize("n_rows", [1, 7, 1000])
@pytest.mark.parametrize("cache", [0, 2**30])
def test_order_has_every_row_once(n_rows, cache, layout, monkeypatch):
    monkeypatch.setattr(loop, "CACHE_BYTES", cache)
    X = as_rows(layout(np.ones((n_rows, 50))))
    order = loop.visiting_order(X, np.random.RandomState(0))
    np.testing.assert_array_equal(np.sort(order), np.arange(n_rows))


def test_stored_order_without_a_generator():
    np.testing.assert_array_equal(loop.visiting_order(np.ones((5, 2)), None), np.arange(5))


def test_large_data_are_shuffled_in_blocks_of_neighbours(monkeypatch):
    monkeypatch.setattr(loop, "CACHE_BYTES", 0)
    order = loop.visiting_order(np.ones((10_000, 64)), np.random.RandomState(0))
    block = loop.BLOCK_BYTES // (64 * 8)
    assert np.mean(np.diff(order) == 1) > 1 - 2 / block
    assert np.mean(np.diff(order[::block]) == block) < 0.1
