"""The exact minimisers of the methods' objectives."""

import numpy as np
import pytest

from aucmax import SPDAM
from aucmax.pairs.losses import pair_value
from aucmax.reproduction.minimisers import TARGETS, BernsteinLoss, minimise
from oracles.pairs import squared_minimiser


@pytest.mark.parametrize("l2", [1e-3, 1.0])
def test_minimiser_of_the_squared_loss_is_the_closed_form(problem, layout, l2):
    X, y, _ = problem
    np.testing.assert_allclose(
        minimise(layout(X), y, l2=l2), squared_minimiser(X, y, l2), rtol=1e-8, atol=1e-10
    )


@pytest.mark.parametrize("method", ["SOLAM", "FSAUC", "SAUC-H"])
def test_minimisers_on_a_ball_have_the_smallest_value(quick_rows, method):
    X, y = quick_rows
    model, best, loss, l2 = TARGETS[method](X, y)
    assert l2 == 0.0
    signed, rng = np.where(y == 1, 1.0, -1.0), np.random.default_rng(0)
    norm = (lambda w: np.abs(w).sum()) if method == "FSAUC" else np.linalg.norm
    np.testing.assert_allclose(norm(best), model.radius, rtol=1e-6)
    least = pair_value(loss, X @ best, signed)
    for _ in range(50):
        w = best + 0.1 * rng.normal(size=len(best))
        w *= min(1.0, model.radius / norm(w))
        assert pair_value(loss, X @ w, signed) > least - 1e-9


def test_a_method_with_a_penalty_converges_to_its_minimiser(quick_rows):
    X, y = quick_rows
    target = TARGETS["SPDAM"](X, y)
    assert isinstance(target.model, SPDAM)
    w = target.model.set_params(random_state=0).fit(X, y).coef_[0]
    np.testing.assert_allclose(w, target.best, rtol=1e-6)
    excess = target.excess(w, X, y)
    assert excess["distance"] < 1e-6
    assert abs(excess["gap"]) < 1e-12
    assert target.excess(np.zeros(8), X, y) == {"distance": 1.0, "gap": 1.0}


def test_bernstein_polynomial_of_a_square():
    """That of t^2 on [-L, L], of degree m, is t^2 + (L^2 - t^2)/m; the loss is (1 - t)^2."""
    t, loss = np.linspace(-3.0, 3.0, 7), BernsteinLoss("squared", 10, 3.0)
    np.testing.assert_allclose(loss.value(t), (1.0 - t) ** 2 + (9.0 - t**2) / 10.0, atol=1e-12)
    np.testing.assert_allclose(loss.derivative(t), 2.0 * (t - 1.0) - t / 5.0, atol=1e-12)
    np.testing.assert_allclose(loss.second(t), 1.8, atol=1e-12)
