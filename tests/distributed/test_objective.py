"""The objective in partitions against all pairs one by one, and its derivatives by differences."""

import numpy as np
import pytest

from aucmax.distributed import DaskAUCClassifier, objective
from aucmax.distributed.alignment import align_partitions
from aucmax.distributed.labels import sum_class_weights
from aucmax.distributed.objective import Objective
from aucmax.distributed.partitions import PartitionedRows
from aucmax.pairs.losses import LOSSES, get_loss
from oracles.distributed import bernstein, problem, spread


def objective_of(X, y, weights, loss, degree, l2, length, factor=1.0):
    """The objective of rows in partitions, centred between the classes, with columns times ``factor``."""
    partitions = align_partitions(
        **dict(zip(("X", "y", "sample_weight"), spread(X, y, weights), strict=True))
    )
    rows = PartitionedRows(partitions, sum_class_weights([part[1:] for part in partitions]), X.shape[1])
    centre = 0.5 * sum(np.average(X[y == k], axis=0, weights=weights[y == k]) for k in (0, 1))
    factors = np.broadcast_to(factor, X.shape[1])
    return Objective(rows, get_loss(loss), degree, l2, centre, factors, length)


@pytest.mark.python_mode
@pytest.mark.parametrize("loss", LOSSES)
def test_value_is_the_mean_over_all_pairs(loss):
    X, y, weights = problem()
    w = np.random.default_rng(1).normal(size=X.shape[1]) * 0.3
    value = objective_of(X, y, weights, loss, 30, 0.1, 24.0).at(w).value
    score = X @ w
    pairs = bernstein(get_loss(loss), 30, 24.0)(score[y == 1][:, None] - score[y == 0])
    pairs = np.average(pairs, weights=np.outer(weights[y == 1], weights[y == 0]))
    assert value == pytest.approx(pairs + 0.05 * w @ w, rel=1e-12)


def test_value_at_the_highest_degree():
    X, y, weights = problem()
    value = objective_of(X, y, weights, "logistic", 1000, 0.0, 24.0).at(np.full(5, 0.3)).value
    score = X @ np.full(5, 0.3)
    pairs = bernstein(get_loss("logistic"), 1000, 24.0)(score[y == 1][:, None] - score[y == 0])
    pairs = np.average(pairs, weights=np.outer(weights[y == 1], weights[y == 0]))
    assert value == pytest.approx(pairs, rel=1e-10)


@pytest.mark.parametrize("length", [24.0, 1.5])  # all scores within the range; many beyond
@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_equal_differences_of_the_value(loss, length):
    X, y, weights = problem()
    f = objective_of(X, y, weights, loss, 12, 0.1, length, np.linspace(0.5, 1.5, X.shape[1]))
    w, step = np.random.default_rng(1).normal(size=X.shape[1]) * 0.3, 1e-5
    point, neighbours = f.at(w), [(f.at(w + step * e), f.at(w - step * e)) for e in np.eye(len(w))]
    first = [(up.value - down.value) / (2 * step) for up, down in neighbours]
    np.testing.assert_allclose(point.gradient, first, atol=1e-7 * np.abs(first).max())
    second = [(up.gradient - down.gradient) / (2 * step) for up, down in neighbours]
    np.testing.assert_allclose(point.hessian, second, atol=2e-5 * np.abs(second).max())


@pytest.mark.python_mode
@pytest.mark.parametrize("length", [24.0, 1.5])
def test_hessian_products_equal_the_hessian(length, monkeypatch):
    X, y, weights = problem()
    f = objective_of(X, y, weights, "squared_hinge", 12, 0.1, length, np.linspace(0.5, 1.5, X.shape[1]))
    v, point = np.arange(5.0), f.at(np.linspace(-0.3, 0.3, 5))
    known = point.hessian @ v
    monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    np.testing.assert_allclose(point.hessp(v)[0], known, rtol=1e-12)


def test_wide_rows_reach_the_same_minimum(monkeypatch):
    X, y, _ = problem()
    few = DaskAUCClassifier(tol=1e-8).fit(*spread(X, y))
    monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    wide = DaskAUCClassifier(tol=1e-8).fit(*spread(X, y))
    np.testing.assert_allclose(wide.coef_, few.coef_, atol=1e-6)


def test_scaled_columns_have_the_objective_of_multiplied_ones():
    X, y, weights = problem()
    factor, w = np.linspace(0.5, 1.5, X.shape[1]), np.linspace(-0.3, 0.3, X.shape[1])
    scaled = objective_of(X, y, weights, "logistic", 12, 0.1, 8.0, factor).at(w)
    multiplied = objective_of(X * factor, y, weights, "logistic", 12, 0.1, 8.0).at(w)
    assert scaled.value == pytest.approx(multiplied.value, rel=1e-12)
    np.testing.assert_allclose(scaled.gradient, multiplied.gradient, rtol=1e-10)
    np.testing.assert_allclose(scaled.hessian, multiplied.hessian, rtol=1e-10)


def test_fit_reaches_the_minimum():
    X, y, _ = problem()
    model = DaskAUCClassifier("logistic", tol=1e-10).fit(*spread(X, y))
    f = objective_of(X, y, np.ones(len(y)), "logistic", 100, model.l2_, 8.0, 1.0 / model.feature_scale_)
    point = f.at(model.coef_[0] * model.feature_scale_)
    assert model.objective_ == pytest.approx(point.value, rel=1e-12)
    assert np.abs(point.gradient).max() < 1e-9
    assert model.optimality_ <= 1e-10
