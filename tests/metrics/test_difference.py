"""DeLong's paired test against placements over all pairs, and that of partial areas against derivatives."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from aucmax.metrics import auc, auc_difference, partial_auc
from metrics.problems import placements, problem
from oracles import ranking


@pytest.mark.parametrize("seed", range(3))
def test_difference_is_the_paired_test(seed):
    y, a = problem(seed)
    b = np.round(a + np.random.default_rng(seed).normal(size=a.size), 1)
    won, lost = (np.subtract(*pair) for pair in zip(placements(y, a), placements(y, b), strict=True))
    parts = won.var(ddof=1) / won.size, lost.var(ddof=1) / lost.size
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (won.size - 1) + parts[1] ** 2 / (lost.size - 1))
    difference = auc(y, a) - auc(y, b)
    reach = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    p_value = 2 * stats.t.sf(abs(difference) / math.sqrt(sum(parts)), freedom)
    assert auc_difference(y, a, b) == pytest.approx(
        (difference, difference - reach, difference + reach, p_value)
    )


def test_difference_changes_sign_with_the_order():
    y, a = problem(0)
    b = -a[::-1]
    result, swapped = auc_difference(y, a, b), auc_difference(y, b, a)
    assert swapped == pytest.approx((-result.difference, -result.high, -result.low, result.p_value))


def test_p_values_are_uniform_without_a_difference():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 120])
    found = []
    for _ in range(800):
        signal = rng.normal(size=y.size) + y
        found.append(
            auc_difference(y, signal + rng.normal(size=y.size), signal + rng.normal(size=y.size)).p_value
        )
    assert stats.kstest(found, "uniform").pvalue > 0.001


@pytest.mark.python_mode
def test_difference_without_variance():
    y = np.array([0, 0, 0, 1, 1])
    score = np.array([1.0, 2.0, 3.0, 2.5, 4.0])
    assert auc_difference(y, score, 10 * score) == (0.0, 0.0, 0.0, 1.0)
    difference, low, high, p_value = auc_difference(y, y, -y)  # right everywhere against wrong everywhere
    assert (difference, low, high) == pytest.approx((1.0, 1 - math.sqrt(math.log(40)), 1.0))
    assert p_value == pytest.approx(2 * math.exp(-1))
    one = auc_difference([0, 0, 1], [1, 2, 3], [1, 3, 2])
    assert (one.difference, one.low, one.high, one.p_value) == (0.5, -1.0, 1.0, 1.0)


def test_difference_names_the_bad_score():
    with pytest.raises(ValueError, match="score_b is nan at row 1"):
        auc_difference([0, 1], [0.0, 1.0], [0.0, math.nan])
    with pytest.raises(ValueError, match="score_a has 3"):
        auc_difference([0, 1], [0.0, 1.0, 2.0], [0.0, 1.0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("max_fpr", "min_tpr"), [(0.2, None), (0.35, None), (None, 0.5), (0.5, 0.25)])
def test_difference_of_partial_areas(seed, max_fpr, min_tpr):
    y, a = problem(seed)
    b = np.round(a + np.random.default_rng(seed).normal(size=a.size), 1)
    region = 1.0 if max_fpr is None else max_fpr, 0.0 if min_tpr is None else min_tpr
    exact = [Fraction(str(rate)) for rate in region]
    change = np.subtract(*(ranking.influence(y.tolist(), s.tolist(), *exact) for s in (a, b)))
    parts = [change[y == label].var(ddof=1) / np.sum(y == label) for label in (1, 0)]
    sizes = [np.sum(y == 1) * (1 - region[1]), np.sum(y == 0) * region[0]]  # rows that can lie in the region
    freedom = sum(parts) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    difference = partial_auc(y, a, max_fpr, min_tpr) - partial_auc(y, b, max_fpr, min_tpr)
    reach = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    p_value = 2 * stats.t.sf(abs(difference) / math.sqrt(sum(parts)), freedom)
    best = region[0] * (1 - region[1])
    ends = max(difference - reach, -best), min(difference + reach, best)
    found = auc_difference(y, a, b, max_fpr=max_fpr, min_tpr=min_tpr)
    assert found == pytest.approx((difference, *ends, p_value), abs=1e-10)
    rescaled = auc_difference(y, a, b, max_fpr=max_fpr, min_tpr=min_tpr, standardized=True)
    areas = [partial_auc(y, s, max_fpr, min_tpr, standardized=True) for s in (a, b)]
    assert rescaled.difference == pytest.approx(areas[0] - areas[1], abs=1e-12)
    assert rescaled.p_value == found.p_value
    assert rescaled.high / found.high == pytest.approx(rescaled.low / found.low)


def test_p_values_of_equal_partial_areas_are_uniform():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [60, 400])
    found = []
    for _ in range(600):
        signal = rng.normal(size=y.size) + 1.5 * y
        a, b = signal + rng.normal(size=y.size), signal + rng.normal(size=y.size)
        found.append(auc_difference(y, a, b, max_fpr=0.1).p_value)
    assert stats.kstest(found, "uniform").pvalue > 0.001


@pytest.mark.python_mode
def test_partial_difference_without_variance():
    y = np.repeat([0, 1], [20, 5])
    score = np.arange(25.0)
    assert auc_difference(y, score, 3 * score, max_fpr=0.1) == (0.0, 0.0, 0.0, 1.0)
    difference, low, high, p_value = auc_difference(y, score, -score, max_fpr=0.2)
    assert (difference, high) == (0.2, 0.2)  # right everywhere against wrong everywhere
    assert low == pytest.approx(0.2 * (1 - math.sqrt(-2 * math.log(0.025) / 4)))  # 4 negatives in the region
    assert p_value == pytest.approx(2 * math.exp(-4 / 2))


def test_partial_difference_of_a_region_without_rows():
    y, score = np.repeat([0, 1], [20, 5]), np.arange(25.0)
    with pytest.warns(UserWarning, match="max_fpr=0.01 leaves less than one of the 20 negative rows"):
        found = auc_difference(y, score, -score, max_fpr=0.01)
    assert found.p_value == 1.0
