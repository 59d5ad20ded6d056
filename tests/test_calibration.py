import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import expit

from aucmax import calibration
from aucmax.calibration import fit_calibration
from oracles import calibration as oracle


def made_scores(n, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    positive[:2] = [True, False]
    return rng.normal(size=n) + 1.5 * positive, np.where(positive, 1.0, -1.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_one_piece_is_platts_sigmoid(weighted):
    score, signed = made_scores(80)
    if weighted:
        signed = signed * np.random.default_rng(1).uniform(0.2, 3.0, len(signed))
    slope, intercept = oracle.sigmoid(score, signed)
    found = fit_calibration(score, signed)
    assert found.is_sigmoid
    np.testing.assert_allclose(found.probability(score), expit(slope * score + intercept), atol=1e-6)


def test_no_change_of_a_knot_lowers_the_objective():
    score, signed = made_scores(700)
    found = fit_calibration(score, signed)
    assert len(found.knots) == 4
    best = oracle.objective(score, signed, found.knots, found.log_odds)
    for k in range(len(found.knots)):
        for change in (-1e-2, 1e-2):
            values = found.log_odds.copy()
            values[k] += change
            if np.all(np.diff(values) > 0):
                assert oracle.objective(score, signed, found.knots, values) > best


def test_a_flat_end_does_not_put_equal_odds_far_away():
    """Positives and negatives mixed among the highest scores, where the last piece is nearly flat."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=4000)
    signed = np.where(rng.random(4000) < 0.2 * expit(4 * np.minimum(score, 0.0)), 1.0, -1.0)
    found = fit_calibration(score, signed)
    assert score.max() < found.middle() < score.max() + np.ptp(score)
    assert found.probability(np.array([found.middle()])) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", [2, 5])
def test_heavy_tailed_scores_reach_the_minimum(seed):
    """By a general optimiser from a flat line: rises of the log-odds over the knots, none negative."""
    rng = np.random.default_rng(seed)
    score = rng.standard_t(1, 3000) if seed % 2 else np.exp(2.5 * rng.normal(size=3000))
    signed = np.where(rng.random(3000) < expit(30 * np.tanh(score) - rng.normal()), 1.0, -1.0)
    found = fit_calibration(score, signed)

    def objective(rises):
        return oracle.objective(score, signed, found.knots, np.cumsum(rises))

    start = np.append(np.log((signed > 0).sum() / (signed < 0).sum()), np.full(len(found.knots) - 1, 1e-3))
    bounds = [(None, None), *[(0.0, None)] * (len(found.knots) - 1)]
    best = optimize.minimize(objective, start, method="L-BFGS-B", bounds=bounds)
    assert objective(np.append(found.log_odds[0], np.diff(found.log_odds))) < best.fun + 1e-3 * len(score)


def test_probabilities_are_those_of_the_oracles_line():
    score, signed = made_scores(700)
    found = fit_calibration(score, signed)
    grid = np.linspace(-8, 8, 101)
    expected = [oracle.log_odds(s, found.knots, found.log_odds) for s in grid]
    np.testing.assert_allclose(found.probability(grid), expit(expected), rtol=1e-12)


def test_more_rows_bend_the_line_where_a_sigmoid_is_wrong():
    rng = np.random.default_rng(0)
    score = rng.uniform(-3, 3, 20_000)
    truth = np.where(score < 0, 0.02, 0.02 + 0.3 * score / 3)
    signed = np.where(rng.random(len(score)) < truth, 1.0, -1.0)
    curve, sigmoid = fit_calibration(score, signed), fit_calibration(score, signed, max_pieces=1)
    assert (
        np.abs(curve.probability(score) - truth).mean()
        < 0.5 * np.abs(sigmoid.probability(score) - truth).mean()
    )


def test_weights_count_as_repeated_rows():
    score, signed = made_scores(400)
    repeats = np.random.default_rng(2).integers(1, 4, len(score))
    once = fit_calibration(score, signed * repeats)
    again = fit_calibration(np.repeat(score, repeats), np.repeat(signed, repeats))
    np.testing.assert_allclose(once.probability(score), again.probability(score), rtol=1e-6)


def test_rows_of_weight_zero_do_not_count():
    score, signed = made_scores(300)
    more = np.append(score, [50.0, -50.0]), np.append(signed, [0.0, 0.0])
    for found, expected in zip(fit_calibration(*more), fit_calibration(score, signed), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_groups_of_rows_give_the_probabilities_of_single_rows(monkeypatch):
    score, signed = made_scores(12_000)
    grouped = fit_calibration(score, signed).probability(score)
    monkeypatch.setattr(calibration, "MAX_GROUPS", len(score))
    np.testing.assert_allclose(grouped, fit_calibration(score, signed).probability(score), atol=2e-3)


def test_mean_probability_is_the_share_of_positives():
    score, signed = made_scores(5000, share=0.05)
    assert fit_calibration(score, signed).probability(score).mean() == pytest.approx(
        (signed > 0).mean(), abs=1e-3
    )


@given(
    st.lists(st.tuples(st.floats(-1e300, 1e300), st.booleans()), min_size=2, max_size=200),
    st.lists(st.floats(-1e300, 1e300), max_size=50),
)
@settings(deadline=None, max_examples=60)
def test_probabilities_never_reverse_the_order_of_the_scores(rows, others):
    score = np.array([row[0] for row in rows])
    positive = np.array([row[1] for row in rows])
    positive[:2] = [True, False]
    found = fit_calibration(score, np.where(positive, 1.0, -1.0))
    probability = found.probability(np.sort(np.append(score, others)))
    assert np.all((probability >= 0) & (probability <= 1))
    assert np.all(np.diff(probability) >= 0)


@pytest.mark.parametrize("scores", [np.zeros(20), np.arange(20.0)[::-1]], ids=["all equal", "reversed"])
def test_scores_that_rank_nothing_get_the_share_of_positives(scores):
    signed = np.where(np.arange(20) >= 15, 1.0, -1.0)
    probability = fit_calibration(scores, signed).probability(scores)
    # Platt's targets draw it towards one half.
    np.testing.assert_allclose(probability, (5 * 6 / 7 + 15 / 17) / 20, atol=2e-3)


def test_shifted_scores_have_the_same_probabilities():
    score, signed = made_scores(500)
    found = fit_calibration(score, signed)
    np.testing.assert_allclose(
        found.shifted(3.0).probability(score + 3.0), found.probability(score), rtol=1e-12
    )


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_the_middle_has_probability_one_half(share):
    found = fit_calibration(*made_scores(3000, share=share))
    assert found.probability(np.array([found.middle()]))[0] == pytest.approx(0.5, abs=1e-12)
