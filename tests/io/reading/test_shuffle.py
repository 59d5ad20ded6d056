"""The shuffle buffer: every row once, the same order in any chunks, continued from a state."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from aucmax.io.reading.shuffle import ShuffleBuffer
from aucmax.io.storage.codec import decode, encode


def rows(n, layout):
    X = np.column_stack([np.arange(float(n)), np.zeros(n)])
    return (X if layout == "dense" else sparse.csr_array(X)), np.arange(n).astype(str)


def mixed(size, X, y, cuts, save_at=()):
    """The rows in the order they leave; the buffer is stored and restored before some chunks."""
    buffer, groups, bounds = ShuffleBuffer(size, seed=3), [], [0, *sorted(cuts), len(y)]
    for k, (start, end) in enumerate(pairwise(bounds)):
        if k in save_at:
            arrays = []
            state = encode(buffer.state(), arrays)
            buffer = ShuffleBuffer(size, seed=99)
            buffer.restore(decode(state, arrays))
        groups += list(buffer.add(X[start:end], y[start:end]))
        assert len(buffer) < size
    groups += list(buffer.drain())
    assert len(buffer) == 0
    for X_group, y_group in groups:
        dense = X_group.toarray() if sparse.issparse(X_group) else X_group
        np.testing.assert_array_equal(dense[:, 0], y_group.astype(float))  # rows keep their labels
    return np.concatenate([np.zeros(0, dtype=int), *(y_group.astype(int) for _, y_group in groups)])


@given(st.integers(2, 30), st.integers(0, 60), st.lists(st.integers(0, 60), max_size=5), st.data())
def test_each_row_leaves_once_in_an_order_that_chunks_do_not_change(size, n, cuts, data):
    layout = data.draw(st.sampled_from(["dense", "csr"]))
    X, y = rows(n, layout)
    cuts = [min(cut, n) for cut in cuts]
    order = mixed(size, X, y, [])
    assert sorted(order) == list(range(n))
    saved = data.draw(st.sets(st.integers(0, len(cuts))))
    np.testing.assert_array_equal(mixed(size, X, y, cuts, saved), order)


@pytest.mark.parametrize("size", [2, 10, 1000])
def test_rows_wait_about_as_long_as_the_buffer(size):
    n = 40 * size
    order = mixed(size, *rows(n, "dense"), [])
    delay = np.arange(n) - order
    assert delay.min() >= -size  # a row leaves at most this many places early
    assert delay[: n // 2].std() == pytest.approx(size, rel=0.5)
    assert abs(delay.mean()) < 1e-9
