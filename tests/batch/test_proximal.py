"""The quadratic model of the elastic net."""

import numpy as np
import pytest

from aucmax.batch.proximal import kkt_residual, minimise_quadratic


@pytest.mark.parametrize("rank", [3, 12])
@pytest.mark.parametrize("l1", [0.01, 0.5, 100.0])
def test_minimise_quadratic_satisfies_the_optimality_conditions(rank, l1):
    rng = np.random.default_rng(rank)
    A, start = rng.normal(size=(rank, 12)), rng.normal(size=12) * (rng.random(12) < 0.5)
    hessian, gradient = A.T @ A + 1e-2 * np.eye(12), rng.normal(size=12)
    w = minimise_quadratic(hessian, gradient, start, l1)
    slope = gradient + hessian @ (w - start)
    assert np.abs(kkt_residual(w, slope, l1)).max() < 1e-6


def test_minimise_quadratic_with_a_flat_coordinate():
    found = minimise_quadratic(np.diag([1.0, 0.0]), np.array([-1.0, 0.0]), np.array([0.0, 2.0]), 0.25)
    np.testing.assert_allclose(found, [0.75, 0.0])


def test_minimise_quadratic_with_equal_columns():
    hessian = np.full((3, 3), 2.0)
    found = minimise_quadratic(hessian, np.full(3, -1.0), np.zeros(3), 0.5)
    assert found.sum() == pytest.approx(0.25)
