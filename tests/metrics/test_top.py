"""Recall, precision and lift against a count in fractions; average precision against scikit-learn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.metrics import average_precision_score

from aucmax.metrics import average_precision, top
from metrics.problems import problem
from oracles import ranking


@given(st.integers(0, 10**6), st.floats(0.001, 0.999), st.booleans(), st.integers(1, 41))
@settings(max_examples=200, deadline=None)
def test_rates_are_expected_values_over_the_order_of_ties(seed, share, weighted, n_pos):
    y, score = problem(seed, n_pos, 42 - n_pos)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, size=y.size) if weighted else np.ones(y.size, dtype=int)
    weight[[y.argmax(), y.argmin()]] = 1  # of either class
    (found,) = top(y, score, share, sample_weight=weight if weighted else None)
    total, positives = int(weight.sum()), int(weight[y == 1].sum())
    cut = Fraction(share) * total
    hits = ranking.expected_hits(y.tolist(), score.tolist(), weight.tolist(), cut)
    assert found.alerts == pytest.approx(float(cut), rel=1e-12)
    assert found.recall.value == pytest.approx(float(hits / positives), abs=1e-12)
    assert found.precision.value == pytest.approx(float(hits / cut), abs=1e-12)
    assert found.lift.value == pytest.approx(float(hits / cut / Fraction(positives, total)), abs=1e-10)
    assert found.threshold == max(s for s in set(score) if weight[score >= s].sum() >= cut * (1 - 1e-12))
    for rate in (found.recall, found.precision, found.lift):
        assert 0 <= rate.low <= rate.value + 1e-12
        assert rate.value <= rate.high + 1e-12
    assert found.recall.high <= 1
    assert found.precision.high <= 1


def test_all_orders_of_tied_rows_have_this_mean():
    y, score = np.array([1, 0, 0, 1, 0, 1, 0, 0]), np.array([5.0, 4, 3, 3, 3, 3, 1, 0])
    rng, recalls = np.random.default_rng(0), []
    for _ in range(4000):
        order = np.lexsort([rng.random(8), -score])
        recalls.append(y[order][:4].sum() / 3)
    (found,) = top(y, score, 0.5)
    assert found.recall.value == pytest.approx(np.mean(recalls), abs=0.01)
    assert found.recall.value == pytest.approx(2 / 3)
    assert found.threshold == 3


def test_weights_repeat_rows():
    y, score = problem(1)
    weight = np.random.default_rng(1).integers(0, 3, size=y.size)
    by_weight = top(y, score, (0.1, 0.3), sample_weight=weight)
    repeated = top(np.repeat(y, weight), np.repeat(score, weight), (0.1, 0.3))
    for a, b in zip(by_weight, repeated, strict=True):
        assert a[:3] == pytest.approx(b[:3])
        assert (a.recall.value, a.precision.value) == pytest.approx((b.recall.value, b.precision.value))
        # Repeated rows say no more than one of them, but look as if they did.
        assert a.recall.high - a.recall.low > b.recall.high - b.recall.low
    huge = top(y, score, (0.1, 0.3), sample_weight=weight * 1e300)
    for a, b in zip(by_weight, huge, strict=True):
        assert a.recall == pytest.approx(b.recall)
        assert a.precision == pytest.approx(b.precision)


@pytest.mark.parametrize(("n", "positive", "shift"), [(2000, 0.05, 1.5), (5000, 0.01, 3.0), (2000, 0.3, 2.0)])
def test_coverage(n, positive, shift):
    """The share of positives, recall and precision of the population; a plain Wilson interval covers 81 %."""
    shares, repeats, rng = (0.05, 0.1, 0.3), 600, np.random.default_rng(0)
    covered, truth = np.zeros((3, 2)), []
    for share in shares:
        cut = optimize.brentq(
            lambda c, q=share: positive * stats.norm.sf(c - shift) + (1 - positive) * stats.norm.sf(c) - q,
            -9,
            9,
        )
        truth.append((stats.norm.sf(cut - shift), stats.norm.sf(cut - shift) * positive / share))
    for _ in range(repeats):
        y = rng.random(n) < positive
        for k, found in enumerate(top(y, rng.normal(size=n) + shift * y, shares)):
            for j, rate in enumerate((found.recall, found.precision)):
                covered[k, j] += rate.low <= truth[k][j] <= rate.high
    noise = 3 * math.sqrt(0.05 * 0.95 / repeats)
    assert (covered / repeats > 0.93 - noise).all()


@pytest.mark.python_mode
def test_best_worst_and_tied_scores():
    y = np.repeat([1, 0], [5, 95])
    best, worst, tied = (top(y, score, 0.05)[0] for score in (y, 1 - y, np.zeros(100)))
    assert (best.recall.value, best.precision.value, best.lift.value) == (1.0, 1.0, 20.0)
    assert 0 < best.recall.low < 1 == best.recall.high
    assert (worst.recall.value, worst.recall.low) == (0.0, 0.0)
    assert 0 < worst.precision.high < 1
    assert (tied.recall.value, tied.precision.value, tied.lift.value) == pytest.approx((0.05, 0.05, 1.0))


def test_the_table_prints_one_line_for_each_fraction():
    y, score = problem(0, 30, 970)
    found = top(y, score, (0.005, 0.01, 0.1))
    lines = str(found).splitlines()
    assert [line.split()[1:3] for line in lines[1:]] == [["0.5", "%"], ["1", "%"], ["10", "%"]]
    assert lines[0].split() == ["alerts", "recall", "precision", "lift"]
    assert len({len(line) for line in lines}) == 1
    assert max(map(len, lines)) <= 90
    assert f"{found[2].recall.value:.3f}" in lines[3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([0, 1], [0, 1], (0.1, 1.5)),
            r"fractions must be one or more numbers between 0 and 1; got \[0.1, 1.5\]",
        ),
        (([0, 1], [0, 1], 0), r"fractions must be one or more numbers between 0 and 1; got \[0\]"),
        (([0, 1], [0, 1], ()), "fractions must be one or more numbers between 0 and 1"),
        (([0, 1], [0, 1], "all"), r"numbers between 0 and 1; got \['all'\]"),
        (([1, 1], [0, 1], 0.1), "there is only one class: 1"),
        (([0, 1], [0, math.nan], 0.1), "score is nan at row 1"),
        (([0, 1], [0, 1, 2], 0.1), "y has 2 rows and score has 3"),
        (([0, 1], [0, 1], 0.1, 0.95, [1, 0]), "sample_weight is zero on every positive row"),
        (([0, 1], [0, 1], 0.1, 0.95, [1, -1]), "sample_weight is -1 at row 1"),
        (([0, 1], [0, 1], 0.1, 2), "level must be a number between 0 and 1; got 2"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        top(*arguments)


@given(st.integers(0, 10**6), st.integers(0, 3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_average_precision_equals_scikit_learn(seed, decimals, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    y = rng.permutation(np.arange(n) % 4 == 0)
    y[0] = True
    y[1] = False
    score = np.round(rng.normal(size=n) + y, decimals)
    weight = rng.random(n) * (rng.random(n) < 0.8) + (np.arange(n) < 2) if weighted else None
    assert average_precision(y, score, weight) == pytest.approx(
        average_precision_score(y, score, sample_weight=weight), abs=1e-12
    )


@pytest.mark.python_mode
def test_average_precision_of_best_worst_and_tied_scores():
    y = np.repeat([1, 0], [5, 95])
    assert average_precision(y, y) == 1.0
    assert average_precision(y, np.zeros(100)) == pytest.approx(0.05)
    assert average_precision(y, -np.arange(100.0)[::-1]) == pytest.approx(
        np.mean(np.arange(1, 6) / np.arange(96, 101))
    )
    assert average_precision(y, y, np.full(100, 1e-300)) == 1.0


def test_average_precision_refuses_bad_input():
    with pytest.raises(ValueError, match="sample_weight is zero on every negative row"):
        average_precision([0, 1], [1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="score is inf at row 0"):
        average_precision([0, 1], [math.inf, 2.0])
