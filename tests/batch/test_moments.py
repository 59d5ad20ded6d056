"""Means, variances and second moments of the columns."""

import numpy as np
import pytest

from aucmax.batch.moments import class_moments
from aucmax.pairs.sums import Classes
from batch.problems import products_of, ranked


@pytest.mark.python_mode
def test_column_moments(layout):
    X, y, weights = ranked(n=40)
    classes = Classes.split(weights * y)
    moments = class_moments(products_of(X + 3.0, layout), classes)
    for rows, mean, variance in (
        (y > 0, moments.pos_mean, moments.pos_variance),
        (y < 0, moments.neg_mean, moments.neg_variance),
    ):
        expected = np.average(X[rows], axis=0, weights=weights[rows])
        np.testing.assert_allclose(mean, expected + 3.0, atol=1e-12)
        squares = np.average((X[rows] - expected) ** 2, axis=0, weights=weights[rows])
        np.testing.assert_allclose(variance, squares, atol=1e-12)
