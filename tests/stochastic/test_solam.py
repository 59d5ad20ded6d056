"""SOLAM against its box written out, and against the optimum on the ball."""

import numpy as np
import pytest

from aucmax import SOLAM
from oracles.pairs import pairs, squared_minimiser
from oracles.solam import solam


@pytest.mark.python_mode
@pytest.mark.parametrize("radius", [0.3, 50.0])
@pytest.mark.parametrize("average", [True, False])
def test_equals_the_box(problem, layout, radius, average):
    X, y, weights = problem
    last, mean = solam(X, y, zeta=0.7, radius=radius, weights=weights)
    model = SOLAM(radius, step_size=0.7, average=average)
    model.partial_fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_[0], mean if average else last, atol=1e-12)
    assert np.linalg.norm(model._solver.model.last()) <= radius * (1 + 1e-12)


def test_fit_is_the_stream_repeated(problem, layout):
    X, y, _ = problem
    fitted = SOLAM(max_iter=3, shuffle=False).fit(layout(X), y)
    streamed = SOLAM()
    for _ in range(3):
        streamed.partial_fit(layout(X), y)
    np.testing.assert_array_equal(fitted._solver.model.last(), streamed._solver.model.last())
    # The average of `fit` is summed up in another order.
    np.testing.assert_allclose(fitted.coef_, streamed.coef_, rtol=0, atol=1e-15)


def test_comes_near_the_optimum_on_the_ball(problem):
    X, y, _ = problem
    differences, _ = pairs(X, y)

    def loss(w):
        return np.mean((1 - differences @ w) ** 2)

    # The minimiser on the ball is the penalised one whose norm is the radius.
    best = squared_minimiser(X, y, 2.0)
    model = SOLAM(float(np.linalg.norm(best)), step_size=2.0, max_iter=400, random_state=0).fit(X, y)
    assert loss(model.coef_[0]) - loss(best) < 5e-3
