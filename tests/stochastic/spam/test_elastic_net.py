"""SPAM with an elastic net, by both kernels, against its recursion and the KKT conditions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from aucmax.kernels.proximal import proximal_residual
from aucmax.stochastic.spam import estimator
from aucmax.stochastic.spam.estimator import SPAM
from oracles.iterates import statistics
from oracles.pairs import pair_gradient
from oracles.spam import spam, streaming_spam


@pytest.fixture(params=["plain", "heap"])
def kernel(request, monkeypatch):
    """Both kernels of the elastic net, for any number of features."""
    monkeypatch.setattr(estimator, "WIDE", 0 if request.param == "heap" else 10**9)
    return request.param


@pytest.mark.python_mode
@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(("l2", "l1"), [(0.05, 0.01), (0.0, 0.05), (500.0, 1e-3)])
def test_fit_equals_the_recursion(problem, layout, kernel, average, l2, l1):
    X, y, weights = problem
    known = statistics(X, y, weights)
    last, mean = spam(X, y, eta=0.8, beta=l2, beta1=l1, n_passes=2, **known)
    model = SPAM(l2, l1, step_size=0.8, max_iter=2, shuffle=False, average=average)
    model.fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-12)
    np.testing.assert_array_equal(model._solver.model.last() == 0, last == 0)


@pytest.mark.python_mode
def test_stream_equals_the_recursion_in_any_chunks(problem, layout, kernel):
    X, y, weights = problem
    _, mean = streaming_spam(X, y, eta=0.8, beta=0.05, beta1=0.01, weights=weights)
    whole = SPAM(0.05, 0.01, step_size=0.8).partial_fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(whole.coef_[0], mean, atol=1e-12)
    parts = SPAM(0.05, 0.01, step_size=0.8)
    for part in np.array_split(np.arange(len(y)), 7):
        parts.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.intercept_, whole.intercept_)


def test_both_kernels_agree_after_many_rows(problem, monkeypatch):
    X, y, _ = problem
    X = sparse.csr_array(X)
    models = []
    for wide in (0, 10**9):
        monkeypatch.setattr(estimator, "WIDE", wide)
        models.append(SPAM(1e-3, 2e-3, max_iter=100, random_state=0).fit(X, y))
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, atol=1e-11)
    np.testing.assert_allclose(models[0].intercept_, models[1].intercept_, atol=1e-11)


def test_satisfies_the_kkt_conditions(problem, layout):
    X, y, _ = problem
    X, l2, l1 = normalize(X), 0.1, 0.01
    known = statistics(X, y)
    model = SPAM(l2, l1, step_size=0.03, max_iter=6000, random_state=0, average=False).fit(layout(X), y)
    w = model.coef_[0]
    gradient = pair_gradient(X, y, w, **known)
    assert np.abs(proximal_residual(w, gradient, l1=l1, l2=l2)).max() < 1e-4


def test_stream_may_turn_the_l1_penalty_on(problem):
    X, y, _ = problem
    model = SPAM(0.05, average=False).partial_fit(X, y)
    assert np.all(model.coef_ != 0)
    assert np.any(model.set_params(l1=0.5).partial_fit(X, y).coef_ == 0)
