"""SPAM against its recursion written out, and against the closed-form minimiser."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax.stochastic.spam.estimator import SPAM
from oracles.iterates import statistics
from oracles.pairs import squared_minimiser
from oracles.spam import spam, streaming_spam


@pytest.mark.python_mode
@pytest.mark.parametrize("average", [True, False])
def test_fit_equals_the_recursion(problem, layout, average):
    X, y, weights = problem
    known = statistics(X, y, weights)
    last, mean = spam(X, y, eta=0.8, beta=0.05, n_passes=2, **known)
    model = SPAM(0.05, step_size=0.8, max_iter=2, shuffle=False, average=average)
    model.fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-12)


@pytest.mark.python_mode
def test_stream_equals_the_recursion(problem, layout):
    X, y, weights = problem
    _, mean = streaming_spam(X, y, eta=0.8, beta=0.05, weights=weights)
    model = SPAM(0.05, step_size=0.8)
    for part in np.array_split(np.arange(len(y)), 7):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-12)


def test_state_has_the_products_with_the_class_sums(problem, layout):
    X, y, _ = problem
    for model in (SPAM().partial_fit(layout(X), y), SPAM(max_iter=2).fit(layout(X), y)):
        w, state = model._solver.model.last(), model._solver.state
        np.testing.assert_allclose(state.a, w @ X[y > 0].sum(0), rtol=1e-10)
        np.testing.assert_allclose(state.b, w @ X[y < 0].sum(0), rtol=1e-10)


def test_reaches_the_minimiser(problem, layout):
    X, y, _ = problem
    p, l2 = np.mean(y > 0), 0.1
    X = normalize(X)
    best = squared_minimiser(X, y, l2 / (p * (1 - p)))
    model = SPAM(l2, step_size=1.0, max_iter=4000, random_state=0).fit(layout(X), y)
    assert np.linalg.norm(model.coef_[0] - best) < 2e-3 * np.linalg.norm(best)


def test_divergence_names_the_step_size(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="Lower step_size"):
        SPAM(0.0, step_size=1e6).fit(X, y)
