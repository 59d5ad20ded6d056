"""Losses and their sums over all pairs, against one pair at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.pairs.losses import LOSSES, Logistic, Loss, SmoothedHinge, get_loss, pair_value
from aucmax.pairs.sorted_sums import bucket_sort
from aucmax.pairs.sums import Classes

ALL = {**LOSSES, "smoothed_hinge": SmoothedHinge(0.3)}
BENDING = [name for name in ALL if name != "hinge"]


class Wide(Loss):
    """A smooth loss without straight tails."""

    def value(self, margin):
        return np.sqrt(1.0 + (margin - 1.0) ** 2) - margin

    def derivative(self, margin):
        return (margin - 1.0) / np.sqrt(1.0 + (margin - 1.0) ** 2) - 1.0

    def second(self, margin):
        return (1.0 + (margin - 1.0) ** 2) ** -1.5


class Narrow(Wide):
    """The same, cut into cells small enough for its curvature_scale."""

    width = 0.4


ALL["own"] = Narrow()
BENDING.append("own")


def by_pairs(loss, score, y, t):
    """Value, gradient, curvature times ``t`` and its diagonal, from every pair."""
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    weight = np.outer(y[pos], -y[neg])
    weight = weight / weight.sum()
    margin = score[pos][:, None] - score[neg]
    slope, curvature_scale = weight * loss.derivative(margin), weight * loss.second(margin)
    gradient, curvature, mass = np.zeros((3, len(score)))
    gradient[pos], gradient[neg] = slope.sum(axis=1), -slope.sum(axis=0)
    moved = curvature_scale * (t[pos][:, None] - t[neg])
    curvature[pos], curvature[neg] = moved.sum(axis=1), -moved.sum(axis=0)
    mass[pos], mass[neg] = curvature_scale.sum(axis=1), curvature_scale.sum(axis=0)
    return (weight * loss.value(margin)).sum(), gradient, curvature, mass


def close(found, wanted, relative):
    np.testing.assert_allclose(found, wanted, rtol=relative, atol=relative * (np.abs(wanted).max() + 1e-300))


def draw(seed, n, spread, ties):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n) * spread
    if ties:
        score = np.round(score * 4.0) / 4.0
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0) * rng.integers(1, 4, n)
    y[:2] = 1.0, -2.0
    return score, y, rng.normal(size=n)


@pytest.mark.parametrize("name", list(ALL))
@pytest.mark.parametrize(("spread", "ties"), [(0.0, True), (0.5, True), (3.0, False), (30.0, True)])
@pytest.mark.python_mode
def test_sums_equal_those_over_every_pair(name, spread, ties):
    score, y, t = draw(0, 60, spread, ties)
    value, gradient, curvature, mass = by_pairs(ALL[name], score, y, t)
    sums = ALL[name].sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9)
    close(sums.gradient(), gradient, 1e-9)
    if not (name in ("squared_hinge", "smoothed_hinge") and ties):  # a pair at the kink may count or not
        close(sums.curvature(t), curvature, 1e-9)
        close(sums.diagonal(), mass, 1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(set(ALL) - {"own"})),
    st.lists(st.tuples(st.floats(-20, 20), st.booleans(), st.integers(1, 3)), min_size=2, max_size=12),
)
def test_value_and_gradient_for_any_scores(name, rows):
    score = np.array([row[0] for row in rows])
    y = np.array([row[2] if row[1] else -row[2] for row in rows], dtype=float)
    y[0], y[1] = abs(y[0]), -abs(y[1])
    value, gradient, _, _ = by_pairs(ALL[name], score, y, score)
    sums = ALL[name].sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9, abs=1e-12)
    if name != "hinge" or not _at_the_kink(score, y):
        close(sums.gradient(), gradient, 1e-9)


def _at_the_kink(score, y):
    margin = score[y > 0][:, None] - score[y < 0]
    return np.any(np.abs(margin - 1.0) < 1e-9)


@pytest.mark.parametrize("name", list(ALL))
def test_derivatives_are_those_of_the_value(name):
    loss = ALL[name]
    margin = np.linspace(-6.03, 6.07, 301)
    step = 1e-5
    slope = (loss.value(margin + step) - loss.value(margin - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.derivative(margin), slope, rtol=1e-6, atol=1e-6)
    curvature_scale = (loss.derivative(margin + step) - loss.derivative(margin - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.second(margin), curvature_scale, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", BENDING)
def test_gradient_and_curvature_are_derivatives_of_the_value(name):
    score, y, t = draw(1, 200, 1.3, ties=False)
    classes, step = Classes.split(y), 1e-5
    ahead, behind = (ALL[name].sums(classes, score + sign * step * t) for sign in (1.0, -1.0))
    here = ALL[name].sums(classes, score)
    assert here.gradient() @ t == pytest.approx((ahead.value - behind.value) / (2 * step), rel=1e-6)
    close(here.curvature(t), (ahead.gradient() - behind.gradient()) / (2 * step), 2e-3)


@pytest.mark.parametrize("name", list(ALL))
def test_integer_weights_equal_repeated_rows(name):
    score, y, _ = draw(2, 40, 2.0, ties=True)
    times = np.abs(y).astype(int)
    assert pair_value(ALL[name], score, y) == pytest.approx(
        pair_value(ALL[name], np.repeat(score, times), np.repeat(np.sign(y), times)), rel=1e-12
    )


def test_far_scores_do_not_hurt_the_logistic_loss():
    score, y, t = draw(3, 80, 1e6, ties=False)
    value, gradient, curvature, _ = by_pairs(Logistic(), score, y, t)
    sums = Logistic().sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-12)
    close(sums.gradient(), gradient, 1e-12)
    np.testing.assert_allclose(sums.curvature(t), curvature, atol=1e-12)


def test_exponential_loss_overflows_to_infinity_only():
    score = np.array([-2000.0, 2000.0])
    assert pair_value("exponential", score, np.array([1.0, -1.0])) == np.inf
    assert pair_value("exponential", score, np.array([-1.0, 1.0])) == 0.0


def test_a_loss_with_a_kink_or_too_wide_cells_is_refused():
    class Kinked(Loss):
        def value(self, margin):
            return np.abs(margin - 0.3)

        def derivative(self, margin):
            return np.sign(margin - 0.3)

        def second(self, margin):
            return np.zeros_like(margin)

    for loss in (Kinked(), Wide()):
        with pytest.raises(ValueError, match="not smooth enough"):
            pair_value(loss, np.array([1.0, 0.1]), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="too far"):
        pair_value(Narrow(), np.array([1e6, 0.0]), np.array([1.0, -1.0]))


def test_names():
    assert get_loss("hinge") is LOSSES["hinge"]
    own = Wide()
    assert get_loss(own) is own
    with pytest.raises(ValueError, match="squared_hinge, hinge, logistic"):
        get_loss("zero_one")


@pytest.mark.python_mode
def test_bucket_sort_is_stable_and_gives_up_on_crowds():
    rng = np.random.default_rng(0)
    score = np.round(rng.normal(size=300), 1)
    rows = np.flatnonzero(rng.random(300) < 0.7)
    done, order, key = bucket_sort(score, rows)
    assert done
    np.testing.assert_array_equal(order, np.argsort(score[rows], kind="stable"))
    np.testing.assert_array_equal(key, np.sort(score[rows]))
    crowded = np.append(rng.normal(size=299), 1e9)
    assert not bucket_sort(crowded, np.arange(300))[0]
    assert pair_value("squared_hinge", crowded, np.where(rng.random(300) < 0.5, 1.0, -1.0)) > 0.0
