"""Products with the rows, over blocks and in threads."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.batch.products import Products
from aucmax.batch.threads import thread_map
from aucmax.kernels.rows import as_rows
from batch.problems import signed_rows


@pytest.mark.python_mode
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_products(form):
    X, y = signed_rows()
    own = form(X)
    products = Products(as_rows(own), X.shape[1])
    plain = own.toarray() if sparse.issparse(own) else np.asarray(own, dtype=float)
    v = np.linspace(-1.0, 1.0, X.shape[1])
    np.testing.assert_allclose(products.scores(v), plain @ v, atol=1e-12)
    np.testing.assert_allclose(products.combine(y), plain.T @ y, atol=1e-12)
    few = products.take(np.array([5, 2, 290]))
    np.testing.assert_allclose(few.scores(v), plain[[5, 2, 290]] @ v, atol=1e-12)


def test_products_of_long_csr_rows():
    X, _ = signed_rows(n=50, d=90)
    v = np.linspace(-1.0, 1.0, 90)
    np.testing.assert_allclose(Products(as_rows(sparse.csr_array(X)), 90).scores(v), X @ v, atol=1e-12)


def test_threads_change_no_bit():
    X, y = signed_rows(n=60_000, d=9)
    alone = Products(as_rows(X), 9)
    v = np.linspace(-1.0, 1.0, 9)
    with thread_map(2) as run:
        both = Products(as_rows(X), 9, run)
        np.testing.assert_array_equal(alone.scores(v), both.scores(v))
        np.testing.assert_array_equal(alone.combine(y), both.combine(y))
