"""Uni-Exp against its recursion written out, and against the minimiser of the exponential pair loss."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.preprocessing import normalize

from aucmax.stochastic.uniexp import UniExp
from oracles.pairs import pairs
from oracles.uniexp import uniexp


@pytest.mark.python_mode
@pytest.mark.parametrize("average", [True, False])
def test_equals_the_recursion(problem, layout, average):
    X, y, weights = problem
    last, mean, bias = uniexp(X, y, eta=0.2, weights=weights)
    model = UniExp(step_size=0.2, average=average)
    for part in np.array_split(np.arange(len(y)), 7):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-12)
    assert model._solver.state.bias == pytest.approx(bias, abs=1e-12)


def test_reaches_the_minimiser_over_pairs(problem):
    X, y, _ = problem
    X, y = normalize(X), np.where(np.arange(len(y)) % 4 == 0, -y, y)  # far from separable
    differences, _ = pairs(X, y)
    best = minimize(lambda w: np.exp(-differences @ w).mean(), np.zeros(X.shape[1]), method="BFGS").x
    model = UniExp(step_size=1.0, max_iter=2000, random_state=0).fit(X, y)
    w = model.coef_[0]
    assert np.exp(-differences @ w).mean() - np.exp(-differences @ best).mean() < 5e-4
    assert np.linalg.norm(w - best) < 0.05 * np.linalg.norm(best)


def test_large_negative_margins_do_not_overflow(problem):
    X, y, _ = problem
    model = UniExp(step_size=1.0)
    model.partial_fit(1e3 * X[:50], y[:50], classes=[-1, 1])
    model.partial_fit(1e6 * X[50:], y[50:])
    assert np.isfinite(model.coef_).all()
