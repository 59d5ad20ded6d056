"""Curves: the splines of scikit-learn, their polynomials, and what a column adds to the score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import SplineTransformer

from aucmax.io.columns.curves import (
    apply_curves,
    column_curve,
    learn_curves,
    learn_knots,
    spline_columns,
    spline_pieces,
)
from aucmax.io.columns.encoding import ColumnEncoding, TableEncoding


def test_knots_are_quantiles_and_columns_those_of_scikit_learn():
    values = np.random.default_rng(0).gamma(2.0, size=500)
    knots = learn_knots(values)
    assert knots == tuple(np.sort(values)[[0, 124, 249, 374, 499]])
    base = np.array(knots)[:, None]
    spline = SplineTransformer(knots=base, extrapolation="constant", include_bias=False)
    expected = spline.fit(base).transform(values[:, None])
    np.testing.assert_allclose(spline_columns(values, knots), expected, atol=1e-12)
    assert expected.shape[1] == len(knots) + 1


@pytest.mark.parametrize(
    "values",
    [[1.0], [0.0, 1.0] * 9, [5.0] * 99 + [6.0], [1.0, 1 + 1e-12, 2.0, 2 + 1e-12], [-1e308, 0, 1e308]],
)
def test_columns_without_a_curve(values):
    assert learn_knots(np.array(values)) == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=5, max_size=30), st.floats(1e-6, 1e6))
def test_polynomials_between_the_knots(values, scale):
    values = np.array(values) * scale
    knots = learn_knots(values)
    if not knots:
        return
    pieces = spline_pieces(knots)
    x = np.concatenate([np.linspace(knots[0], knots[-1], 41), [knots[0] - scale, knots[-1] + scale]])
    inside = np.clip(x, knots[0], knots[-1])
    k = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    way = inside - np.array(knots)[k]
    found = sum(pieces[d, k] * way[:, None] ** d for d in range(4))
    np.testing.assert_allclose(found, spline_columns(x, knots), atol=1e-9)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_bent_columns_come_first_and_others_stay(layout):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=99), rng.integers(0, 2, 99), rng.integers(0, 2, 99)])
    columns = (
        ColumnEncoding("a", "number"),
        ColumnEncoding("b", "number"),
        ColumnEncoding("t", "text", levels=("x",)),
    )
    encoding = learn_curves(layout(X), TableEncoding(columns))
    assert [bool(column.knots) for column in encoding.columns] == [True, False, False]
    bent = apply_curves(layout(X), encoding)
    assert sparse.issparse(bent) == (layout is sparse.csr_array)
    bent = bent.toarray() if sparse.issparse(bent) else bent
    assert bent.shape[1] == len(encoding.feature_names)
    np.testing.assert_array_equal(bent[:, -2:], X[:, 1:])
    np.testing.assert_array_equal(bent[:, :-2], spline_columns(X[:, 0], encoding.columns[0].knots))


def test_what_a_column_adds_to_the_score():
    knots = (0.0, 1.0, 2.0, 4.0, 9.0)
    columns = ColumnEncoding("a", "number", fill=2.0, knots=knots), ColumnEncoding("b", "number", fill=3.0)
    encoding = TableEncoding(columns)
    coef = np.arange(1.0, 8.0)
    curve = column_curve(encoding, coef, "a")
    np.testing.assert_array_equal(curve.x, np.linspace(0, 9, 101))
    expected = (
        spline_columns(curve.x, knots) @ coef[:6] - spline_columns(np.array([2.0]), knots)[0] @ coef[:6]
    )
    np.testing.assert_allclose(curve.contribution, expected, atol=1e-12)
    far = column_curve(encoding, coef, "a", np.array([-5.0, 0.0, 9.0, 50.0])).contribution
    np.testing.assert_allclose(far[[0, 3]], far[[1, 2]], atol=1e-12)
    line = column_curve(encoding, coef, "b", np.array([3.0, 5.0]))
    np.testing.assert_array_equal(line.contribution, [0.0, 14.0])
    with pytest.raises(ValueError, match="'b' is a straight line and has no range; give x"):
        column_curve(encoding, coef, "b")
    with pytest.raises(KeyError):
        column_curve(encoding, coef, "c")
