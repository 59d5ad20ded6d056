"""The optimum of every loss, proven by the gap, and equal to brute force."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from aucmax.batch.newton import Limits
from aucmax.batch.solver import Penalty, Problem, dual_value
from aucmax.pairs.losses import LOSSES, Loss
from aucmax.pairs.push import Pushed
from aucmax.pairs.sums import Classes
from batch.problems import objective, optimum, products_of, ranked

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
    return Problem(products_of(X, layout), Classes.split(weights * y))


@pytest.mark.parametrize("loss", list(ALL))
@pytest.mark.parametrize("l2", [1e-3, 1.0])
def test_equals_brute_force(layout, loss, l2):
    X, y, weights = ranked()
    expected, w = optimum(ALL[loss], X, y, weights, l2)
    found = make(layout, X, y, weights).solve(ALL[loss], Penalty(l2), Limits(1e-9, 100))
    assert found.converged
    assert found.objective == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(found.w, w, atol=1e-4 * np.abs(w).max())
    np.testing.assert_allclose(found.scores, X @ found.w, atol=1e-9)


@pytest.mark.parametrize("l1", [0.0, 0.01])
def test_hinge_to_a_proven_gap(layout, l1):
    X, y, weights = ranked()
    penalty = Penalty(1e-2, l1)
    found = make(layout, X, y, weights).solve(LOSSES["hinge"], penalty, Limits(1e-5, 500))
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
def test_hinge_converges_where_rounding_hides_the_decrease(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 6))
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=200) > 0.5, 1.0, -1.0)
    found = make(np.asarray, X, y, np.ones(200)).solve(LOSSES["hinge"], Penalty(0.1), Limits(1e-6, 100))
    assert found.converged


@pytest.mark.parametrize("l1", [1e-3, 0.0])
def test_hinge_keeps_its_best_solution_where_less_smoothing_rounds_badly(l1):
    rng = np.random.default_rng(0)
    n, d, l2 = (600, 6, 1e-2) if l1 > 0.0 else (2000, 8, 1e-10)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    if l1 > 0.0:
        y = np.where(X @ w > 1.0, 1.0, -1.0)
    else:
        y = np.where(X @ w + 2.0 * rng.normal(size=n) > 2.0, 1.0, -1.0)
        X = np.c_[X, X]
    rough, fine = (
        make(np.asarray, X, y, np.ones(n)).solve(LOSSES["hinge"], Penalty(l2, l1), Limits(tol, 100))
        for tol in (1e-4, 1e-8)
    )
    assert fine.objective <= rough.objective


def pair_terms(X, y, weights):
    """Difference and share of the total weight of every pair."""
    pos, neg = y > 0, y < 0
    share = np.outer(weights[pos], weights[neg]).ravel()
    return (X[pos][:, None, :] - X[neg]).reshape(-1, X.shape[1]), share / share.sum()


def hinge_optimum(X, y, weights, l2):
    """The minimum of the hinge, from its dual over every pair."""
    differences, share = pair_terms(X, y, weights)

    def dual(alpha):
        z = differences.T @ (share * alpha)
        return z @ z / (2.0 * l2) - share @ alpha, share * (differences @ z / l2 - 1.0)

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-12}
    bounds = [(0.0, 1.0)] * len(share)
    return -minimize(dual, np.zeros(len(share)), jac=True, bounds=bounds, options=options).fun


@pytest.mark.parametrize("l2", [1e-6, 1e-2])
def test_hinge_with_fewer_rows_than_columns(layout, l2):
    X, y, weights = ranked(n=20, d=60)
    found = make(layout, X, y, weights).solve(LOSSES["hinge"], Penalty(l2), Limits(1e-4, 100))
    assert found.converged
    expected = hinge_optimum(X, y, weights, l2)
    assert (1.0 - 1e-4) * found.objective <= expected * (1.0 + 1e-6)
    assert found.objective >= expected * (1.0 - 1e-6)


@pytest.mark.parametrize("l1", [1e-3, 3e-2])
@pytest.mark.parametrize("l2", [1e-6, 1e-2])
def test_hinge_with_l1_and_fewer_rows_than_columns(layout, l2, l1):
    X, y, weights = ranked(n=24, d=60)
    solve = make(layout, X, y, weights).solve
    found = solve(LOSSES["hinge"], Penalty(l2, l1), Limits(1e-4, 100))
    finer = solve(LOSSES["hinge"], Penalty(l2, l1), Limits(1e-6, 1000))
    assert found.converged
    assert finer.converged
    assert finer.objective >= found.objective * (1.0 - found.optimality)
    assert found.objective == pytest.approx(objective(LOSSES["hinge"], X, y, weights, l2, l1)(found.w)[0])


def test_hinge_in_large_units():
    X, y, weights = ranked()
    plain, scaled = (
        make(np.asarray, c * X, y, weights).solve(LOSSES["hinge"], Penalty(1e-2 * c**2), Limits(1e-4, 100))
        for c in (1.0, 1e8)
    )
    assert scaled.converged
    assert scaled.objective == pytest.approx(plain.objective, rel=1e-9)


@pytest.mark.parametrize("penalty", [Penalty(0.3), Penalty(0.3, 0.05), Penalty(1e-6, 0.2), Penalty(0.0, 0.2)])
def test_dual_value_is_a_lower_bound(penalty):
    X, y, weights = ranked(n=30, d=4)
    differences, share = pair_terms(X, y, weights)
    function = objective(LOSSES["hinge"], X, y, weights, *penalty)
    rng = np.random.default_rng(0)
    for _ in range(50):
        alpha = rng.random(len(share)) ** rng.integers(1, 9)
        lower = dual_value(float(share @ alpha), differences.T @ (share * alpha), penalty)
        w = rng.normal(size=4) * 10.0 ** rng.uniform(-3, 1)
        assert lower <= function(w)[0]


def test_dual_value_meets_the_minimum():
    X, y, weights = ranked(n=30, d=4)
    expected = hinge_optimum(X, y, weights, 0.1)
    found = make(np.asarray, X, y, weights).solve(LOSSES["hinge"], Penalty(0.1), Limits(1e-7, 500))
    assert (1.0 - found.optimality) * found.objective == pytest.approx(expected, rel=1e-6)


def test_gap_of_a_pushed_hinge_holds():
    X, y, weights = ranked()
    loss, problem = Pushed(LOSSES["hinge"], 4.0), make(np.asarray, X, y, weights)
    rough, fine = (problem.solve(loss, Penalty(1e-2), Limits(tol, 500)) for tol in (1e-2, 1e-6))
    assert fine.converged
    assert rough.objective * (1.0 - rough.optimality) <= fine.objective <= rough.objective


def test_hinge_equals_a_linear_program():
    X, y, weights = ranked(n=24, d=3)
    (differences, share), l1 = pair_terms(X, y, weights), 0.02
    # minimise share.slack + l1 (u + v) over slack >= 1 - differences (u - v), all at least 0
    cost = np.concatenate((share, np.full(6, l1)))
    bounds = np.hstack((-np.eye(len(differences)), -differences, differences))
    expected = linprog(cost, A_ub=bounds, b_ub=-np.ones(len(differences))).fun
    found = make(np.asarray, X, y, weights).solve(LOSSES["hinge"], Penalty(0.0, l1), Limits(1e-7, 500))
    assert found.objective == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared"])
def test_elastic_net_satisfies_its_conditions(layout, loss):
    X, y, weights = ranked(d=12)
    l2, l1 = 1e-2, 0.08
    found = make(layout, X, y, weights).solve(LOSSES[loss], Penalty(l2, l1), Limits(1e-8, 200))
    assert found.converged
    gradient = objective(LOSSES[loss], X, y, weights, l2)(found.w)[1]
    zero = found.w == 0.0
    assert 0 < zero.sum() < len(zero)
    np.testing.assert_allclose(gradient[~zero], -l1 * np.sign(found.w[~zero]), atol=1e-7)
    assert np.all(np.abs(gradient[zero]) <= l1 + 1e-7)


def test_a_large_l1_leaves_nothing():
    X, y, weights = ranked()
    found = make(np.asarray, X, y, weights).solve(
        LOSSES["squared_hinge"], Penalty(0.1, 50.0), Limits(1e-4, 9)
    )
    assert not found.w.any()
    assert found.objective == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_raw_columns_with_very_different_scales(loss):
    X, y, weights = ranked()
    factors = np.array([1e-3, 1e3, 1.0, 1e-2, 1e2])
    found = make(np.asarray, X * factors + factors, y, weights).solve(
        LOSSES[loss], Penalty(0.0), Limits(1e-6, 100)
    )
    plain = make(np.asarray, X, y, weights).solve(LOSSES[loss], Penalty(0.0), Limits(1e-6, 100))
    assert found.converged
    assert found.objective == pytest.approx(plain.objective, rel=1e-6)


def test_many_rows_start_from_a_sample_and_end_at_the_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    y = np.where(X @ rng.normal(size=6) + 2.0 * rng.normal(size=20_000) > 2.0, 1.0, -1.0)
    problem = make(np.asarray, X, y, np.ones(20_000))
    loss, penalty = LOSSES["squared_hinge"], Penalty(1e-3)
    sampled = problem.solve(loss, penalty, Limits(1e-7, 50))
    plain = problem.solve(loss, penalty, Limits(1e-7, 50), np.zeros(6))
    assert sampled.objective == pytest.approx(plain.objective, rel=1e-12)
    assert sampled.n_iter < plain.n_iter
