"""Margin losses: their derivatives, and how they are found by name."""

import numpy as np
import pytest

from aucmax.pairs.losses import LOSSES, SmoothedHinge, get_loss, pair_value
from pairs.problems import ALL_LOSSES, TooWide, draw_scores


@pytest.mark.parametrize("name", list(ALL_LOSSES))
def test_derivatives_are_those_of_the_value(name):
    loss = ALL_LOSSES[name]
    margin = np.linspace(-6.03, 6.07, 301)
    step = 1e-5
    slope = (loss.value(margin + step) - loss.value(margin - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.derivative(margin), slope, rtol=1e-6, atol=1e-6)
    curvature = (loss.derivative(margin + step) - loss.derivative(margin - step)) / (2.0 * step)
    np.testing.assert_allclose(loss.second(margin), curvature, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", list(ALL_LOSSES))
def test_integer_weights_equal_repeated_rows(name):
    score, y, _ = draw_scores(2, 40, 2.0, ties=True)
    times = np.abs(y).astype(int)
    assert pair_value(ALL_LOSSES[name], score, y) == pytest.approx(
        pair_value(ALL_LOSSES[name], np.repeat(score, times), np.repeat(np.sign(y), times)), rel=1e-12
    )


def test_loss_by_name():
    assert get_loss("hinge") is LOSSES["hinge"]
    own = TooWide()
    assert get_loss(own) is own
    with pytest.raises(ValueError, match="loss must be 'squared_hinge' or .* or an aucmax.losses.Loss; got"):
        get_loss("zero_one")


def test_smoothed_losses():
    margin = np.linspace(-3.0, 3.0, 61)
    hinge, smoothed = LOSSES["hinge"], LOSSES["hinge"].smoothed(0.2)
    assert hinge.kinked
    assert smoothed == SmoothedHinge(0.2)
    difference = hinge.value(margin) - smoothed.value(margin)
    assert difference.min() >= -1e-15
    assert difference.max() <= 0.1 + 1e-15
    assert LOSSES["logistic"].smoothed(0.2) is LOSSES["logistic"]
