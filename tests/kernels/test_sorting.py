"""The radix sort."""

import numpy as np
import pytest

from aucmax.kernels.sorting import argsort, order_keys, sort_by_key


@pytest.mark.python_mode
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_have_the_order_of_the_numbers(dtype):
    values = np.array([3, -0.0, 1e-40, -1e-40, 0.0, -7, 3, 1e30, -1e30], dtype)
    keys = order_keys(values)
    assert keys.dtype.itemsize == values.itemsize
    rows = np.arange(values.size)
    ordered, rows = sort_by_key(keys.copy(), rows)
    np.testing.assert_array_equal(values[rows], np.sort(values))
    np.testing.assert_array_equal(ordered, keys[rows])
    assert keys[1] == keys[4]


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "uniform"])
def test_stable_sort(draw):
    rng = np.random.default_rng(0)
    values = np.round(getattr(rng, draw)(size=5000), 2)
    _, order = sort_by_key(order_keys(values), np.arange(5000))
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


@pytest.mark.python_mode
@pytest.mark.parametrize("far", [None, 1e9, np.inf])
def test_argsort_is_stable_also_where_few_buckets_hold_most(far):
    values = np.round(np.random.default_rng(0).normal(size=300), 1)
    if far is not None:
        values[7] = far
    with np.errstate(invalid="ignore"):  # as plain Python, NumPy warns of 0 * inf
        order, ordered = argsort(values)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    np.testing.assert_array_equal(ordered, np.sort(values))
