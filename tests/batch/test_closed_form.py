"""The squared loss from statistics."""

import numpy as np
import pytest

from aucmax.batch import closed_form
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sums import Classes
from batch.problems import objective, products_of, ranked
from oracles.pairs import squared_minimiser


def statistics(X, y, weights, layout=np.asarray, rows=slice(None)):
    signed = np.zeros(len(y))
    signed[rows] = (weights * y)[rows]
    pos, neg = np.flatnonzero(signed > 0), np.flatnonzero(signed < 0)
    classes = Classes(len(y), pos, neg, signed[pos], -signed[neg])
    return closed_form.class_statistics(products_of(X, layout), classes, np.full(X.shape[1], 0.1))


@pytest.mark.python_mode
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_minimiser_is_that_of_every_pair(layout, dtype):
    X, y, weights = ranked()
    X = X.astype(dtype)
    found = closed_form.solve(statistics(X, y, weights, layout), 0.3)
    np.testing.assert_allclose(found.w, squared_minimiser(X.astype(float), y, 0.3, weights), rtol=1e-9)
    value, _ = objective(LOSSES["squared"], X.astype(float), y, weights, 0.3)(found.w)
    assert found.objective == pytest.approx(value, rel=1e-10)
    assert found.optimality < 1e-12


def test_path_equals_single_solutions():
    X, y, weights = ranked()
    stats = statistics(X, y, weights)
    l2s = np.array([1e-4, 1e-1, 10.0])
    path = closed_form.RegularisationPath(stats).coef(l2s)
    for k, l2 in enumerate(l2s):
        np.testing.assert_allclose(path[:, k], closed_form.solve(stats, l2).w, rtol=1e-8)


def test_statistics_of_parts_add_and_subtract(layout):
    X, y, weights = ranked()
    whole, part = statistics(X, y, weights, layout), statistics(X, y, weights, layout, slice(0, 30))
    rest = statistics(X, y, weights, layout, slice(30, None))
    for found, expected in zip(whole.minus(part), rest, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)
    for found, expected in zip(rest.plus(part), whole, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_collinear_columns_without_a_penalty():
    X, y, weights = ranked()
    found = closed_form.solve(statistics(np.hstack((X, X)), y, weights), 0.0)
    plain = closed_form.solve(statistics(X, y, weights), 0.0)
    assert found.objective == pytest.approx(plain.objective, rel=1e-9)
    assert np.abs(found.w).max() < 1e3
