"""Sums over the rows of each class against numpy."""

import numpy as np
import pytest

from aucmax.kernels.rows import as_rows
from aucmax.stochastic.engine.class_sums import class_statistics

pytestmark = pytest.mark.python_mode


def test_statistics_ignore_rows_of_weight_zero(problem, layout):
    X, y, weights = problem
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, weights)
    found = class_statistics(as_rows(layout(X)), y * weights, 20)
    np.testing.assert_allclose(found.sums.pos, (y > 0) * weights @ X, atol=1e-12)
    np.testing.assert_allclose(found.sums.neg, (y < 0) * weights @ X, atol=1e-12)
    assert (found.pos_weight, found.neg_weight) == (weights[y > 0].sum(), weights[y < 0].sum())
    assert found.max_sqnorm == pytest.approx((X[weights > 0] ** 2).sum(1).max())
    assert found.p == weights[y > 0].sum() / weights.sum()
    np.testing.assert_allclose(found.pos_mean, found.sums.pos / found.pos_weight)
