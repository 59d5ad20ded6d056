"""OPAUC against covariances computed afresh at every row, and against the closed-form minimiser."""

import numpy as np
import pytest

from aucmax.kernels.random import seed_state
from aucmax.stochastic.opauc import OPAUC, State, Statistics, add_to_sketch, sketched_covariance_product
from oracles.opauc import opauc
from oracles.pairs import squared_minimiser
from oracles.xorshift import Xorshift


@pytest.mark.python_mode
@pytest.mark.parametrize("rank", [None, 1, 5])
@pytest.mark.parametrize("average", [True, False])
def test_equals_steps_from_the_statistics_of_all_earlier_rows(problem, layout, rank, average):
    X, y, weights = problem
    X = X + np.arange(20)  # far from the origin, where raw second moments would cancel
    last, mean = opauc(X, y, eta=0.05, lam=0.1, rank=rank, generator=Xorshift(seed_state(3)), weights=weights)
    model = OPAUC(0.1, step_size=0.05, rank=rank, average=average, random_state=3)
    for part in np.array_split(np.arange(len(y)), 7):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-11)


def test_reaches_the_minimiser(problem, layout):
    X, y, _ = problem
    best = squared_minimiser(X, y, 2 * 0.05)
    model = OPAUC(0.05, step_size=0.01, max_iter=300, average=True, random_state=0).fit(layout(X), y)
    assert np.linalg.norm(model.coef_[0] - best) < 0.03 * np.linalg.norm(best)


@pytest.mark.python_mode
def test_sketch_is_unbiased_with_a_large_mean(problem):
    X, w = problem[0][:20, :4] + 10.0, np.array([1.0, -2.0, 0.5, 1.0])
    estimates = []
    for seed in range(300):
        stats = Statistics(np.zeros((2, 4)), np.zeros((2, 4, 3)), np.zeros((2, 3)), seed_state(seed))
        for n, x in enumerate(X, start=1):
            add_to_sketch(stats, 0, x.copy(), 1.0, float(n))
        estimates.append(np.empty(4))
        sketched_covariance_product(stats, 0, w, float(len(X)), estimates[-1])
    exact = np.cov(X.T, bias=True) @ w
    error = np.std(estimates, axis=0) / np.sqrt(len(estimates))
    assert (np.abs(np.mean(estimates, axis=0) - exact) < 4 * error).all()
    assert (error < 0.1 * np.abs(exact).max()).all()


def test_too_many_features_are_refused_unless_rank_is_set():
    with pytest.raises(ValueError, match="set rank"):
        OPAUC().fit(np.ones((2, 5001)), [0, 1])
    assert OPAUC(rank=2).fit(np.ones((2, 5001)), [0, 1])._solver.state == State(1.0, 1.0)
