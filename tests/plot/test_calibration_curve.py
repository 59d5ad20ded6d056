"""The calibration curve: its bins, intervals, error and histogram."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucmax import plot
from aucmax.metrics.wilson import wilson_interval
from aucmax.plot.calibration_curve import calibration_bins

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(0)
P = RNG.beta(0.3, 3.0, size=4000)
Y = RNG.random(4000) < P


def slow_bins(positive, probability, bins):
    """Rows, mean probability and share of positives, row by row."""
    rows = sorted(zip(probability, positive, strict=True))
    total, other = sum(p for p, _ in rows), sum(1 - p for p, _ in rows)
    weights = [(p / total if total else 0) + ((1 - p) / other if other else 0) for p, _ in rows]
    groups, done, before = {}, 0.0, None
    for (p, label), weight in zip(rows, weights, strict=True):
        if p != before:
            number, before = int(bins * (done + weight / 2) / sum(weights)), p
        groups.setdefault(number, []).append((p, label))
        done += weight
    return [
        (len(g), sum(p for p, _ in g) / len(g), sum(bool(y) for _, y in g) / len(g)) for g in groups.values()
    ]


@pytest.mark.parametrize("bins", [1, 3, 10])
@pytest.mark.parametrize("digits", [1, 2, 15])
def test_bins_are_those_of_plain_python(bins, digits):
    probability = P[:500].round(digits)
    found = calibration_bins(Y[:500], probability, bins)
    np.testing.assert_allclose(np.transpose(found), slow_bins(Y[:500], probability, bins), atol=1e-12)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1e-9, 0.2, 0.5, 1.0]), st.booleans()), min_size=1),
    st.integers(1, 20),
)
def test_bins_hold_every_row_once_and_ascend(rows, bins):
    probability, positive = np.array([p for p, _ in rows]), np.array([y for _, y in rows])
    found = calibration_bins(positive, probability, bins)
    assert found.rows.sum() == len(rows)
    assert len(found.rows) <= bins
    assert found.rows @ found.probability == pytest.approx(probability.sum())
    assert found.rows @ found.share == pytest.approx(positive.sum())
    assert (np.diff(found.probability) > 0).all()
    assert 0 <= found.error <= 1


def test_rare_positives_spread_the_bins():
    found = calibration_bins(Y, P, 10)
    assert len(found.rows) == 10
    assert found.probability[-3] > 0.2
    assert found.rows.min() > 50


def test_the_curve_has_its_error_intervals_and_histogram():
    ax = plot.calibration(Y, P, bins=8, label="model", level=0.9)
    found = calibration_bins(Y, P, 8)
    (curve,) = (line for line in ax.lines if line.get_gid() == "model")
    np.testing.assert_array_equal(curve.get_xydata(), np.transpose([found.probability, found.share]))
    assert curve.get_label() == f"model: expected calibration error {found.error:.3f}"
    ends = [segment[:, 1] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(np.transpose(ends), wilson_interval(found.share, found.rows, 0.9))
    (above,) = ax.child_axes
    assert above.patches[0].get_data().values.sum() == 4000
    plot.calibration(Y, P**2, ax, band=False)
    assert len(ax.child_axes) == len(ax.collections) == 1
    assert len(above.patches) == 4
    assert "4,000 rows" in ax.get_title()


def test_the_error_of_calibrated_probabilities_is_that_of_chance():
    found = [calibration_bins(RNG.random(P.size) < P, P, 10) for _ in range(50)]
    rows, p, _ = found[0]
    expected = np.sum(rows * np.sqrt(2 / np.pi * p * (1 - p) / rows)) / P.size  # of normal deviations
    assert np.mean([each.error for each in found]) == pytest.approx(expected, rel=0.1)


def test_the_error_of_shifted_probabilities_is_the_shift():
    shifted = np.minimum(P + 0.2, 1.0)
    assert calibration_bins(Y, shifted, 10).error == pytest.approx(np.mean(shifted - Y), abs=0.01)


def test_the_title_is_above_the_histogram():
    ax = plot.calibration(Y, P)
    ax.figure.draw_without_rendering()
    (above,) = ax.child_axes
    assert ax.title.get_window_extent().ymin >= above.get_window_extent().ymax


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plot.calibration(Y, 3 * P),
            "probability is .* at row .*; give numbers from 0 to 1, not scores",
        ),
        (lambda: plot.calibration(Y, np.where(P > 0.5, np.nan, P)), "probability is nan at row"),
        (lambda: plot.calibration(Y, np.c_[P, P]), r"probability has shape \(4000, 2\)"),
        (lambda: plot.calibration(Y, P[1:]), "y has 4000 rows and probability has 3999"),
        (lambda: plot.calibration(Y, P, bins=0), "bins must be a whole number of at least 1; got 0"),
        (lambda: plot.calibration(Y, P, level=1), "level must be a number between 0 and 1; got 1"),
        (lambda: plot.calibration(np.arange(4000), P), "Only binary classification"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
