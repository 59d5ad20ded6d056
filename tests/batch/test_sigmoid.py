"""The sigmoid loss in AUCClassifier, and AUCClassifierCV's choice between it and the squared hinge."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, make_classification

from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV
from aucmax.metrics import auc
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.sigmoid import SIGMOID
from batch.problems import objective, optimum, ranked


def with_outliers(n=600, seed=0):
    """One column ranks most rows; a tenth of the positives lie far on the wrong side of it."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), rng.random(n) < 0.4
    X[y, 0] += 1.5
    far = y & (rng.random(n) < 0.1)
    X[far, 0] -= 12.0
    X[far, 1] += 3.0
    return X, y.astype(int)


def test_the_minimum_is_that_reached_by_lbfgs_from_the_squared_hinge(layout):
    X, y, weights = ranked()
    l2 = 0.002
    model = AUCClassifier("sigmoid", l2=l2, standardize=False, tol=1e-8).fit(layout(X), y, weights)
    convex = LOSSES["squared_hinge"]
    as_strong = l2 * convex.mean_curvature() / SIGMOID.mean_curvature()
    _, start = optimum(convex, X, y, weights, as_strong)
    function = objective(SIGMOID, X, y, weights, l2)
    found = minimize(function, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-11})
    np.testing.assert_allclose(model.coef_[0], found.x, rtol=1e-5)
    assert model.objective_ == pytest.approx(found.fun, rel=1e-10)


def test_weights_are_repeated_rows_and_layouts_agree():
    X, y, weights = ranked()
    X, times = np.round(X * 8) / 8, weights.astype(int)
    settings = dict(l2=0.005, standardize=False, tol=1e-7)
    one = AUCClassifier("sigmoid", **settings).fit(X, y, weights)
    repeated = AUCClassifier("sigmoid", **settings).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(repeated.coef_, one.coef_, rtol=1e-6)
    for other in (sparse.csr_array(X), X.astype(np.float32)):
        np.testing.assert_allclose(
            AUCClassifier("sigmoid", **settings).fit(other, y, weights).coef_, one.coef_, rtol=1e-6
        )


def test_units_of_columns_do_not_matter():
    X, y = with_outliers()
    factors = np.array([1e-5, 1.0, 1e4])
    one, other = (AUCClassifierCV(cv=3).fit(rows, y) for rows in (X, X * factors))
    assert one.loss_ == other.loss_ == "sigmoid"
    np.testing.assert_allclose(other.coef_ * factors, one.coef_, rtol=1e-4)


def test_auto_takes_the_sigmoid_where_few_rows_rule_a_convex_loss():
    X, y = with_outliers()
    X_test, y_test = with_outliers(4000, seed=1)
    auto, convex = AUCClassifierCV().fit(X, y), AUCClassifierCV("squared_hinge").fit(X, y)
    assert (auto.loss_, convex.loss_) == ("sigmoid", "squared_hinge")
    assert auto.score(X_test, y_test) > convex.score(X_test, y_test) + 0.05
    assert auto.scores_.mean(axis=1).max() > convex.scores_.mean(axis=1).max() + 0.05
    alone = AUCClassifier("sigmoid", l2=auto.l2_, standardize=auto.standardize_).fit(X, y)
    ratio = auto.coef_ / alone.coef_
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-3)
    spreads = [model.decision_function(X).std() for model in (auto, convex)]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.2)
    probability = auto.predict_proba(X_test)[:, 1]
    assert auc(y_test, probability) == pytest.approx(auto.score(X_test, y_test), abs=1e-9)


def test_rows_held_out_do_not_choose_the_minimum():
    """With little penalty, a fit of rows that can be separated ends near its start: it must know no more."""
    X, y = load_breast_cancer(return_X_y=True)
    model = AUCClassifierCV().fit(X[::2], y[::2])
    assert model.scores_.mean(axis=1).max() < 0.999


def test_auto_keeps_the_squared_hinge_where_it_ranks_as_well():
    X, y = make_classification(400, 8, n_clusters_per_class=1, flip_y=0.0, class_sep=3.0, random_state=0)
    auto, convex = AUCClassifierCV().fit(X, y), AUCClassifierCV("squared_hinge").fit(X, y)
    assert auto.loss_ == "squared_hinge"
    np.testing.assert_array_equal(auto.coef_, convex.coef_)


@pytest.mark.parametrize("settings", [{"max_fpr": 0.2}, {"l1": 0.001}, {"l2s": [1e-9, 1e-3, 1e3]}])
def test_auto_is_the_squared_hinge_with_other_goals(settings):
    X, y = with_outliers()
    assert AUCClassifierCV(**settings, cv=3).fit(X, y).loss_ == "squared_hinge"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"l1": 0.1}, "l1 must be 0 for loss='sigmoid'"),
        ({"l2": 0.0}, "l2 must be above 0 for loss='sigmoid'"),
        ({"push": 2.0}, "push must be 1 for a loss that is not convex"),
    ],
)
def test_settings_that_need_a_convex_loss_are_refused(settings, message):
    X, y = with_outliers()
    with pytest.raises(ValueError, match=message):
        AUCClassifier("sigmoid", **settings).fit(X, y)


def test_partial_auc_needs_a_convex_loss():
    X, y = with_outliers()
    allowed = r"AUCClassifierCV: loss must be convex for max_fpr=0.05, unless pushes=\[1\]; got 'sigmoid'"
    with pytest.raises(ValueError, match=allowed):
        AUCClassifierCV("sigmoid", max_fpr=0.05).fit(X, y)
    assert AUCClassifierCV("sigmoid", max_fpr=0.5, pushes=[1], cv=3, l2s=3).fit(X, y).push_ == 1.0


def test_rows_that_can_be_separated_end_well():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 60)), np.arange(30) % 2
    model = AUCClassifierCV("sigmoid", cv=3).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1.0
