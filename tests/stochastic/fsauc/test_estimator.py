"""FSAUC against its boxes written out, its projection, and the optimum on the L1 ball."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array

from aucmax.stochastic.fsauc.estimator import FSAUC
from aucmax.stochastic.fsauc.stages import FIRST_LENGTH, GROWTH
from oracles.fsauc import fsauc
from oracles.pairs import pairs


@pytest.mark.python_mode
@pytest.mark.parametrize(("radius", "step_size"), [(0.4, 0.3), (0.1, "theory"), (100.0, 0.1)])
def test_stream_equals_the_boxes(problem, layout, radius, step_size):
    X, y, weights = problem
    X, y, weights = np.tile(X, (3, 1)), np.tile(y, 3), np.tile(weights, 3)
    last, mean, n_projected = fsauc(
        X,
        y,
        radius=radius,
        eta=step_size,
        length=FIRST_LENGTH,
        growth=GROWTH,
        theory=step_size == "theory",
        weights=weights,
    )
    model = FSAUC(radius, step_size=step_size)
    for part in np.array_split(np.arange(len(y)), 7):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    assert n_projected > 20 or radius > 1.0
    np.testing.assert_allclose(model._solver.model.last(), last, atol=1e-10)
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-10)
    assert np.abs(model.coef_).sum() <= radius * (1 + 1e-10)


@pytest.mark.python_mode
def test_stages_of_fit_have_equal_length(problem, layout):
    X, y, _ = problem
    n = 4 * len(y)
    n_stages = int(np.log2(2 * n / np.log2(n)) / 2) - 1
    assert n_stages == 2
    _, mean, _ = fsauc(
        np.tile(X, (4, 1)),
        np.tile(y, 4),
        radius=2.0,
        eta=0.3,
        length=n / n_stages,
        growth=1,
        kappa=np.sqrt((X**2).sum(1).max()),
    )
    model = FSAUC(2.0, step_size=0.3, max_iter=4, shuffle=False).fit(layout(X), y)
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    radius=st.sampled_from([0.02, 0.3, 1.0, 5.0, 100.0]),
    step_size=st.sampled_from([0.01, 0.3, 3.0, 40.0, "theory"]),
    weighted=st.booleans(),
)
def test_lazy_projections_equal_the_boxes(seed, radius, step_size, weighted):
    """On sparse rows that leave the L1 ball, the trust ball, both or none."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(40, 120), rng.integers(2, 40)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.uniform(0.05, 0.5)) * rng.exponential(size=(n, 1))
    y = rng.permutation(np.where(np.arange(n) < max(2, n // 4), 1, -1))
    weights = rng.uniform(0.1, 3.0, size=n) if weighted else np.ones(n)
    n_stages = max(1, int(np.log2(2 * 3 * n / np.log2(3 * n)) / 2) - 1)
    last, mean, _ = fsauc(
        np.tile(X, (3, 1)),
        np.tile(y, 3),
        radius=radius,
        eta=step_size,
        length=-(-3 * n // n_stages),
        growth=1,
        theory=step_size == "theory",
        kappa=max(np.sqrt((X**2).sum(1).max()), 1e-300),
        weights=np.tile(weights / weights.mean(), 3),  # as ``fit`` scales them
    )
    model = FSAUC(radius, step_size=step_size, max_iter=3, shuffle=False, tol=None)
    model.fit(csr_array(X), y, sample_weight=weights)
    np.testing.assert_allclose(model._solver.model.last(), last, atol=1e-10 * max(1.0, radius))
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-10 * max(1.0, radius))


@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_comes_near_the_optimum_on_the_l1_ball(problem, radius):
    X, y, _ = problem
    differences, _ = pairs(X, y)
    hessian, mean, d = differences.T @ differences / len(differences), differences.mean(0), X.shape[1]

    def loss(w):
        return 1 - 2 * mean @ w + w @ hessian @ w

    def loss_of_parts(v):  # the positive and the negative part of w
        w = v[:d] - v[d:]
        gradient = 2 * (hessian @ w - mean)
        return loss(w), np.concatenate([gradient, -gradient])

    l1_ball = {"type": "ineq", "fun": lambda v: radius - v.sum(), "jac": lambda v: -np.ones(2 * d)}
    bounds = [(0, None)] * (2 * d)
    best = minimize(
        loss_of_parts, np.zeros(2 * d), jac=True, bounds=bounds, constraints=l1_ball, method="SLSQP"
    )
    model = FSAUC(radius, max_iter=100, random_state=0).fit(X, y)
    assert loss(model.coef_[0]) - best.fun < 1e-2
