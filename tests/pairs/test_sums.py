"""Sums over all pairs against one pair at a time, for every loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.pairs.sums import Classes
from oracles.pairs import pair_sums
from pairs.problems import ALL_LOSSES, assert_close, draw_scores


@pytest.mark.parametrize("name", list(ALL_LOSSES))
@pytest.mark.parametrize(("spread", "ties"), [(0.0, True), (0.5, True), (3.0, False), (30.0, True)])
@pytest.mark.python_mode
def test_sums_equal_those_over_every_pair(name, spread, ties):
    score, y, t = draw_scores(0, 60, spread, ties)
    value, gradient, curvature, diagonal = pair_sums(ALL_LOSSES[name], score, y, t)
    sums = ALL_LOSSES[name].sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9)
    assert_close(sums.gradient(), gradient, 1e-9)
    if not (name in ("squared_hinge", "smoothed_hinge") and ties):  # a pair at the kink may count or not
        assert_close(sums.curvature(t), curvature, 1e-9)
        assert_close(sums.diagonal(), diagonal, 1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(set(ALL_LOSSES) - {"own"})),
    st.lists(st.tuples(st.floats(-20, 20), st.booleans(), st.integers(1, 3)), min_size=2, max_size=12),
)
def test_value_and_gradient_for_any_scores(name, rows):
    score = np.array([row[0] for row in rows])
    y = np.array([row[2] if row[1] else -row[2] for row in rows], dtype=float)
    y[0], y[1] = abs(y[0]), -abs(y[1])
    value, gradient, _, _ = pair_sums(ALL_LOSSES[name], score, y, score)
    sums = ALL_LOSSES[name].sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9, abs=1e-12)
    if name != "hinge" or not _at_the_kink(score, y):
        assert_close(sums.gradient(), gradient, 1e-9)


def _at_the_kink(score, y):
    margin = score[y > 0][:, None] - score[y < 0]
    return np.any(np.abs(margin - 1.0) < 1e-9)


@pytest.mark.parametrize("name", sorted(set(ALL_LOSSES) - {"hinge"}))
def test_gradient_and_curvature_are_derivatives_of_the_value(name):
    score, y, t = draw_scores(1, 200, 1.3, ties=False)
    classes, step = Classes.split(y), 1e-5
    ahead, behind = (ALL_LOSSES[name].sums(classes, score + sign * step * t) for sign in (1.0, -1.0))
    here = ALL_LOSSES[name].sums(classes, score)
    assert here.gradient() @ t == pytest.approx((ahead.value - behind.value) / (2 * step), rel=1e-6)
    assert_close(here.curvature(t), (ahead.gradient() - behind.gradient()) / (2 * step), 2e-3)


def test_classes_and_their_values_by_row():
    classes = Classes.split(np.array([2.0, -1.0, 0.0, 6.0, -3.0]))
    np.testing.assert_array_equal(classes.pos_weight, [0.25, 0.75])
    np.testing.assert_array_equal(classes.neg_weight, [0.25, 0.75])
    by_row = classes.by_row(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.testing.assert_array_equal(by_row, [1.0, 3.0, 0.0, 2.0, 4.0])
