"""The slopes of a loss as a table: normed, bounded, refused where they are not finite."""

import numpy as np
import pytest

from aucmax.pairs.losses import LOSSES, Loss
from aucmax.pairs.slopes import slope_pieces
from aucmax.streaming.estimator import OnlineAUCClassifier


@pytest.mark.parametrize("name", LOSSES)
def test_the_pieces_follow_the_derivative_of_the_loss(name):
    pieces, at_zero = slope_pieces(LOSSES[name])
    assert at_zero == -LOSSES[name].derivative(np.zeros(1))[0]
    margins = np.arange(512) / 64  # up to 8
    found = 1 + sum(rate * np.clip(margins - start, 0, width) for start, width, rate in pieces)
    expected = np.clip(-LOSSES[name].derivative(margins) / at_zero, -1, 1)
    np.testing.assert_allclose(found, expected, atol=1e-12 if len(pieces) == 1 else 1 / 64)
    assert len(pieces) <= 10


def test_the_squared_hinge_has_one_piece():
    np.testing.assert_array_equal(slope_pieces(LOSSES["squared_hinge"])[0], [[0.0, 1.0, -1.0]])


class Own(Loss):
    """A loss of one's own, given by its value and derivatives."""

    def __init__(self, *functions):
        self.functions = functions

    def value(self, margin):
        return self.functions[0](margin)

    def derivative(self, margin):
        return self.functions[1](margin)

    def second(self, margin):
        return self.functions[2](margin)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ((lambda m: m**2 / 2, lambda m: m, np.ones_like), "does not decrease at 0"),
        ((np.zeros_like, np.zeros_like, np.zeros_like), "does not decrease at 0"),
        (
            (lambda m: -m, lambda m: -1.0 / (m < 12.0), np.zeros_like),
            "no finite derivative at margins from 0",
        ),
        ((lambda m: -m, lambda m: -1.0 / (m < 3.0), np.zeros_like), "finite `derivative` .at margin 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_losses_that_do_not_fall_or_are_not_finite_are_refused(problem, functions, message):
    X, y, _ = problem
    with pytest.raises(ValueError, match=message):
        OnlineAUCClassifier(Own(*functions)).fit(X, y)
