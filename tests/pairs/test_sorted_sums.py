"""Sorting of a class, and losses summed over sorted scores."""

import numpy as np
import pytest

from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sorted_sums import sort_class
from aucmax.pairs.sums import Classes
from oracles.pairs import pair_sums
from pairs.problems import assert_close


@pytest.mark.python_mode
def test_rows_of_a_class_are_sorted_and_ties_keep_their_order():
    rng = np.random.default_rng(0)
    score, weight = np.round(rng.normal(size=300), 1), rng.random(300)
    rows = np.flatnonzero(rng.random(300) < 0.7)
    order = np.argsort(score[rows], kind="stable")
    sorted_rows, sorted_score, sorted_weight = sort_class(score, rows, weight[rows])
    np.testing.assert_array_equal(sorted_rows, rows[order])
    np.testing.assert_array_equal(sorted_score, np.sort(score[rows]))
    np.testing.assert_array_equal(sorted_weight, weight[rows][order])


@pytest.mark.parametrize("name", ["squared_hinge", "hinge"])
def test_a_far_score_does_not_disturb_the_others(name):
    rng = np.random.default_rng(0)
    score, y = np.append(rng.normal(size=299), 1e9), np.where(rng.random(300) < 0.5, 1.0, -1.0)
    value, gradient, _, _ = pair_sums(LOSSES[name], score, y, score)
    sums = LOSSES[name].sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-9)
    assert_close(sums.gradient(), gradient, 1e-9)
