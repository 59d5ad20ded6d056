"""Margin losses: their derivatives, and how they are found by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucmax import AUCClassifier, OnlineAUCClassifier
from aucmax.pairs.loss_check import check_loss
from aucmax.pairs.losses import LOSSES, Loss, SmoothedHinge, get_loss, pair_value
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


class Bumpy(Loss):
    """The logistic loss plus a wave, with errors in its derivatives."""

    def __init__(self, wave=0.0, slope_error=0.0, curvature_error=0.0, at=0.0):
        self.wave, self.slope_error, self.curvature_error, self.at = wave, slope_error, curvature_error, at

    def value(self, margin):
        return LOSSES["logistic"].value(margin) + self.wave * np.sin(margin)

    def derivative(self, margin):
        slope = LOSSES["logistic"].derivative(margin) + self.wave * np.cos(margin)
        return slope + self.slope_error * (np.abs(margin - self.at) < 0.1)

    def second(self, margin):
        curvature = LOSSES["logistic"].second(margin) - self.wave * np.sin(margin)
        return curvature + self.curvature_error * (np.abs(margin - self.at) < 0.1)


@pytest.mark.parametrize("name", list(ALL_LOSSES))
def test_convex_losses_with_right_derivatives_are_accepted(name):
    check_loss(ALL_LOSSES[name])


def test_a_kink_is_accepted_where_it_is_declared():
    class OwnHinge(type(LOSSES["hinge"])):
        pass

    assert get_loss(OwnHinge()).kinked


errors = st.floats(0.001, 10.0) | st.floats(-10.0, -0.001)


@given(at=st.floats(-9.8, 9.8), error=errors)
def test_a_wrong_slope_or_curvature_is_found_where_it_is(at, error):
    for loss, name in ((Bumpy(0.0, error, 0.0, at), "derivative"), (Bumpy(0.0, 0.0, error, at), "second")):
        with pytest.raises(ValueError, match=rf"loss must be a Loss with the right `{name}`") as raised:
            get_loss(loss)
        margin = float(str(raised.value).split("at margin ")[1].split()[0])
        assert abs(margin - at) < 0.11


@given(wave=st.floats(0.01, 5.0))
def test_a_loss_that_is_not_convex_is_refused(wave):
    with pytest.raises(ValueError, match="loss must be a convex Loss .at margin .* falls from .* to "):
        get_loss(Bumpy(wave))


def test_a_wrong_sign_and_a_forgotten_factor_are_refused():
    class Twice(type(LOSSES["logistic"])):
        def derivative(self, margin):
            return 2.0 * super().derivative(margin)

    class Rising(type(LOSSES["logistic"])):
        def derivative(self, margin):
            return -super().derivative(margin)

    for wrong in (Twice(), Rising()):
        with pytest.raises(ValueError, match="right `derivative`"):
            get_loss(wrong)


@pytest.mark.parametrize(
    ("value", "message"),
    [(lambda margin: 0.0, "as many numbers"), (lambda margin: np.where(margin < 2.0, 0.0, np.inf), "finite")],
)
def test_values_that_are_not_numbers_are_refused(value, message):
    loss = Bumpy()
    loss.value = value
    with pytest.raises(ValueError, match=message):
        get_loss(loss)


@pytest.mark.parametrize("model", [AUCClassifier, OnlineAUCClassifier])
def test_estimators_refuse_a_wrong_loss_at_fit(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="the slope of `value` is .*, not "):
        model(Bumpy(slope_error=0.3, at=0.4)).fit(X, y)
