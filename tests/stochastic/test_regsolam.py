"""RegSOLAM against its box written out, and against the closed-form minimiser."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax.stochastic.regsolam import RegSOLAM
from oracles.pairs import squared_minimiser
from oracles.regsolam import regsolam


@pytest.mark.python_mode
@pytest.mark.parametrize("l2", [1e-3, 50.0])
@pytest.mark.parametrize("average", [True, False])
def test_equals_the_box_in_any_chunks(problem, layout, l2, average):
    X, y, weights = problem
    last, mean = regsolam(X, y, zeta=0.7, lam=l2, weights=weights)
    model = RegSOLAM(l2, step_size=0.7, average=average)
    for part in np.array_split(np.arange(len(y)), 7):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-12)
    whole = RegSOLAM(l2, step_size=0.7, average=average).partial_fit(layout(X), y, sample_weight=weights)
    np.testing.assert_array_equal(model.coef_, whole.coef_)


def test_comes_near_the_minimiser(problem, layout):
    X, y, _ = problem
    X, p, l2 = normalize(X), np.mean(y > 0), 0.1
    best = squared_minimiser(X, y, l2 / (p * (1 - p)))
    model = RegSOLAM(l2, max_iter=2000, random_state=0).fit(layout(X), y)
    assert np.linalg.norm(model.coef_[0] - best) < 1e-2 * np.linalg.norm(best)


def test_a_long_step_with_a_strong_penalty_is_stable(problem):
    X, y, _ = problem
    model = RegSOLAM(1e5, step_size=100.0, max_iter=3, random_state=0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.linalg.norm(model.coef_) <= np.sqrt(2 / 1e5)
