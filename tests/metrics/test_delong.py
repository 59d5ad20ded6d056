"""DeLong's variance against placements over all pairs; coverage by simulation; samples without variance."""

import math

import numpy as np
import pytest
from scipy import stats

from aucmax.metrics import auc, auc_interval, partial_auc_interval
from metrics.problems import placements, problem


@pytest.mark.parametrize("seed", range(5))
def test_standard_error_is_delongs(seed):
    y, score = problem(seed)
    won, lost = placements(y, score)
    result = auc_interval(y, score)
    assert result.auc == auc(y, score)
    assert result.se == pytest.approx(
        math.sqrt(won.var(ddof=1) / won.size + lost.var(ddof=1) / lost.size), rel=1e-12
    )
    assert 0 < result.low < result.auc < result.high < 1


def test_large_samples_give_the_plain_logit_interval():
    y, score = problem(0, 20_000, 40_000)
    value, low, high, se = auc_interval(y, score, level=0.9)
    reach = stats.norm.ppf(0.95) * se / (value * (1 - value))
    assert np.log(high / (1 - high)) == pytest.approx(np.log(value / (1 - value)) + reach, rel=1e-3)
    assert np.log(low / (1 - low)) == pytest.approx(np.log(value / (1 - value)) - reach, rel=1e-3)


@pytest.mark.parametrize("n_pos", [20, 100, 1000])
@pytest.mark.parametrize("truth", [0.6, 0.8, 0.95])
def test_coverage(n_pos, truth):
    repeats = 2000 if n_pos < 1000 else 600
    rng = np.random.default_rng(n_pos)
    y = np.repeat([1, 0], [n_pos, 5 * n_pos])
    shift = math.sqrt(2) * stats.norm.ppf(truth) * y
    covered = 0
    for _ in range(repeats):
        _, low, high, _ = auc_interval(y, rng.normal(size=y.size) + shift)
        covered += low <= truth <= high
    noise = 3 * math.sqrt(0.05 * 0.95 / repeats)
    assert 0.93 - noise < covered / repeats < 0.97 + noise


def test_one_pair_out_of_order_hardly_changes_the_interval():
    y, score = np.repeat([1, 0], [200, 5000]), np.r_[np.arange(6000.0, 6200.0), np.arange(5000.0)]
    perfect = auc_interval(y, score)
    score[[0, -1]] = 4990.5, 4991.0
    nearly = auc_interval(y, score)
    assert 0.999 < nearly.auc < 1.0
    assert nearly.low == pytest.approx(perfect.low, abs=1e-3)
    part = partial_auc_interval(y, score, max_fpr=0.05, standardized=True)
    assert part.low > 0.95


@pytest.mark.python_mode
def test_perfect_ranking_has_an_exact_bound():
    y, score = np.repeat([1, 0], [4, 7]), np.arange(11.0)[::-1]
    assert auc_interval(y, score) == pytest.approx((1.0, 0.025 ** (1 / 4), 1.0, 0.0))
    assert auc_interval(y, -score) == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 4), 0.0))


@pytest.mark.parametrize("other", [1, 2, 50])
@pytest.mark.parametrize("rank", [0, 0.5, 1])
def test_one_row_of_a_class(other, rank):
    score = np.append(np.arange(other), rank * other - 0.5)
    for y in (np.arange(other + 1) == other, np.arange(other + 1) != other):
        value, low, high, se = auc_interval(y, score)
        assert 0 <= low <= value <= high <= 1
        assert high - low > 0.9
        assert se == pytest.approx(math.sqrt(value * (1 - value)))


def test_ties_everywhere():
    y = np.repeat([1, 0], [30, 60])
    value, low, high, se = auc_interval(y, np.zeros(90))
    assert (value, se) == (0.5, 0.0)
    assert low == pytest.approx(1 - high)
    assert 0.2 < low < 0.4


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_level_is_a_fraction(level):
    with pytest.raises(ValueError, match="level must be a number between 0 and 1; got"):
        auc_interval([0, 1], [0.0, 1.0], level=level)
