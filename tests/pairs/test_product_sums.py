"""Losses whose sums are products of sums over each class."""

import numpy as np

from aucmax.pairs.losses import pair_value


def test_exponential_loss_overflows_to_infinity_only():
    score = np.array([-2000.0, 2000.0])
    assert pair_value("exponential", score, np.array([1.0, -1.0])) == np.inf
    assert pair_value("exponential", score, np.array([-1.0, 1.0])) == 0.0
