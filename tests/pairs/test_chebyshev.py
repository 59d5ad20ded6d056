"""Smooth losses through polynomials on cells: far scores, and losses that are refused."""

import numpy as np
import pytest

from aucmax.pairs.losses import Logistic, Loss, pair_value
from aucmax.pairs.sums import Classes
from oracles.pairs import pair_sums
from pairs.problems import NarrowCells, TooWide, assert_close, draw_scores


def test_logistic_loss_of_far_scores_is_accurate():
    score, y, t = draw_scores(3, 80, 1e6, ties=False)
    value, gradient, curvature, _ = pair_sums(Logistic(), score, y, t)
    sums = Logistic().sums(Classes.split(y), score)
    assert sums.value == pytest.approx(value, rel=1e-12)
    assert_close(sums.gradient(), gradient, 1e-12)
    np.testing.assert_allclose(sums.curvature(t), curvature, atol=1e-12)


def test_a_loss_with_a_kink_or_too_wide_cells_is_refused():
    class Kinked(Loss):
        def value(self, margin):
            return np.abs(margin - 0.3)

        def derivative(self, margin):
            return np.sign(margin - 0.3)

        def second(self, margin):
            return np.zeros_like(margin)

    for loss in (Kinked(), TooWide()):
        with pytest.raises(ValueError, match="not smooth enough"):
            pair_value(loss, np.array([1.0, 0.1]), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="too far"):
        pair_value(NarrowCells(), np.array([1e6, 0.0]), np.array([1.0, -1.0]))
