"""The objective: products over blocks of rows, and derivatives of the whole."""

import signal
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from aucmax.batch.objective import Objective, Products
from aucmax.batch.threads import thread_map
from aucmax.kernels.rows import as_rows
from aucmax.metrics.sketch import Cells, compress, single_cells, union
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sorted_sums import knot_scan
from aucmax.pairs.sums import Classes
from aucmax.stochastic.engine.class_sums import _class_statistics


def data(n=300, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0) * rng.integers(1, 3, n)
    return X, y


@pytest.mark.python_mode
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_products(form):
    X, y = data()
    own = form(X)
    products = Products(as_rows(own), X.shape[1])
    plain = own.toarray() if sparse.issparse(own) else np.asarray(own, dtype=float)
    v = np.linspace(-1.0, 1.0, X.shape[1])
    np.testing.assert_allclose(products.scores(v), plain @ v, atol=1e-12)
    np.testing.assert_allclose(products.combine(y), plain.T @ y, atol=1e-12)
    few = products.take(np.array([5, 2, 290]))
    np.testing.assert_allclose(few.scores(v), plain[[5, 2, 290]] @ v, atol=1e-12)


def test_threads_change_no_bit():
    X, y = data(n=60_000, d=9)
    alone = Products(as_rows(X), 9)
    v = np.linspace(-1.0, 1.0, 9)
    with thread_map(2) as run:
        both = Products(as_rows(X), 9, run)
        np.testing.assert_array_equal(alone.scores(v), both.scores(v))
        np.testing.assert_array_equal(alone.combine(y), both.combine(y))


def test_ctrl_c_waits_until_threads_have_handed_over(monkeypatch):
    handed = []

    class Pool(ThreadPoolExecutor):
        def submit(self, *task):
            future = super().submit(*task)

            def result():
                signal.raise_signal(signal.SIGINT)  # would stop here, with the helper's lock taken
                handed.append(Future.result(future))

            future.cancel, future.result = lambda: False, result
            return future

    monkeypatch.setattr("aucmax.kernels.interrupts.ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt), thread_map(2) as run:
        run(str, range(4))
    assert len(handed) == 1


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "exponential"])
def test_gradient_and_hessian_products(loss):
    X, y = data()
    objective = Objective(Products(as_rows(X), 7), Classes.split(y), LOSSES[loss], l2=0.1)
    rng = np.random.default_rng(1)
    w, v, step = 0.3 * rng.normal(size=7), rng.normal(size=7), 1e-5
    point = objective.at(w)
    (ahead, ahead_gradient), (behind, behind_gradient) = (
        objective.value_grad(w + sign * step * v) for sign in (1.0, -1.0)
    )
    assert point.gradient @ v == pytest.approx((ahead - behind) / (2 * step), rel=1e-6)
    product, Xw = point.hessp(v)
    np.testing.assert_allclose(Xw, X @ v, atol=1e-12)
    np.testing.assert_allclose(product, (ahead_gradient - behind_gradient) / (2 * step), rtol=1e-2, atol=1e-3)


def test_products_of_long_csr_rows():
    X, _ = data(n=50, d=90)
    v = np.linspace(-1.0, 1.0, 90)
    np.testing.assert_allclose(Products(as_rows(sparse.csr_array(X)), 90).scores(v), X @ v, atol=1e-12)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_a_point_under_another_penalty_or_loss(loss):
    X, y = data()
    products, classes, w = Products(as_rows(X), 7), Classes.split(y), np.linspace(-0.3, 0.4, 7)
    other = Objective(products, classes, LOSSES[loss], l2=0.7)
    moved = Objective(products, classes, LOSSES["squared_hinge"], l2=0.1).at(w).under(other)
    afresh = other.at(w)
    assert moved.value == afresh.value
    np.testing.assert_array_equal(moved.gradient, afresh.gradient)
    assert moved.slope(w, X @ w) == pytest.approx(afresh.gradient @ w)


def test_threads_keep_order_nest_and_raise():
    with thread_map(2) as run:
        assert list(run(lambda k: list(run(lambda j: (k, j), range(3))), range(5))) == [
            [(k, j) for j in range(3)] for k in range(5)
        ]
        with pytest.raises(IndexError):
            run(lambda k: [][k], range(4))


def test_kernels_outside_of_held_return_plain_tuples():
    """Ctrl-C while Numba makes a NamedTuple crashes Python."""
    numbers, keys = np.array([0.0, 1.0]), np.array([1, 2], np.uint64)
    cells = single_cells(keys, np.array([1, -1], np.int8))
    found = [
        knot_scan(numbers, numbers, numbers, numbers, 1.0, 2),
        _class_statistics(np.eye(2), np.array([1.0, -1.0]), 2),
        cells,
        union(Cells(*cells), Cells(*cells)),
        compress(Cells(*cells), 2),
    ]
    assert {type(result) for result in found} == {tuple}
