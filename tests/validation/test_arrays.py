"""Bad input: one clear sentence with what, where and what to do; and never a NaN in a model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from aucmax import SOLAM, SPAM

ONLINE = [SOLAM, SPAM]


@pytest.fixture(params=ONLINE)
def model(request):
    return request.param(max_iter=2, random_state=0)


def test_one_class_in_fit_names_it(model, problem, layout):
    X, _, _ = problem
    with pytest.raises(ValueError, match="one class: 'spam'"):
        model.fit(layout(X), np.full(len(X), "spam"))
    assert not hasattr(model, "coef_")


def test_one_class_among_the_weighted_rows(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="one class: -1"):
        model.fit(X, y, sample_weight=(y < 0).astype(float))


def test_one_class_in_a_first_chunk_asks_for_classes(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="one class: 1"):
        model.partial_fit(X[y > 0], y[y > 0])
    model.partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
    assert np.isfinite(model.decision_function(X)).all()
    model.partial_fit(X[y < 0], y[y < 0])
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_nan_and_infinity_are_located(model, problem, layout, value, name):
    X, y, _ = problem
    model.partial_fit(layout(X), y)
    before = model.coef_.copy()
    bad = X.copy()
    bad[41, 13] = value
    for call in (model.partial_fit, model.fit, model.score):
        with pytest.raises(ValueError, match=f"{name} at row 41, column 13"):
            call(layout(bad), y)
    np.testing.assert_array_equal(model.coef_, before)


def test_values_whose_sum_overflows_are_finite(problem):
    X, y, _ = problem
    X = X.copy()
    X[:2] = 1e308
    with pytest.raises(ValueError, match="diverged"):
        SPAM().fit(X, y)


@pytest.mark.parametrize("n_rows", [0])
def test_empty_input(model, n_rows, layout):
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(layout(np.zeros((n_rows, 3))), np.zeros(n_rows))
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_fit(layout(np.zeros((n_rows, 3))), np.zeros(n_rows), classes=[0, 1])


def test_a_third_label_is_named(model, problem):
    X, y, _ = problem
    three = y.copy()
    three[5] = 7
    with pytest.raises(ValueError, match="y has the labels -1, 1, 7"):
        model.fit(X, three)
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="label 7, which is not one of the classes -1, 1"):
        model.partial_fit(X, three)
    with pytest.raises(ValueError, match="label 7"):
        model.score(X, three)
    with pytest.raises(ValueError, match="differs from those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_continuous_labels_are_refused(model, problem):
    X, _, _ = problem
    with pytest.raises(ValueError, match="continuous"):
        model.fit(X, X[:, 0])


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
    twin = type(model)(max_iter=2, random_state=0)
    np.testing.assert_allclose(model.fit(halves, y[::-1]).coef_, twin.fit(X[::-1], y[::-1]).coef_, atol=1e-12)
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


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((300, 1)), "for 300 rows; give one weight for each row"),
        (np.ones(299), "for 300 rows; give one weight for each row"),
        (np.r_[np.ones(299), -2.0], "sample_weight is -2 at row 299"),
        (np.r_[np.ones(299), np.nan], "nan at row 299"),
        (np.r_[np.inf, np.ones(299)], "inf at row 0"),
        (np.zeros(300), "sample_weight is zero on every row"),
    ],
)
def test_bad_weights(model, problem, weights, message):
    X, y, _ = problem
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, sample_weight=weights)


def test_a_diverging_chunk_leaves_the_model_as_it_was(problem):
    X, y, _ = problem
    model = SPAM().partial_fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Lower step_size"):
        model.set_params(step_size=1e200).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)
    model.set_params(step_size=1.0).partial_fit(X, y)
    twin = SPAM().partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, twin.coef_)


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("step_size", 0, "above 0"),
        ("step_size", "big", "above 0"),
        ("step_size", np.inf, "finite"),
        ("max_iter", 0, "whole number of at least 1"),
        ("max_iter", 2.0, "whole number"),
        ("tol", -1, "at least 0 or None"),
        ("average", 1, "True or False"),
        ("random_state", "seed", "RandomState"),
    ],
)
def test_bad_parameters_are_named(model, problem, name, value, wanted):
    X, y, _ = problem
    model.set_params(**{name: value})
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=f"{name} must be .*{wanted}"):
            call(X, y)


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
    twin = type(model)(max_iter=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.fit(form(X), y).coef_, twin.coef_, atol=1e-12)


@pytest.mark.parametrize("size", [1e-320, 1e308])
def test_weights_whose_sum_is_no_number(model, problem, size):
    X, y, _ = problem
    with pytest.raises(ValueError, match="sample_weight adds up to .* near 1"):
        model.fit(X, y, sample_weight=np.full(len(y), size))


def test_labels_without_an_order(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="y mixes labels that have no order"):
        model.fit(X, np.array(["spam" if k > 0 else 0 for k in y], dtype=object))
