"""The row routines of both layouts against numpy."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.kernels import rows
from aucmax.kernels.jit import kernel

pytestmark = pytest.mark.python_mode


@pytest.fixture(params=[np.float64, np.float32])
def dtype(request):
    return request.param


@pytest.fixture
def X(problem, dtype):
    return problem[0].astype(dtype)


@kernel
def run_dot(X, i, u):
    return rows.dot(X, i, u)


@kernel
def run_dot2(X, i, u, v):
    return rows.dot2(X, i, u, v)


@kernel
def run_dot2_sqnorm(X, i, u, v):
    return rows.dot2_sqnorm(X, i, u, v)


@kernel
def run_axpy(X, i, c, u):
    rows.axpy(X, i, c, u)


@kernel
def run_axpy2(X, i, c, u, e, v):
    rows.axpy2(X, i, c, u, e, v)


@kernel
def run_sqnorm(X, i):
    return rows.sqnorm(X, i)


@pytest.mark.parametrize("compiled", [True, False])
def test_row_routines(X, layout, compiled):
    data, x = rows.as_rows(layout(X)), X[5].astype(float)
    u, v = np.linspace(-1, 1, 20), np.linspace(0, 3, 20)
    dot, dot2, dot2_sqnorm, axpy, axpy2, sqnorm = (
        (run_dot, run_dot2, run_dot2_sqnorm, run_axpy, run_axpy2, run_sqnorm)
        if compiled
        else (rows.dot, rows.dot2, rows.dot2_sqnorm, rows.axpy, rows.axpy2, rows.sqnorm)
    )
    np.testing.assert_allclose(dot(data, 5, u), (x @ u, x @ x), rtol=1e-13)
    np.testing.assert_allclose(dot2(data, 5, u, v), (x @ u, x @ v), rtol=1e-13)
    np.testing.assert_allclose(dot2_sqnorm(data, 5, u, v), (x @ u, x @ v, x @ x), rtol=1e-13)
    np.testing.assert_allclose(sqnorm(data, 5), x @ x, rtol=1e-13)
    a, b = u.copy(), v.copy()
    axpy(data, 5, 0.5, a)
    np.testing.assert_allclose(a, u + 0.5 * x)
    axpy2(data, 5, 0.5, a, -2.0, b)
    np.testing.assert_allclose(a, u + x)
    np.testing.assert_allclose(b, v - 2 * x)


def test_whole_matrix(X, layout):
    data, u, v = rows.as_rows(layout(X)), np.linspace(-1, 1, 20), np.ones(20)
    assert rows.count_rows(data) == len(X)
    np.testing.assert_allclose(rows.scores(data, u), X.astype(float) @ u, atol=1e-13)
    np.testing.assert_allclose(rows.products(data, u, v), (X @ u, X @ v), atol=1e-13)


def test_views_are_read_only_and_share_memory(X, layout):
    matrix = layout(X)
    view = rows.as_rows(matrix)
    for part, original in (
        zip(view, (matrix.data, matrix.indices, matrix.indptr), strict=True)
        if sparse.issparse(matrix)
        else [(view, matrix)]
    ):
        assert np.shares_memory(part, original)
        assert not part.flags.writeable
        assert original.flags.writeable
