"""The objective and its derivatives."""

import numpy as np
import pytest

from aucmax.batch.objective import Objective
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sums import Classes
from batch.problems import products_of, signed_rows


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "exponential"])
def test_gradient_and_hessian_products(loss):
    X, y = signed_rows()
    objective = Objective(products_of(X), Classes.split(y), LOSSES[loss], l2=0.1)
    rng = np.random.default_rng(1)
    w, v, step = 0.3 * rng.normal(size=7), rng.normal(size=7), 1e-5
    point = objective.at(w)
    ahead, behind = (objective.at(w + sign * step * v) for sign in (1.0, -1.0))
    assert point.gradient @ v == pytest.approx((ahead.value - behind.value) / (2 * step), rel=1e-6)
    product, Xv = point.hessp(v)
    np.testing.assert_allclose(Xv, X @ v, atol=1e-12)
    expected = (ahead.gradient - behind.gradient) / (2 * step)
    np.testing.assert_allclose(product, expected, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_a_point_for_another_penalty_or_loss(loss):
    X, y = signed_rows()
    products, classes, w = products_of(X), Classes.split(y), np.linspace(-0.3, 0.4, 7)
    other = Objective(products, classes, LOSSES[loss], l2=0.7)
    reused = Objective(products, classes, LOSSES["squared_hinge"], l2=0.1).at(w).for_objective(other)
    new = other.at(w)
    assert reused.value == new.value
    np.testing.assert_array_equal(reused.gradient, new.gradient)
    assert reused.slope(w, X @ w) == pytest.approx(new.gradient @ w)
