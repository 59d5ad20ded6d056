"""Three numbers a column: what vector instructions and single precision make of them, against plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from aucmax.kernels.rows import as_rows
from aucmax.streaming.sparse_rows import adagrad, lines

pytestmark = pytest.mark.python_mode


@njit
def look(X, i, T, squares):
    return lines(X, i, T, squares)


@njit
def step(X, i, T, g, pace, past, floor, usual, squares):
    adagrad(X, i, T, g, pace, past, floor, usual, squares)


def problem(seed, n_stored):
    """Two rows of a CSR matrix, the second with ``n_stored`` values, and the numbers of its columns."""
    rng = np.random.default_rng(seed)
    X = np.zeros((2, n_stored + 5))
    X[1, rng.permutation(n_stored + 5)[:n_stored]] = rng.uniform(0.5, 2.0, n_stored) * rng.choice(
        [-1, 1], n_stored
    )
    X[0, :3] = 1.0
    T = rng.normal(size=(n_stored + 5, 3))
    T[:, 2] = 10.0 ** rng.uniform(-20, 20, n_stored + 5)
    return X, T


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 10**6), n_stored=st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_lines_are_the_sums_over_stored_values(layout, seed, n_stored):
    X, T = problem(seed, n_stored)
    x = X[1]
    stored = np.flatnonzero(x) if layout is sparse.csr_array else np.arange(len(x))
    squares = np.zeros(2 * len(T))
    by_u, by_drift, square, least, smallest = look(as_rows(layout(X)), 1, T.reshape(-1), squares)
    assert_allclose([by_u, by_drift, square], [x @ T[:, 0], x @ T[:, 1], x @ x], rtol=1e-12, atol=1e-12)
    assert least == T[stored, 2].min(initial=np.inf)
    assert_allclose(smallest, (x[stored] ** 2).min(initial=np.inf), rtol=1e-15)
    assert_array_equal(squares[: len(stored)], T[stored, 2])


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 10**6), n_stored=st.integers(0, 40), usual=st.floats(-8, 8))
@settings(max_examples=30, deadline=None)
def test_steps_are_divided_by_roots_to_double_precision(layout, seed, n_stored, usual):
    X, T = problem(seed, n_stored)
    flat, squares, rows = T.copy().reshape(-1), np.zeros(2 * len(T)), as_rows(layout(X))
    g, pace, past, floor = 0.3, 0.7, 11.0, 1e-22
    look(rows, 1, flat, squares)
    step(rows, 1, flat, g, pace, past, floor, 10.0**usual, squares)
    slope = g * X[1]
    total = T[:, 2] + slope**2
    move = -pace * slope / np.sqrt(total + floor)
    expected = T + np.column_stack([move, past * move, slope**2])
    assert_allclose(flat.reshape(-1, 3) - T, expected - T, rtol=1e-10, atol=1e-12)
    assert_allclose(flat.reshape(-1, 3), expected, rtol=1e-12, atol=1e-14)
