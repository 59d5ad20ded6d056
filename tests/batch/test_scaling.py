"""The penalty in the columns' own units, against fits of columns that are divided by hand."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.losses import LOSSES
from aucmax.validation.columns import ColumnWarning
from batch.problems import ranked


def spread_by_hand(X, y, weights, is_sparse):
    """Standard deviation within classes, all rows counted alike; root mean square for sparse columns."""
    X = X.toarray() if is_sparse else X
    if is_sparse:
        return np.sqrt(np.average(X**2, axis=0, weights=weights))
    centred = X.copy()
    for label in (-1, 1):
        centred[y == label] -= np.average(X[y == label], axis=0, weights=weights[y == label])
    return np.sqrt(np.average(centred**2, axis=0, weights=weights))


@pytest.mark.parametrize("settings", [{"loss": loss} for loss in LOSSES] + [{"l1": 0.02}])
@pytest.mark.parametrize("exponent", [0.5, 1.0])
def test_equals_a_fit_of_divided_columns(layout, settings, exponent):
    X, y, weights = ranked()
    X = layout(X * np.geomspace(0.1, 10.0, X.shape[1]))
    spread = spread_by_hand(X, y, weights, sparse.issparse(X))
    divided = layout((X.toarray() if sparse.issparse(X) else X) / spread**exponent)
    limits = {"tol": 1e-9, "max_iter": 1000} if settings.get("loss") != "hinge" else {"tol": 1e-6}
    ours = AUCClassifier(l2=0.1, standardize=exponent, **settings, **limits).fit(X, y, weights)
    by_hand = AUCClassifier(l2=0.1, standardize=False, **settings, **limits).fit(divided, y, weights)
    np.testing.assert_allclose(ours.feature_scale_, spread, rtol=1e-10)
    np.testing.assert_allclose(ours.objective_, by_hand.objective_, rtol=1e-6)
    tolerance = 1e-2 if settings.get("loss") == "hinge" else 1e-6
    np.testing.assert_allclose(ours.coef_ * spread**exponent, by_hand.coef_, rtol=tolerance, atol=1e-6)


@pytest.mark.parametrize("model", [AUCClassifier, AUCClassifierCV])
def test_units_of_columns_change_no_score(model):
    X, y, _ = ranked(n=200)
    factors = 10.0 ** np.random.default_rng(0).uniform(-6, 6, X.shape[1])
    plain, scaled = model(tol=1e-8).fit(X, y), model(tol=1e-8).fit(X * factors, y)
    np.testing.assert_allclose(
        scaled.decision_function(X * factors), plain.decision_function(X), rtol=1e-4, atol=1e-5
    )
    assert scaled.l2_ == pytest.approx(plain.l2_)


def test_shift_of_columns_changes_no_score():
    X, y, _ = ranked()
    plain, shifted = AUCClassifier(tol=1e-8).fit(X, y), AUCClassifier(tol=1e-8).fit(X + 1e5, y)
    np.testing.assert_allclose(shifted.coef_, plain.coef_, rtol=1e-4, atol=1e-6)


def test_constant_columns_get_no_weight_and_columns_constant_in_each_class_do():
    X, y, _ = ranked()
    X = np.column_stack([X, np.full(len(y), 0.1), 3.0 + 1e-3 * (y > 0)])
    with pytest.warns(UserWarning, match="1 of 7 columns are constant"):
        model = AUCClassifier().fit(X, y)
    assert model.coef_[0, -2] == 0.0
    assert model.feature_scale_[-2] == 0.0
    assert model.coef_[0, -1] > 0.0
    assert model.score(X, y) == 1.0


def test_float32_and_read_only_rows_are_not_copied():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 200)).astype(np.float32) * np.geomspace(1e-3, 1e3, 200, dtype=np.float32)
    y = X[:, 0] * 1e3 + rng.normal(size=len(X)) > 1.5
    X.flags.writeable = False
    AUCClassifier(n_jobs=1).fit(X, y)  # compiles
    tracemalloc.start()
    AUCClassifier(n_jobs=1).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.75 * X.nbytes


def test_auto_is_one_for_dense_and_a_half_for_sparse_columns():
    X, y, _ = ranked()
    for rows, exponent in ((X, 1.0), (sparse.csr_array(X), 0.5)):
        auto, given = AUCClassifier().fit(rows, y), AUCClassifier(standardize=exponent).fit(rows, y)
        np.testing.assert_array_equal(auto.coef_, given.coef_)
        searched = AUCClassifierCV(standardize=exponent).fit(rows, y)
        assert searched.standardize_ == exponent


def test_the_exponent_of_sparse_columns_is_chosen_by_cross_validation(real):
    X, labels = real("w8a")
    rows = np.flatnonzero(np.arange(X.shape[0]) % 4 == 0)
    model = AUCClassifierCV().fit(X[rows], labels[rows])
    assert model.standardize_ in (0.5, 0.75, 1.0)
    assert model.scores_.shape[0] == len(model.l2s_)
    fixed = AUCClassifier(l2=model.l2_, standardize=model.standardize_).fit(X[rows], labels[rows])
    np.testing.assert_allclose(fixed.coef_, model.coef_, rtol=0.05, atol=2e-3)


def test_raw_columns_rank_as_well_as_standardised_ones(real):
    X, labels = real("australian")
    X, y = X.toarray(), labels
    mean, std = X.mean(axis=0), X.std(axis=0)
    for model in (AUCClassifier(), AUCClassifierCV()):
        raw, standardised = (
            model.fit(X, y).score(X, y),
            model.fit((X - mean) / std, y).score((X - mean) / std, y),
        )
        assert raw == pytest.approx(standardised, abs=5e-4)


@pytest.mark.parametrize("value", ["yes", -0.1, 1.5, None, np.nan])
@pytest.mark.parametrize("model", [AUCClassifier, AUCClassifierCV])
def test_bad_values_are_refused(model, value):
    X, y, _ = ranked()
    with pytest.raises(ValueError, match="standardize must be 'auto' or True or False or a number"):
        model(standardize=value).fit(X, y)


@pytest.mark.parametrize("value", [1.0, 0.3, 1e9])
def test_sparse_columns_that_are_constant_get_no_weight(value):
    """Sums in another order differ by rounding, which is no difference between the classes."""
    rng = np.random.default_rng(0)
    y = rng.random(12345) < 0.24
    constant = sparse.csr_array(np.full((len(y), 1), value))
    with pytest.warns(
        ColumnWarning, match="1 of 1 columns are constant and get weight 0: column 0"
    ) as caught:
        model = AUCClassifier().fit(constant, y)
    assert len(caught) == 1  # none of convergence
    assert model.coef_.tolist() == [[0.0]]
    other = sparse.csr_array((rng.random((len(y), 1)) < 0.001) * (y[:, None] + 0.5))
    both = AUCClassifier().fit(sparse.hstack([constant, other], format="csr"), y)  # as empty ones: no warning
    assert both.coef_[0, 0] == 0.0
    np.testing.assert_allclose(both.coef_[0, 1], AUCClassifier().fit(other, y).coef_[0, 0], rtol=1e-6)
