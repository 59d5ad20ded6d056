"""Newton's method on functions that have nothing to do with AUC."""

import numpy as np
import pytest

from aucmax.batch.newton import GradientNorm, Limits, conjugate_gradients, line_search, minimise


class Quadratic:
    """``w'H w/2 - b.w``, with ``w`` as its own Xw."""

    def __init__(self, H, b):
        self.H, self.b = H, b

    def at(self, w, Xw=None):
        return QuadraticPoint(self, w)


class QuadraticPoint:
    def __init__(self, function, w):
        self.function, self.w, self.Xw = function, w, w
        self.value = 0.5 * w @ function.H @ w - function.b @ w
        self.gradient = function.H @ w - function.b

    def slope(self, v, Xv):
        return self.gradient @ v

    def hessp(self, v):
        return self.function.H @ v, v


class Softplus:
    """``sum log(1 + exp(a_i w_i)) + |w|^2/2``: its Newton steps from afar overshoot."""

    a = np.array([30.0, -8.0, 1.0])

    def at(self, w, Xw=None):
        return SoftplusPoint(self.a, w)


class SoftplusPoint:
    def __init__(self, a, w):
        self.a, self.w, self.Xw = a, w, w
        self.value = float(np.logaddexp(0.0, a * w).sum() + 0.5 * w @ w)
        self.p = np.exp(-np.logaddexp(0.0, -a * w))
        self.gradient = a * self.p + w

    def slope(self, v, Xv):
        return self.gradient @ v

    def hessp(self, v):
        return (self.a**2 * self.p * (1 - self.p) + 1.0) * v, v


def plain(point):
    return lambda r: r


def test_quadratic_with_columns_of_very_different_scales():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 8)) * np.logspace(-3, 3, 8)
    H, b = A.T @ A, rng.normal(size=8) * np.logspace(-3, 3, 8)
    function, scale = Quadratic(H, b), np.diagonal(H).copy()
    start = function.at(np.zeros(8))
    gradient_norm = GradientNorm.relative_to(start.gradient, scale)
    result = minimise(function, start, gradient_norm, lambda point: lambda r: r / scale, Limits(1e-9, 20))
    assert result.converged
    np.testing.assert_allclose(result.point.w, np.linalg.solve(H, b), rtol=1e-5)


def test_line_search_shortens_a_step_that_overshoots():
    function = Softplus()
    start = function.at(np.array([5.0, -5.0, 5.0]))
    gradient_norm = GradientNorm.relative_to(start.gradient, np.ones(3))
    values = []
    result = minimise(
        function,
        start,
        gradient_norm,
        plain,
        Limits(1e-10, 50, report=lambda step, point, optimality: values.append(point.value)),
    )
    assert result.converged
    assert np.all(np.diff(values) <= 0.0)
    assert np.abs(result.point.gradient).max() < 1e-8


def test_not_converged_at_max_iter():
    function = Softplus()
    start = function.at(np.array([5.0, -5.0, 5.0]))
    result = minimise(
        function, start, GradientNorm.relative_to(start.gradient, np.ones(3)), plain, Limits(1e-12, 1)
    )
    assert not result.converged
    assert result.n_iter == 1


def test_flat_directions_do_not_divide_by_zero():
    function = Quadratic(np.zeros((2, 2)), np.zeros(2))
    point = function.at(np.ones(2))
    p, _ = conjugate_gradients(point, lambda r: r, 0.1)
    assert np.all(np.isfinite(p))
    assert line_search(function, point, p, p) is None or np.all(p == 0.0)


def test_gradient_norm_counts_columns_with_small_entries():
    gradient_norm = GradientNorm.relative_to(np.array([1e6, 1e-6]), np.array([1e12, 1e-12]))
    assert gradient_norm(np.array([0.0, 1e-6])) == pytest.approx(np.sqrt(0.5))


def test_a_short_step_is_lengthened():
    function = Quadratic(np.diag([1.0, 4.0]), np.array([1.0, 2.0]))
    point = function.at(np.zeros(2))
    newton = np.array([1.0, 0.5])
    found = line_search(function, point, 0.6 * newton, 0.6 * newton)
    np.testing.assert_allclose(found.w, newton)


def test_a_first_trial_of_another_length():
    function = Quadratic(np.diag([1.0, 4.0]), np.array([1.0, 2.0]))
    point, newton = function.at(np.zeros(2)), np.array([1.0, 0.5])
    for first, length in ((2.0, 2.0), (1.0, 2.0), (16.0, 2.0)):  # one that is good, too short, and too long

        def first_trial(point, p, Xp, first=first):
            return first, function.at(point.w + first * p)

        found = line_search(function, point, 0.5 * newton, 0.5 * newton, first_trial=first_trial)
        np.testing.assert_allclose(found.w, 0.5 * length * newton)


def test_conjugate_gradients_stop_at_a_small_enough_residual():
    point = Quadratic(np.diag([1.0, 10.0, 100.0]), np.ones(3)).at(np.zeros(3))
    seen = []
    p, _ = conjugate_gradients(point, lambda r: r, 1e-12, lambda r: len(seen.append(r) or seen) == 2)
    assert len(seen) == 2
    np.testing.assert_allclose(point.function.H @ p + seen[-1], 1.0)


@pytest.mark.parametrize("overshoot", [1.5, 30.0, 1e6])
def test_little_of_the_slope_is_left_after_a_step_that_overshoots(overshoot):
    function = Softplus()
    point = function.at(np.array([0.5, -0.5, 1.0]))
    p = -overshoot * point.gradient
    found = line_search(function, point, p, p)
    assert abs(found.gradient @ p) <= 0.1 * abs(point.gradient @ p)
    assert found.value < point.value
