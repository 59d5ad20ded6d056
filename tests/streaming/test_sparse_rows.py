"""Products and steps of rows that are not standardised, against plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from aucmax.kernels.rows import as_rows
from aucmax.streaming.sparse_rows import read_columns, step_columns

pytestmark = pytest.mark.python_mode


@njit
def read(X, i, table, squares):
    return read_columns(X, i, table, squares)


@njit
def step(X, i, table, slope, step, average_offset, floor, usual, squares):
    step_columns(X, i, table, slope, step, average_offset, floor, usual, squares)


def problem(seed, n_stored):
    """Two rows of a CSR matrix, the second with ``n_stored`` values, and the table of its columns."""
    rng = np.random.default_rng(seed)
    X = np.zeros((2, n_stored + 5))
    X[1, rng.permutation(n_stored + 5)[:n_stored]] = rng.uniform(0.5, 2.0, n_stored) * rng.choice(
        [-1, 1], n_stored
    )
    X[0, :3] = 1.0
    table = rng.normal(size=(n_stored + 5, 3))
    table[:, 2] = 10.0 ** rng.uniform(-20, 20, n_stored + 5)
    return X, table


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 10**6), n_stored=st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_products_and_bounds_of_stored_values(layout, seed, n_stored):
    X, table = problem(seed, n_stored)
    x = X[1]
    stored = np.flatnonzero(x) if layout is sparse.csr_array else np.arange(len(x))
    squares = np.zeros(2 * len(table))
    inner_u, inner_average, square, least, smallest = read(as_rows(layout(X)), 1, table.reshape(-1), squares)
    assert_allclose(
        [inner_u, inner_average, square], [x @ table[:, 0], x @ table[:, 1], x @ x], rtol=1e-12, atol=1e-12
    )
    assert least == table[stored, 2].min(initial=np.inf)
    assert_allclose(smallest, (x[stored] ** 2).min(initial=np.inf), rtol=1e-15)
    assert_array_equal(squares[: len(stored)], table[stored, 2])


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 10**6), n_stored=st.integers(0, 40), usual=st.floats(-8, 8))
@settings(max_examples=30, deadline=None)
def test_steps_are_accurate_to_double_precision(layout, seed, n_stored, usual):
    X, table = problem(seed, n_stored)
    flat, squares, rows = table.copy().reshape(-1), np.zeros(2 * len(table)), as_rows(layout(X))
    slope, length, average_offset, floor = 0.3, 0.7, 11.0, 1e-22
    read(rows, 1, flat, squares)
    step(rows, 1, flat, slope, length, average_offset, floor, 10.0**usual, squares)
    gradient = slope * X[1]
    move = -length * gradient / np.sqrt(table[:, 2] + gradient**2 + floor)
    expected = table + np.column_stack([move, average_offset * move, gradient**2])
    assert_allclose(flat.reshape(-1, 3) - table, expected - table, rtol=1e-10, atol=1e-12)
    assert_allclose(flat.reshape(-1, 3), expected, rtol=1e-12, atol=1e-14)
