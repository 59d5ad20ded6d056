"""Models of aucmax in scikit-learn's tools, those that need probabilities too."""

import matplotlib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier, AUCClassifierCV

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def halves():
    """``X, y`` for training, and for a test."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def fitted(halves):
    """A model with probabilities."""
    return AUCClassifierCV().fit(*halves[:2])


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression())


def test_soft_voting(halves, fitted):
    X, y, X_test, _ = halves
    voting = VotingClassifier([("auc", AUCClassifierCV()), ("logistic", logistic())], voting="soft").fit(X, y)
    expected = (fitted.predict_proba(X_test) + logistic().fit(X, y).predict_proba(X_test)) / 2
    np.testing.assert_allclose(voting.predict_proba(X_test), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_stacking(halves, method):
    X, y, X_test, y_test = halves
    models = [("auc", AUCClassifierCV()), ("logistic", logistic())]
    stack = StackingClassifier(models, LogisticRegression(), stack_method=method, cv=3).fit(X, y)
    outputs = [getattr(clone(model).fit(X, y), method)(X_test) for _, model in models]
    expected = np.column_stack([found if found.ndim == 1 else found[:, 1] for found in outputs])
    np.testing.assert_allclose(stack.transform(X_test), expected, rtol=0, atol=1e-9)
    assert stack.score(X_test, y_test) > 0.9


def test_calibration_display(halves, fitted):
    _, _, X_test, y_test = halves
    display = CalibrationDisplay.from_estimator(fitted, X_test, y_test, n_bins=5)
    np.testing.assert_array_equal(display.y_prob, fitted.predict_proba(X_test)[:, 1])
    matplotlib.pyplot.close("all")


def test_log_loss_as_scoring(halves, fitted):
    X, y, X_test, y_test = halves
    cv = [(np.arange(len(X)), len(X) + np.arange(len(X_test)))]
    both = np.concatenate([X, X_test]), np.concatenate([y, y_test])
    found = cross_val_score(AUCClassifierCV(), *both, scoring="neg_log_loss", cv=cv)
    assert -found[0] == pytest.approx(log_loss(y_test, fitted.predict_proba(X_test)), abs=1e-9)
    assert -found[0] < 0.25


def test_grid_search(halves):
    X, y, _, _ = halves
    grid = {"l2": [1e-3, 1e-1], "loss": ["squared", "logistic"]}
    search = GridSearchCV(AUCClassifier(), grid, cv=3).fit(X, y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"]) > 0.98


def test_thresholds(halves, fitted):
    X, y, X_test, _ = halves
    tuned = TunedThresholdClassifierCV(AUCClassifierCV(), scoring="balanced_accuracy", cv=3).fit(X, y)
    positive = fitted.predict_proba(X_test)[:, 1]
    np.testing.assert_array_equal(tuned.predict(X_test), (positive >= tuned.best_threshold_).astype(int))
    accuracy = [balanced_accuracy_score(y, model.predict(X)) for model in (tuned, fitted)]
    assert accuracy[0] >= accuracy[1] - 0.02
    fixed = FixedThresholdClassifier(fitted, threshold=0.9, response_method="predict_proba").fit(X, y)
    np.testing.assert_array_equal(fixed.predict(X_test), (positive >= 0.9).astype(int))


def test_calibrated_classifier_for_models_without_probabilities(halves):
    X, y, X_test, y_test = halves
    calibrated = CalibratedClassifierCV(AUCClassifier(), ensemble=False).fit(X, y)
    assert log_loss(y_test, calibrated.predict_proba(X_test)) < 0.25


def test_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = OneVsRestClassifier(AUCClassifierCV()).fit(X, y)
    assert model.score(X, y) > 0.9
    each = [AUCClassifierCV().fit(X, y == k).predict_proba(X)[:, 1] for k in range(3)]
    expected = np.column_stack(each) / np.sum(each, axis=0)[:, None]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-9)
