"""The p-norm push against every pair, for every loss, and its convexity."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aucmax.pairs.losses import LOSSES, Loss, SmoothedHinge
from aucmax.pairs.push import Pushed, push_loss
from aucmax.pairs.sums import Classes
from aucmax.validation.errors import ParameterError
from oracles.push import pushed_sums
from pairs.problems import NarrowCells, assert_close, draw_scores


class Softplus(Loss):
    """A smooth loss of one's own, never negative."""

    tail = 40.0

    def value(self, margin):
        return np.logaddexp(0.0, 1.0 - margin)

    def derivative(self, margin):
        return -np.exp(-np.logaddexp(0.0, margin - 1.0))

    def second(self, margin):
        return np.exp(-np.logaddexp(0.0, margin - 1.0) - np.logaddexp(0.0, 1.0 - margin))


SMOOTH = {name: loss for name, loss in LOSSES.items() if not loss.kinked}
SMOOTH |= {"smoothed_hinge": SmoothedHinge(0.3), "own": Softplus()}
PUSHES = [1.0, 1.5, 2.0, 8.0, 100.0]


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", list(SMOOTH))
@pytest.mark.parametrize(("spread", "ties"), [(0.0, True), (0.5, True), (3.0, False), (30.0, False)])
@pytest.mark.python_mode
def test_sums_equal_those_over_every_pair(name, push, spread, ties):
    score, y, t = draw_scores(0, 60, spread, ties)
    score[y > 0] += 0.0137  # no pair lies exactly at a kink of the derivative
    value, gradient, hessian = pushed_sums(SMOOTH[name], push, score, y)
    sums = Pushed(SMOOTH[name], push).sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-10)
    assert_close(sums.gradient(), gradient, 1e-10)
    atol = 1e-10 * (np.abs(hessian @ t).max() + np.abs(gradient).max())  # both may cancel to zero
    np.testing.assert_allclose(sums.curvature(t), hessian @ t, rtol=1e-10, atol=atol)
    diagonal, exact = sums.diagonal(), np.diagonal(hessian)
    np.testing.assert_allclose(diagonal[y < 0], exact[y < 0], rtol=1e-10, atol=atol)
    assert np.all(diagonal[y > 0] <= exact[y > 0] + atol)


@pytest.mark.parametrize("push", PUSHES)
def test_hinge_equals_that_over_every_pair(push):
    score, y, _ = draw_scores(3, 60, 1.0, ties=False)
    value, gradient, _ = pushed_sums(LOSSES["hinge"], push, score, y)
    sums = Pushed(LOSSES["hinge"], push).sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-10)
    assert_close(sums.gradient(), gradient, 1e-10)


@pytest.mark.parametrize("push", [1.5, 2.0, 8.0])
@pytest.mark.parametrize("name", list(SMOOTH))
def test_gradient_and_curvature_are_derivatives_of_the_value(name, push):
    score, y, t = draw_scores(1, 200, 1.3, ties=False)
    loss, classes, step = Pushed(SMOOTH[name], push), Classes.split(y), 1e-5
    ahead, behind = (loss.sums(classes, score + sign * step * t) for sign in (1.0, -1.0))
    here = loss.sums(classes, score)
    assert here.gradient() @ t == pytest.approx((ahead.value - behind.value) / (2 * step), rel=1e-6)
    assert_close(here.curvature(t), (ahead.gradient() - behind.gradient()) / (2 * step), 2e-3)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(set(SMOOTH) | {"hinge"})),
    st.sampled_from([1.0, 1.3, 2.0, 4.0, 50.0, 1e4]),
    st.lists(
        st.tuples(st.floats(-15, 15), st.floats(-15, 15), st.booleans(), st.integers(1, 3)),
        min_size=2,
        max_size=12,
    ),
    st.floats(0, 1),
)
@example("smoothed_hinge", 1e4, [(0.0, 0.0, False, 1), (0.0, 0.0, False, 2), (4.0, 0.0, False, 1)], 0.0)
def test_pushed_mean_is_convex_and_above_its_tangents(name, push, rows, share):
    first, second = (np.array([row[k] for row in rows]) for k in (0, 1))
    y = np.array([row[3] if row[2] else -row[3] for row in rows], dtype=float)
    y[0], y[1] = abs(y[0]), -abs(y[1])
    loss, classes = Pushed({**SMOOTH, **LOSSES}[name], push), Classes.split(y)
    between = share * first + (1 - share) * second
    values = [loss.sums(classes, score).value for score in (first, second, between)]
    slack = 1e-9 * (1.0 + max(values))
    assert values[2] <= share * values[0] + (1 - share) * values[1] + slack
    here = loss.sums(classes, first)
    assert values[1] >= values[0] + here.gradient() @ (second - first) - slack
    if name != "hinge":
        t = second - first
        assert t @ here.curvature(t) >= -1e-8 * (1.0 + np.abs(here.curvature(t)) @ np.abs(t))


@pytest.mark.parametrize("name", list(SMOOTH))
def test_larger_pushes_lie_between_the_mean_and_the_largest_loss(name):
    score, y, _ = draw_scores(4, 80, 1.0, ties=True)
    classes = Classes.split(y)
    plain = SMOOTH[name].sums(classes, score)
    values = [Pushed(SMOOTH[name], push).sums(classes, score).value for push in (1.0, 2.0, 10.0, 1e3, 1e6)]
    assert values[0] == pytest.approx(plain.value, rel=1e-10)
    assert np.all(np.diff(values) >= 0.0)
    assert values[-1] == pytest.approx(plain.negative_losses().max(), rel=1e-4)


@pytest.mark.parametrize("name", ["squared_hinge", "smoothed_hinge"])
@pytest.mark.parametrize("push", [1.2, 2.0, 100.0])
def test_no_loss_left(name, push):
    score, y = np.array([3.0, 4.0, 0.0, 1.0]), np.array([1.0, 1.0, -1.0, -2.0])
    sums = Pushed(SMOOTH[name], push).sums(Classes.split(y), score)
    assert sums.value == 0.0
    for derivative in (sums.gradient(), sums.curvature(score), sums.diagonal()):
        np.testing.assert_array_equal(derivative, np.zeros(4))


def test_values_beyond_all_numbers_are_infinite():
    score, y = np.array([-500.0, 400.0, 0.0]), np.array([1.0, -1.0, -1.0])
    assert Pushed(LOSSES["exponential"], 4.0).sums(Classes.split(y), score).value == np.inf


@pytest.mark.parametrize("push", PUSHES)
def test_smoothed_losses_lie_within_half_the_smoothing(push):
    hinge, classes = Pushed(LOSSES["hinge"], push), None
    for seed in range(5):
        score, y, _ = draw_scores(seed, 50, 2.0, ties=True)
        classes = Classes.split(y)
        gap = hinge.sums(classes, score).value - hinge.smoothed(0.4).sums(classes, score).value
        assert -1e-12 <= gap <= 0.2 + 1e-12


def test_one_is_the_loss_itself_and_losses_below_zero_are_refused():
    assert push_loss(LOSSES["logistic"], 1.0) is LOSSES["logistic"]
    assert push_loss(LOSSES["logistic"], 2) == Pushed(LOSSES["logistic"], 2.0)
    assert push_loss(NarrowCells(), 1) is not None
    with pytest.raises(ParameterError, match="push must be 1 for a loss that goes below zero .* margin 100"):
        push_loss(NarrowCells(), 2.0)
