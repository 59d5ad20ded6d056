"""The optimum of every loss, proven by the gap, and equal to brute force."""

import numpy as np
import pytest

from aucmax.batch.moments import class_moments
from aucmax.batch.objective import Objective, Products
from aucmax.batch.preconditioner import Preconditioner, add_covariance
from aucmax.batch.solver import Penalty, Problem
from aucmax.kernels.rows import as_rows
from aucmax.pairs.losses import LOSSES, Loss
from aucmax.pairs.sums import Classes
from batch.problems import objective, optimum, ranked

SMOOTH = ["squared_hinge", "logistic", "squared", "exponential"]


class Huberised(Loss):
    """A smooth loss of one's own."""

    width = 0.4

    def value(self, margin):
        return np.sqrt(1.0 + (margin - 1.0) ** 2) - margin

    def derivative(self, margin):
        return (margin - 1.0) / np.sqrt(1.0 + (margin - 1.0) ** 2) - 1.0

    def second(self, margin):
        return (1.0 + (margin - 1.0) ** 2) ** -1.5


ALL = {**{name: LOSSES[name] for name in SMOOTH}, "own": Huberised()}


def make(layout, X, y, weights):
    return Problem(Products(as_rows(layout(X)), X.shape[1]), Classes.split(weights * y))


@pytest.mark.parametrize("loss", list(ALL))
@pytest.mark.parametrize("l2", [1e-3, 1.0])
def test_equals_brute_force(layout, loss, l2):
    X, y, weights = ranked()
    wanted, w = optimum(ALL[loss], X, y, weights, l2)
    found = make(layout, X, y, weights).solve(ALL[loss], Penalty(l2), tol=1e-9, max_iter=100)
    assert found.converged
    assert found.objective == pytest.approx(wanted, rel=1e-8)
    np.testing.assert_allclose(found.w, w, atol=1e-4 * np.abs(w).max())
    np.testing.assert_allclose(found.scores, X @ found.w, atol=1e-9)


@pytest.mark.parametrize("l1", [0.0, 0.01])
def test_hinge_to_a_proven_gap(layout, l1):
    X, y, weights = ranked()
    penalty = Penalty(1e-2, l1)
    found = make(layout, X, y, weights).solve(LOSSES["hinge"], penalty, tol=1e-5, max_iter=500)
    function = objective(LOSSES["hinge"], X, y, weights, *penalty)
    assert found.converged
    assert found.optimality <= 1e-5
    assert found.objective == pytest.approx(function(found.w)[0], rel=1e-9)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(30):
            elsewhere = function(found.w + size * rng.normal(size=len(found.w)))[0]
            assert elsewhere >= found.objective * (1.0 - 1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_hinge_goes_on_where_rounding_hides_descent(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 6))
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=200) > 0.5, 1.0, -1.0)
    found = make(np.asarray, X, y, np.ones(200)).solve(LOSSES["hinge"], Penalty(0.1), tol=1e-6, max_iter=100)
    assert found.converged


@pytest.mark.parametrize("l1", [1e-3, 0.0])
def test_hinge_keeps_its_best_solution_where_sharper_ones_round_badly(l1):
    rng = np.random.default_rng(0)
    n, d, l2 = (600, 6, 1e-2) if l1 > 0.0 else (2000, 8, 1e-10)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    if l1 > 0.0:
        y = np.where(X @ w > 1.0, 1.0, -1.0)
    else:
        y = np.where(X @ w + 2.0 * rng.normal(size=n) > 2.0, 1.0, -1.0)
        X = np.c_[X, X]
    rough, fine = (
        make(np.asarray, X, y, np.ones(n)).solve(LOSSES["hinge"], Penalty(l2, l1), tol=tol, max_iter=100)
        for tol in (1e-4, 1e-8)
    )
    assert fine.objective <= rough.objective


def test_hinge_equals_a_linear_program():
    from scipy.optimize import linprog

    X, y, weights = ranked(n=24, d=3)
    pos, neg = y > 0, y < 0
    apart = (X[pos][:, None, :] - X[neg]).reshape(-1, 3)
    share = np.outer(weights[pos], weights[neg]).ravel()
    share, l1 = share / share.sum(), 0.02
    # minimise share.slack + l1 (u + v) over slack >= 1 - apart (u - v), all at least 0
    cost = np.concatenate((share, np.full(6, l1)))
    bounds = np.hstack((-np.eye(len(apart)), -apart, apart))
    wanted = linprog(cost, A_ub=bounds, b_ub=-np.ones(len(apart))).fun
    found = make(np.asarray, X, y, weights).solve(LOSSES["hinge"], Penalty(0.0, l1), tol=1e-7, max_iter=500)
    assert found.objective == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared"])
def test_elastic_net_satisfies_its_conditions(layout, loss):
    X, y, weights = ranked(d=12)
    l2, l1 = 1e-2, 0.08
    found = make(layout, X, y, weights).solve(LOSSES[loss], Penalty(l2, l1), tol=1e-8, max_iter=200)
    assert found.converged
    gradient = objective(LOSSES[loss], X, y, weights, l2)(found.w)[1]
    zero = found.w == 0.0
    assert 0 < zero.sum() < len(zero)
    np.testing.assert_allclose(gradient[~zero], -l1 * np.sign(found.w[~zero]), atol=1e-7)
    assert np.all(np.abs(gradient[zero]) <= l1 + 1e-7)


def test_a_large_l1_leaves_nothing():
    X, y, weights = ranked()
    found = make(np.asarray, X, y, weights).solve(
        LOSSES["squared_hinge"], Penalty(0.1, 50.0), tol=1e-4, max_iter=9
    )
    assert not found.w.any()
    assert found.objective == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_raw_columns_a_million_apart(loss):
    X, y, weights = ranked()
    factors = np.array([1e-3, 1e3, 1.0, 1e-2, 1e2])
    found = make(np.asarray, X * factors + factors, y, weights).solve(
        LOSSES[loss], Penalty(0.0), tol=1e-6, max_iter=100
    )
    plain = make(np.asarray, X, y, weights).solve(LOSSES[loss], Penalty(0.0), tol=1e-6, max_iter=100)
    assert found.converged
    assert found.objective == pytest.approx(plain.objective, rel=1e-6)


def test_many_rows_start_from_a_sample_and_end_at_the_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    y = np.where(X @ rng.normal(size=6) + 2.0 * rng.normal(size=20_000) > 2.0, 1.0, -1.0)
    problem = make(np.asarray, X, y, np.ones(20_000))
    loss, penalty = LOSSES["squared_hinge"], Penalty(1e-3)
    sampled = problem.solve(loss, penalty, tol=1e-7, max_iter=50)
    plain = problem.solve(loss, penalty, np.zeros(6), tol=1e-7, max_iter=50)
    assert sampled.objective == pytest.approx(plain.objective, rel=1e-12)
    assert sampled.n_iter < plain.n_iter


@pytest.mark.python_mode
def test_column_moments(layout):
    X, y, weights = ranked(n=40)
    classes = Classes.split(weights * y)
    moments = class_moments(Products(as_rows(layout(X + 3.0)), X.shape[1]), classes)
    for rows, mean, variance in (
        (y > 0, moments.pos_mean, moments.pos_variance),
        (y < 0, moments.neg_mean, moments.neg_variance),
    ):
        wanted = np.average(X[rows], axis=0, weights=weights[rows])
        np.testing.assert_allclose(mean, wanted + 3.0, atol=1e-12)
        spread = np.average((X[rows] - wanted) ** 2, axis=0, weights=weights[rows])
        np.testing.assert_allclose(variance, spread, atol=1e-12)


def test_preconditioner_is_close_to_the_inverse(layout):
    X, y, weights = ranked(n=400)
    problem = make(layout, X, y, weights)
    objective_ = Objective(problem.products, problem.classes, LOSSES["squared_hinge"], 1e-2)
    point = objective_.at(0.3 * np.ones(5))
    scale = problem.gradient_norm(LOSSES["squared_hinge"], 1e-2).scale
    solve = Preconditioner(problem.products, problem.classes).aim(1e-2, scale)(point)
    product = np.column_stack([solve(point.hessp(column)[0]) for column in np.eye(5)])
    values = np.sort(np.linalg.eigvals(product).real)
    assert values[-1] / values[0] < 3.0


def test_covariance_of_rows(layout):
    X, _, weights = ranked()
    rows, weight = np.arange(0, len(X), 2), weights[::2] / weights[::2].sum()
    out = np.zeros((X.shape[1], X.shape[1]))
    mean = add_covariance(as_rows(layout(X)), rows, weight, 3.0, out)
    np.testing.assert_allclose(mean, weight @ X[rows], atol=1e-12)
    np.testing.assert_allclose(out, 3.0 * np.cov(X[rows].T, aweights=weight, ddof=0), atol=1e-12)
