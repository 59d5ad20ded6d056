"""The slopes of a loss as a table: normed, bounded, refused where they are not finite."""

import numpy as np
import pytest

from aucmax.pairs.losses import LOSSES, Loss
from aucmax.streaming.estimator import OnlineAUCClassifier
from aucmax.streaming.recent_scores import slope_table


@pytest.mark.parametrize("name", LOSSES)
def test_the_table_follows_the_derivative_of_the_loss(name):
    table, at_zero = slope_table(LOSSES[name])
    assert at_zero == -LOSSES[name].derivative(np.zeros(1))[0]
    margins = (np.arange(128) + 0.5) / 64  # up to 2
    np.testing.assert_allclose(table[:128], -LOSSES[name].derivative(margins) / at_zero, atol=1e-12)
    assert np.abs(table).max() <= 1.0


class Own(Loss):
    """A loss of one's own, given by its derivative."""

    def __init__(self, derivative):
        self.derivative = derivative

    def value(self, margin):
        return margin

    def derivative(self, margin):
        raise NotImplementedError

    def second(self, margin):
        return margin


@pytest.mark.parametrize("derivative", [lambda m: m, lambda m: -1.0 / (m - m.max()), np.zeros_like])
def test_losses_that_do_not_fall_or_are_not_finite_are_refused(problem, derivative):
    X, y, _ = problem
    with pytest.raises(ValueError, match="no finite derivative"):
        OnlineAUCClassifier(Own(derivative)).fit(X, y)
