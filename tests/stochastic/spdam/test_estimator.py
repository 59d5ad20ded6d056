"""SPDAM against its iteration on explicit centred rows, and against the closed-form minimiser."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import normalize

from aucmax.kernels.rows import as_rows
from aucmax.stochastic.engine.loop import visiting_order
from aucmax.stochastic.spdam.estimator import SPDAM, theorem_steps
from oracles.iterates import statistics
from oracles.pairs import real_problem, squared_minimiser
from oracles.spdam import spdam


def batches(X, model, n_passes):
    rng, n = np.random.RandomState(model.random_state), len(X)
    count = model._n_batches(n)
    for _ in range(n_passes):
        order = visiting_order(as_rows(X), rng)
        for k in range(count):
            yield order[k * n // count : (k + 1) * n // count]


@pytest.mark.python_mode
@pytest.mark.parametrize("batch_size", [1, 7, 0.1, 300, 1000])
@pytest.mark.parametrize("l2", [1e-3, 10.0])
def test_equals_the_iteration(problem, layout, batch_size, l2):
    X, y, weights = problem
    model = SPDAM(l2, batch_size=batch_size, max_iter=3, tol=None, random_state=0)
    model.fit(layout(X), y, sample_weight=weights)
    hyper = model._solver.memory.hyper
    expected = spdam(
        X,
        y,
        lam=l2,
        sigma=hyper.sigma,
        tau=hyper.tau,
        theta=hyper.theta,
        batches=batches(X, model, 3),
        **statistics(X, y, weights),
    )[-1]
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-11)


@pytest.mark.parametrize("batch_size", [1, 10, 0.1, 300])
def test_converges_at_a_linear_rate(problem, layout, batch_size):
    X, y, _ = problem
    X, l2 = normalize(X), 0.01
    best = squared_minimiser(X, y, 2 * l2)
    errors = []
    for n_passes in (50, 100, 200):
        model = SPDAM(l2, batch_size=batch_size, max_iter=n_passes, tol=None, random_state=0).fit(
            layout(X), y
        )
        errors.append(np.linalg.norm(model.coef_[0] - best) / np.linalg.norm(best))
    assert errors[2] < max(1e-12, 0.1 * errors[1]) < 0.1 * errors[0] + 1e-12


def test_theorem_steps_solve_the_equations_of_the_proof():
    lam, n, m, kappa2 = 1e-3, 1000.0, 10.0, 1.3
    sigma, tau, theta = theorem_steps(kappa2, lam, n, m)
    # The weights and the dual variables contract by the same factor.
    np.testing.assert_allclose((1 / (2 * tau)) / (1 / (2 * tau) + lam), theta, rtol=1e-12)
    np.testing.assert_allclose(1 / (2 * sigma) + (n - m) / n, theta * (1 / (2 * sigma) + 1), rtol=1e-12)


def test_weights_count_as_repeated_rows(problem):
    X, y, weights = problem
    times = weights.astype(int)
    model = SPDAM(0.05, batch_size=10, max_iter=300, tol=None, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_warm_start_at_the_optimum_stays_there(problem):
    X, y, _ = problem
    model = SPDAM(0.05, batch_size=10, max_iter=400, tol=1e-7, random_state=0, warm_start=True).fit(X, y)
    before = model.coef_
    assert model.fit(X, y).n_iter_ <= 2
    np.testing.assert_allclose(model.coef_, before, rtol=1e-5)


def test_classes_of_identical_rows(layout):
    X, y = np.repeat([[1.0, 0.0], [0.0, 2.0]], 5, axis=0), np.repeat([0, 1], 5)
    for batch_size in (1, 5, 10):
        model = SPDAM(0.1, batch_size=batch_size, max_iter=500, tol=None, random_state=0).fit(layout(X), y)
        np.testing.assert_allclose(model.coef_[0], squared_minimiser(X, y, 0.2), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "n_features", "n_passes", "batch_size"),
    [("a9a", 123, 30, 1), ("a9a", 123, 30, 10), ("news20", 62061, 40, 1)],
)
def test_reaches_the_minimiser_on_real_data(real, name, n_features, n_passes, batch_size):
    X, y, best = real_problem(real, name, n_features, 1e-3)
    model = SPDAM(1e-3 / 2, batch_size=batch_size, max_iter=n_passes, tol=None, random_state=0).fit(X, y)
    assert np.linalg.norm(model.coef_[0] - best) < 1e-6 * np.linalg.norm(best)
