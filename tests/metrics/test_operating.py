"""Thresholds for a goal against a search over every score in fractions, and the rates there by counting."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aucmax.metrics import operating_point
from aucmax.validation.errors import DataError, ParameterError
from metrics.problems import problem
from oracles import ranking

SHARES = st.fractions(Fraction(1, 50), 1, max_denominator=50)
GOALS = st.one_of(
    st.tuples(st.just("recall"), SHARES),
    st.tuples(st.just("precision"), SHARES),
    st.tuples(st.just("alerts"), SHARES | st.integers(1, 120)),
    st.tuples(st.just("cost"), st.tuples(st.integers(0, 5), st.integers(0, 50)).filter(any)),
)


@given(st.integers(0, 10**6), GOALS, st.booleans(), st.integers(1, 41))
@settings(max_examples=300, deadline=None)
def test_the_threshold_is_that_of_a_search_over_all_scores(seed, goal, weighted, n_pos):
    y, score = problem(seed, n_pos, 42 - n_pos)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, size=y.size) if weighted else np.ones(y.size, dtype=int)
    weight[[y.argmax(), y.argmin()]] = 1  # of either class
    name, value = goal
    expected = ranking.operating_threshold(y.tolist(), score.tolist(), weight.tolist(), name, value)
    given = value if name == "cost" else float(value)
    arguments = {name: given, "sample_weight": weight if weighted else None}
    if expected is None:
        with pytest.raises(DataError, match="no threshold has"):
            operating_point(y, score, **arguments)
        return
    found = operating_point(y, score, **arguments)
    above = score >= found.threshold
    if expected == math.inf:
        assert found.threshold > score[weight > 0].max()
        assert found.alerts == 0
        assert math.isnan(found.precision.value)
    else:
        assert found.threshold == expected
        assert found.precision.value == pytest.approx(np.average(y[above], weights=weight[above]))
    assert found.alerts == pytest.approx(weight[above].sum())
    assert found.fraction == pytest.approx(weight[above].sum() / weight.sum())
    for rate, label in ((found.recall, 1), (found.fpr, 0)):
        assert rate.value == pytest.approx(np.average(above[y == label], weights=weight[y == label]))
    for rate in (found.recall, found.fpr):
        assert 0 <= rate.low <= rate.value + 1e-12
        assert rate.value - 1e-12 <= rate.high <= 1


def test_weights_repeat_rows():
    y, score = problem(1)
    weight = np.random.default_rng(1).integers(0, 3, size=y.size)
    for goal in ({"recall": 0.8}, {"precision": 0.5}, {"alerts": 9}, {"cost": (1, 4)}, {"threshold": 0.5}):
        by_weight = operating_point(y, score, sample_weight=weight, **goal)
        repeated = operating_point(np.repeat(y, weight), np.repeat(score, weight), **goal)
        assert by_weight[:3] == pytest.approx(repeated[:3])
        values = [[rate.value for rate in found[3:]] for found in (by_weight, repeated)]
        assert values[0] == pytest.approx(values[1])


def test_intervals_are_wilsons():
    y, score = problem(3)
    found = operating_point(y, score, threshold=0.7, level=0.9)
    above = score >= 0.7
    for rate, rows in (
        (found.recall, above[y == 1]),
        (found.fpr, above[y == 0]),
        (found.precision, y[above]),
    ):
        interval = stats.binomtest(int(rows.sum()), rows.size).proportion_ci(0.9, "wilson")
        assert (rate.low, rate.high) == pytest.approx(tuple(interval))


def test_the_interval_covers_the_true_recall():
    rng, covered = np.random.default_rng(0), 0
    for _ in range(400):
        y = np.arange(300) % 5 == 0
        score = rng.normal(size=300) + 1.5 * y
        found = operating_point(y, score, threshold=1.0).recall
        covered += found.low <= stats.norm.sf(-0.5) <= found.high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {},
            "threshold must be given alone, or one of recall, precision, alerts and cost instead; got None.",
        ),
        ({"recall": 0.5, "cost": (1, 2)}, "instead; got 'recall, cost'."),
        ({"recall": 0}, "recall must be a number above 0 and at most 1; got 0."),
        ({"precision": 1.2}, "precision must be a number above 0 and at most 1; got 1.2."),
        ({"alerts": -3}, "alerts must be a finite number above 0; got -3."),
        ({"threshold": math.nan}, "threshold must be a finite number; got nan."),
        ({"cost": (0, 0)}, "not both 0; got (0, 0)."),
        ({"cost": 3}, "cost must be two costs of at least 0"),
    ],
)
def test_wrong_goals_are_named(arguments, message):
    with pytest.raises(ParameterError) as error:
        operating_point([0, 1], [0.0, 1.0], **arguments)
    assert message in str(error.value)


def test_goals_out_of_reach_are_named():
    with pytest.raises(DataError, match=r"no threshold has a precision of 0\.9; the highest is 0\.5; give a"):
        operating_point([0, 1, 0, 0], [1.0, 1.0, 0.0, -1.0], precision=0.9)
    with pytest.raises(DataError, match=r"at most 1 alerts: the highest score has 2; raise alerts\."):
        operating_point([0, 1, 0, 0], [1.0, 1.0, 0.0, -1.0], alerts=1)
