"""VRSPAM against its stages written out, the closed-form minimiser and the KKT conditions."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from aucmax.kernels.proximal import proximal_residual
from aucmax.stochastic.spam.estimator import SPAM
from aucmax.stochastic.vrspam import STEP_TIMES_LIPSCHITZ, VRSPAM
from oracles.iterates import statistics
from oracles.pairs import pair_gradient, real_problem, squared_minimiser
from oracles.vrspam import vrspam


@pytest.mark.python_mode
@pytest.mark.parametrize(("l2", "l1"), [(0.02, 0.0), (200.0, 0.0), (0.02, 0.01)])
def test_equals_the_stages(problem, layout, l2, l1):
    X, y, weights = problem
    known = statistics(X, y, weights)
    start = SPAM(l2, l1, max_iter=1, shuffle=False).fit(layout(X), y, sample_weight=weights).coef_[0]
    model = VRSPAM(l2, l1, step_size=0.4, max_iter=2, tol=None, shuffle=False)
    model.fit(layout(X), y, sample_weight=weights)
    expected = vrspam(
        X, y, start, eta=0.4 / known["kappa2"], beta=l2, beta1=l1, orders=[range(len(y))] * 2, **known
    )
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-12)
    gradient = pair_gradient(X, y, model.coef_[0], **known)
    at_zero = np.linalg.norm(pair_gradient(X, y, np.zeros(20), **known))
    residual = np.linalg.norm(
        proximal_residual(expected, gradient, l1=l1, l2=l2, step=model._solver.memory.eta)
    )
    np.testing.assert_allclose(model.optimality_, residual / at_zero, rtol=1e-8)


@pytest.mark.python_mode
def test_automatic_step_follows_the_largest_lipschitz_constant(problem, layout):
    X, y, weights = problem
    known = statistics(X, y, weights)
    p, m_pos, m_neg = known["p"], known["m_pos"], known["m_neg"]
    constants = [
        q
        * (
            2 * (1 - p) * np.linalg.norm(np.outer(x, x - m_neg), 2)
            if positive
            else 2 * p * np.linalg.norm(np.outer(x, x - m_pos), 2)
        )
        for x, positive, q in zip(X, y > 0, known["weights"], strict=True)
    ]
    model = VRSPAM(0.1, max_iter=1, tol=None).fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(model._solver.memory.eta, STEP_TIMES_LIPSCHITZ / max(constants), rtol=1e-10)


def test_converges_at_a_linear_rate(problem, layout):
    X, y, weights = problem
    X, l2 = normalize(X), 0.02
    p = statistics(X, y, weights)["p"]
    best = squared_minimiser(X, y, l2 / (p * (1 - p)), weights)
    errors = []
    for n_stages in (10, 20, 40):
        model = VRSPAM(l2, max_iter=n_stages, tol=None, random_state=0)
        model.fit(layout(X), y, sample_weight=weights)
        errors.append(np.linalg.norm(model.coef_[0] - best) / np.linalg.norm(best))
    assert errors[0] < 1e-2
    assert errors[1] < 1e-5
    assert errors[2] < 1e-10


def test_elastic_net_satisfies_the_kkt_conditions(problem, layout):
    X, y, _ = problem
    X, l2, l1 = normalize(X), 0.05, 0.02
    model = VRSPAM(l2, l1, max_iter=100, tol=1e-9, random_state=0).fit(layout(X), y)
    w = model.coef_[0]
    gradient = pair_gradient(X, y, w, **statistics(X, y))
    assert np.abs(proximal_residual(w, gradient, l1=l1, l2=l2)).max() < 1e-9
    assert 0 < np.count_nonzero(w) < 15


def test_tol_bounds_the_gradient_or_a_warning_is_given(problem):
    X, y, _ = problem
    model = VRSPAM(0.1, tol=1e-3, max_iter=100, random_state=0).fit(X, y)
    assert model.optimality_ <= 1e-3
    assert model.n_iter_ < 100
    with pytest.warns(ConvergenceWarning, match="raise max_iter, tol or l2"):
        VRSPAM(0.1, tol=1e-12, max_iter=2, random_state=0).fit(X, y)


def test_warm_start_at_the_optimum_stays_there(problem):
    X, y, _ = problem
    model = VRSPAM(0.1, tol=1e-8, max_iter=100, random_state=0, warm_start=True).fit(X, y)
    before = model.coef_
    assert model.fit(X, y).n_iter_ == 1
    np.testing.assert_allclose(model.coef_, before, rtol=1e-6)


def test_classes_with_equal_means_give_zero_weights(layout):
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), [0, 0, 1, 1]
    for l1 in (0.0, 0.1):
        np.testing.assert_allclose(
            VRSPAM(0.1, l1, tol=None, max_iter=60).fit(layout(X), y).coef_, 0.0, atol=1e-8
        )


@pytest.mark.parametrize(("name", "n_features"), [("a9a", 123), ("news20", 62061)])
def test_reaches_the_minimiser_on_real_data(real, name, n_features):
    X, y, best = real_problem(real, name, n_features, 1e-3)
    model = VRSPAM(1e-3 * y.mean() * (1 - y.mean()), max_iter=14, tol=None, random_state=0).fit(X, y)
    assert np.linalg.norm(model.coef_[0] - best) < 1e-6 * np.linalg.norm(best)
