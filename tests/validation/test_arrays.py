"""Errors for bad rows name the place; other array types are converted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from aucmax import SPAM


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_nan_and_infinity_are_located(model, problem, layout, value, name):
    X, y, _ = problem
    model.partial_fit(layout(X), y)
    before = model.coef_.copy()
    bad = X.copy()
    bad[41, 13] = value
    for call in (model.partial_fit, model.fit, model.score):
        with pytest.raises(ValueError, match=f"{name} at row 41, column 13") as caught:
            call(layout(bad), y)
        assert ("SimpleImputer" in str(caught.value)) == (name == "NaN")
    np.testing.assert_array_equal(model.coef_, before)


def test_values_whose_sum_overflows_are_finite(problem):
    X, y, _ = problem
    X = X.copy()
    X[:2] = 1e308
    with pytest.raises(ValueError, match="diverged"):
        SPAM().fit(X, y)


def test_empty_input(model, layout):
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(layout(np.zeros((0, 3))), np.zeros(0))
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_fit(layout(np.zeros((0, 3))), np.zeros(0), classes=[0, 1])


def test_repeated_and_unsorted_indices_are_summed(model, problem):
    X, y, _ = problem
    plain = sparse.csr_array(X)
    halves = sparse.csr_array(
        (
            np.repeat(plain.data, 2)[::-1].copy() / 2,
            np.repeat(plain.indices, 2)[::-1].copy(),
            2 * plain.indptr,
        ),
        shape=X.shape,
    )
    # Reversed as a whole, the rows are those of X from last to first, each in falling order.
    halves.indptr = np.r_[0, np.cumsum(2 * np.diff(plain.indptr)[::-1])].astype(plain.indptr.dtype)
    kept = halves.indices.copy()
    reference = type(model)(max_iter=2, random_state=0)
    np.testing.assert_allclose(
        model.fit(halves, y[::-1]).coef_, reference.fit(X[::-1], y[::-1]).coef_, atol=1e-12
    )
    np.testing.assert_array_equal(halves.indices, kept)


def test_column_index_outside_the_shape(model, problem):
    _, y, _ = problem
    X = sparse.csr_array(np.ones((300, 3)))
    X.indices[7] = 99
    with pytest.raises(ValueError, match=r"column index outside 0\.\.2"):
        model.fit(X, y)


def test_width_of_train_and_test(model, problem, layout):
    X, y, _ = problem
    model.fit(layout(X), y)
    with pytest.raises(ValueError, match="19 features, but .* is expecting 20"):
        model.predict(layout(X[:, :19]))
    with pytest.raises(ValueError, match="19 features, but .* is expecting 20"):
        model.partial_fit(layout(X[:, :19]), y)


def test_a_diverging_chunk_leaves_the_model_as_it_was(problem):
    X, y, _ = problem
    model = SPAM().partial_fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Lower step_size"):
        model.set_params(step_size=1e200).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)
    model.set_params(step_size=1.0).partial_fit(X, y)
    reference = SPAM().partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, reference.coef_)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_feature_names(model, problem, frame):
    X, y, _ = problem
    names = [f"f{k}" for k in range(20)]
    table = frame({name: X[:, k] for k, name in enumerate(names)})
    if not hasattr(StandardScaler().fit(table), "feature_names_in_"):
        pytest.skip("this scikit-learn does not see the column names of such a frame")
    model.fit(table, y)
    assert model.feature_names_in_.tolist() == names
    assert model.to_sklearn().feature_names_in_.tolist() == names
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[names[::-1]])


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.coo_array, sparse.csr_matrix, np.asfortranarray])
def test_other_forms_are_converted(model, problem, form):
    X, y, _ = problem
    reference = type(model)(max_iter=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.fit(form(X), y).coef_, reference.coef_, atol=1e-12)
