"""The summary of held-out scores: few rows have their own thresholds, many have close ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax import AUCClassifierCV
from aucmax.held_out import N_GROUPS, HeldOutScores
from aucmax.metrics import operating_point
from metrics.problems import problem

GOALS = ({"recall": 0.8}, {"precision": 0.4}, {"alerts": 9}, {"alerts": 0.3}, {"cost": (1, 4)})


@given(st.integers(0, 10**6), st.sampled_from(GOALS), st.booleans())
@settings(max_examples=100, deadline=None)
def test_few_rows_have_the_thresholds_of_the_rows_themselves(seed, goal, reverse):
    y, score = problem(seed)
    summary = HeldOutScores.of(score, 2.0 * y - 1)
    if reverse:
        y, score, summary = 1 - y, -score, summary.reversed()
    assert summary.operating_point(**goal) == operating_point(y, score, **goal)


def test_a_weight_counts_as_rows_and_rows_without_do_not():
    y, score = problem(5)
    weight = np.random.default_rng(0).integers(0, 4, size=y.size)
    found = HeldOutScores.of(score, weight * (2.0 * y - 1)).operating_point(recall=0.7)
    assert found == operating_point(np.repeat(y, weight), np.repeat(score, weight), recall=0.7)


@pytest.mark.parametrize("reverse", [False, True])
def test_many_rows_are_summed_in_groups_that_are_small_at_the_top(reverse):
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.02
    score = rng.normal(size=y.size) + 2 * y
    summary = HeldOutScores.of(score, np.where(y, 1.0, -1.0))
    assert len(summary.low) <= N_GROUPS
    assert (summary.positive.sum(), summary.negative.sum()) == (y.sum(), (~y).sum())
    for low, high, positive, negative in list(zip(*summary, strict=True))[::50]:
        inside = (score >= low) & (score <= high)
        assert (inside & y).sum() == positive
        assert (inside & ~y).sum() == negative
    if reverse:
        y, score, summary = ~y, -score, summary.reversed()
    for goal in (
        {"recall": 0.9},
        {"recall": 0.1},
        {"cost": (1, 20)},
        {"alerts": 1000 if not reverse else 0.9},
    ):
        found, exact = summary.operating_point(**goal), operating_point(y, score, **goal)
        assert found.recall.value == pytest.approx(exact.recall.value, abs=0.003)
        assert found.fraction == pytest.approx(exact.fraction, rel=0.02)


def test_the_model_keeps_scores_of_rows_that_were_held_out():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5))
    y = X[:, 0] + rng.normal(size=400) > 1
    model = AUCClassifierCV().fit(X, y)
    assert model.held_out_.positive.sum() == y.sum()
    assert model.held_out_.negative.sum() == (~y).sum()
    fresh = rng.normal(size=(20_000, 5))
    labels = fresh[:, 0] + rng.normal(size=20_000) > 1
    point = model.held_out_.operating_point(recall=0.8)
    new = operating_point(labels, model.decision_function(fresh), threshold=point.threshold)
    assert point.recall.low < new.recall.value < point.recall.high
    assert point.precision.low < new.precision.value < point.precision.high
