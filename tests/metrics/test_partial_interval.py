"""The interval of a partial AUC against derivatives by the weight of each row, simulation, and R's pROC."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from aucmax.metrics import auc_interval, partial_auc, partial_auc_interval
from metrics.problems import placements, problem
from oracles import ranking

# The S100B and NDKA values of the aSAH data of R's package pROC (Turck et al., 2010), which has 41 patients
# with a poor and 72 with a good outcome: how many of each have the lowest value, the second lowest, ...
POOR = {
    "s100b": "10003122112101000110111011101010200011011112111111",
    "ndka": "01001110000000001000000110010001100001001000000111010010000010100100110110011100010000"
    "11110010001111001010101",
}
GOOD = {
    "s100b": "05326667403443212001000101110101011210200000000000",
    "ndka": "10110001111111110111111001101210111110110111111000101101111101111011001001110011101111"
    "00001101110000110101010",
}
# What pROC's own tests expect: var(roc), auc(roc), auc(roc, partial.auc=c(1, .9)), with partial.auc.correct.
PROC = {
    "s100b": (0.00266868245717244, 0.73136856368563685, None, None),
    "ndka": (0.0031908105493913, 0.611957994579946, 0.0107046070460705, 0.530024247610897),
}


def patients(name):
    poor, good = (np.array(list(counts[name]), dtype=int) for counts in (POOR, GOOD))
    value = np.arange(poor.size)
    return np.repeat([1, 0], [41, 72]), np.concatenate([np.repeat(value, poor), np.repeat(value, good)])


@pytest.mark.parametrize("name", PROC)
def test_areas_and_delong_variance_are_those_of_proc(name):
    y, score = patients(name)
    variance, auc, area, corrected = PROC[name]
    for result in (auc_interval(y, score), partial_auc_interval(y, score, max_fpr=1.0)):
        assert (result.auc, result.se**2) == pytest.approx((auc, variance), rel=1e-12)
    nearly_all = partial_auc_interval(y, score, max_fpr=1 - 1e-9)  # by components, not by placements
    assert nearly_all.se**2 == pytest.approx(variance, rel=1e-6)
    if area is not None:
        assert partial_auc_interval(y, score, 0.1).auc == pytest.approx(area, rel=1e-12)
        assert partial_auc_interval(y, score, 0.1, standardized=True).auc == pytest.approx(
            corrected, rel=1e-12
        )


@pytest.mark.parametrize("name", PROC)
@pytest.mark.parametrize(("max_fpr", "min_tpr"), [(0.1, None), (0.3, None), (None, 0.7)])
def test_standard_error_is_that_of_the_stratified_bootstrap(name, max_fpr, min_tpr):
    """pROC has no DeLong variance for partial areas, but this bootstrap."""
    y, score = patients(name)
    rng, found = np.random.default_rng(0), []
    for _ in range(2000):
        rows = np.concatenate([rng.integers(41, size=41), 41 + rng.integers(72, size=72)])
        found.append(partial_auc(y, score[rows], max_fpr, min_tpr))
    se = partial_auc_interval(y, score, max_fpr, min_tpr).se
    assert se == pytest.approx(np.std(found), rel=0.15)


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(0, 11), st.booleans())
@settings(max_examples=40, deadline=None)
@pytest.mark.filterwarnings("ignore:max_fpr=|min_tpr=")
def test_standard_error_is_the_infinitesimal_jackknife(seed, negatives, positives, at_a_corner):
    y, score = problem(seed)
    region = [Fraction(negatives, 30), Fraction(positives, 12)]  # at corners of the curve, or between them
    if not at_a_corner:
        region = [region[0] - Fraction(1, 77), max(region[1] - Fraction(1, 77), Fraction(0))]
    max_fpr, min_tpr = map(float, region)
    assume(partial_auc(y, score, max_fpr, min_tpr) > 0)  # if it only touches a corner, there is no derivative
    change = np.array(ranking.influence(y.tolist(), score.tolist(), *region))
    variance = sum(change[y == label].var(ddof=1) / np.sum(y == label) for label in (0, 1))
    result = partial_auc_interval(y, score, max_fpr, min_tpr, level=0.9)
    assert result.auc == pytest.approx(partial_auc(y, score, max_fpr, min_tpr), abs=1e-15)
    assert result.se == pytest.approx(math.sqrt(variance), abs=1e-10)
    assert 0 <= result.low <= result.auc <= result.high <= max_fpr * (1 - min_tpr) + 1e-15


@pytest.mark.parametrize("seed", range(3))
def test_whole_square_is_delongs(seed):
    y, score = problem(seed)
    won, lost = placements(y, score)
    variance = won.var(ddof=1) / won.size + lost.var(ddof=1) / lost.size
    assert partial_auc_interval(y, score) == auc_interval(y, score)
    assert partial_auc_interval(y, score, max_fpr=1 - 1e-12).se == pytest.approx(
        math.sqrt(variance), rel=1e-9
    )


@given(st.integers(0, 10**6), st.floats(0.01, 0.99), st.floats(0.0, 0.9))
@settings(max_examples=40, deadline=None)
@pytest.mark.filterwarnings("ignore:max_fpr=|min_tpr=")
def test_swapped_classes_and_standardized_areas(seed, max_fpr, min_tpr):
    y, score = problem(seed)
    result = partial_auc_interval(y, score, max_fpr, min_tpr)
    mirrored = partial_auc_interval(1 - y, -score, 1 - min_tpr, 1 - max_fpr)
    assert mirrored == pytest.approx(result, abs=1e-9)
    shown = partial_auc_interval(y, score, max_fpr, min_tpr, standardized=True)
    assert shown.auc == pytest.approx(partial_auc(y, score, max_fpr, min_tpr, standardized=True), abs=1e-12)
    stretch = (shown.high - shown.low) / (result.high - result.low)
    assert shown.se == pytest.approx(stretch * result.se, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg", "max_fpr"), [(50, 500, 0.05), (100, 1000, 0.1), (20, 200, 0.2)])
@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_coverage(n_pos, n_neg, max_fpr, shift):
    repeats, rng = 1000, np.random.default_rng(n_pos)
    y = np.repeat([1, 0], [n_pos, n_neg])
    at = (np.arange(20_000) + 0.5) / 20_000 * max_fpr
    truth = float(max_fpr * stats.norm.sf(stats.norm.isf(at) - shift).mean())
    covered = 0
    for _ in range(repeats):
        _, low, high, _ = partial_auc_interval(y, rng.normal(size=y.size) + shift * y, max_fpr)
        covered += low <= truth <= high
    noise = 3 * math.sqrt(0.05 * 0.95 / repeats)
    assert 0.93 - noise < covered / repeats < 0.975 + noise


@pytest.mark.python_mode
def test_perfect_and_worst_rankings_have_exact_bounds():
    y, score = np.repeat([1, 0], [8, 40]), np.arange(48.0)[::-1]
    area, low, high, se = partial_auc_interval(y, score, max_fpr=0.1)  # 4 negatives lie in the region
    assert (area, high, se) == pytest.approx((0.1, 0.1, 0.0))
    assert low == pytest.approx(0.1 * 0.025 ** (1 / 4))
    assert partial_auc_interval(y, -score, max_fpr=0.1) == pytest.approx(
        (0.0, 0.0, 0.1 * (1 - 0.025 ** (1 / 4)), 0.0)
    )


def test_ties_everywhere():
    y = np.repeat([1, 0], [30, 60])
    value, low, high, se = partial_auc_interval(y, np.zeros(90), max_fpr=0.5, standardized=True)
    assert (value, se) == pytest.approx((0.5, 0.0))
    assert low < 0.5 < high


@pytest.mark.parametrize("other", [2, 50])
def test_one_row_of_a_class(other):
    score = np.append(np.arange(other), other / 2 - 0.25)
    for y in (np.arange(other + 1) == other, np.arange(other + 1) != other):
        with pytest.warns(UserWarning, match="leaves less than one of the"):
            value, low, high, se = partial_auc_interval(y, score, 0.4, 0.2)
        assert 0 <= low <= value <= high <= 0.32
        assert np.isfinite(se)


def test_a_region_without_rows_is_told():
    y, score = problem(0)
    with pytest.warns(
        UserWarning, match="max_fpr=0.01 leaves less than one of the 30 negative rows, .* give another"
    ):
        result = partial_auc_interval(y, score, max_fpr=0.01, standardized=True)
    assert result.high - result.low > 0.3
    with pytest.warns(UserWarning, match="min_tpr=0.95 leaves less than one of the 12 positive rows"):
        partial_auc_interval(y, score, min_tpr=0.95)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"max_fpr": 0}, "max_fpr must be None or a number above 0 and at most 1; got 0"),
        ({"min_tpr": 1}, "min_tpr must be None or a number from 0 to below 1; got 1"),
        ({"max_fpr": 0.1, "level": 95}, "level must be a number between 0 and 1; got 95"),
    ],
)
def test_bad_arguments_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        partial_auc_interval([0, 1], [0.0, 1.0], **kwargs)
