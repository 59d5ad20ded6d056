"""Probabilities of calibrated models, and what those without any say."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import aucmax
from aucmax import AUCClassifier, AUCClassifierCV, OnlineAUCClassifier
from aucmax.calibration import fit_calibration
from aucmax.io import load_model, save_model

WITHOUT = [AUCClassifier, aucmax.SOLAM, aucmax.SPAM, aucmax.OPAUC]


@pytest.fixture(scope="module")
def rows():
    """Raw columns far from zero, so that scores of different folds have no common origin by themselves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4)) * [1, 10, 0.1, 1] + [0, 500, -20, 3]
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    y = rng.random(600) < 1 / (1 + np.exp(-(2 * z[:, 0] - z[:, 1] - 2)))
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize("loss", ["squared_hinge", "squared"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_probabilities_are_calibrated_on_held_out_scores(loss, form, rows, monkeypatch):
    monkeypatch.setattr("aucmax.batch.search.FOLD_TOL", 1e-8)
    X, y = rows
    splits = list(StratifiedKFold(4).split(X, y))
    model = AUCClassifierCV(loss, l2s=[1e-2], cv=splits, standardize=True, tol=1e-8).fit(form(X), y)
    centre = 0.5 * (X[y == "yes"].mean(axis=0) + X[y == "no"].mean(axis=0))
    held_out, signed = np.empty(len(y)), np.where(y == "yes", 1.0, -1.0)
    scale = model.feature_scale_
    for train, test in splits:
        alone = AUCClassifier(loss, l2=1e-2, standardize=False, tol=1e-8).fit(X[train] / scale, y[train])
        held_out[test] = ((X[test] - centre) / scale) @ alone.coef_[0]
    expected = fit_calibration(held_out, signed).probability((X - centre) @ model.coef_[0])
    found = model.predict_proba(form(X))
    np.testing.assert_allclose(found[:, 1], expected, atol=2e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_probabilities_rank_as_the_decision_function_and_beat_the_class_shares(rows):
    X, y = rows
    model = AUCClassifierCV().fit(X[::2], y[::2])
    order = np.argsort(model.decision_function(X))
    assert np.all(np.diff(model.predict_proba(X)[order, 1]) >= 0)
    shares = np.tile([(y == "no").mean(), (y == "yes").mean()], (len(y[1::2]), 1))
    assert log_loss(y[1::2], model.predict_proba(X[1::2])) < 0.9 * log_loss(y[1::2], shares)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_weights_count_in_the_probabilities(rows):
    X, y = rows
    model = AUCClassifierCV().fit(X, y, sample_weight=np.where(y == "yes", 5.0, 1.0))
    weighted_share = 5 * (y == "yes").sum() / (5 * (y == "yes").sum() + (y == "no").sum())
    mean = np.average(model.predict_proba(X)[:, 1], weights=np.where(y == "yes", 5.0, 1.0))
    assert mean == pytest.approx(weighted_share, abs=0.02)


def test_a_sigmoid_becomes_a_logistic_regression(rows):
    X, y = rows
    model = AUCClassifierCV(calibration="sigmoid").fit(X, y)
    assert model.calibration_.is_sigmoid
    plain = model.to_sklearn(probabilities=True)
    np.testing.assert_allclose(plain.predict_proba(X), model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(model.to_sklearn().decision_function(X), model.decision_function(X), atol=1e-9)
    with pytest.raises(ValueError, match='calibration="sigmoid"'):
        AUCClassifierCV().fit(X, y).to_sklearn(probabilities=True)
    online = OnlineAUCClassifier(random_state=0).fit(np.tile(X, (20, 1)), np.tile(y, 20))
    assert not online.calibration_.is_sigmoid
    with pytest.raises(ValueError, match='fit an AUCClassifierCV with calibration="sigmoid"'):
        online.to_sklearn(probabilities=True)


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_a_score_on_rows_of_one_class_names_its_label(labels, rows):
    X, y = rows
    y = np.where(y == "yes", labels[1], labels[0])
    model = AUCClassifier().fit(X, y)
    for label in labels:
        with pytest.raises(ValueError, match=f"there is only one class: {label!r}; AUC compares"):
            model.score(X[y == label], y[y == label])


@pytest.mark.parametrize("estimator", WITHOUT)
def test_models_without_held_out_scores_name_those_that_have_them(estimator, rows):
    X, y = rows
    model = estimator().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="AUCClassifierCV.*CalibratedClassifierCV"):
        model.predict_proba(X)


def test_calibrated_classifier_gives_any_model_probabilities(rows):
    X, y = rows
    assert CalibratedClassifierCV(AUCClassifier(), cv=3).fit(X, y).predict_proba(X).shape == (len(y), 2)


def test_model_files_keep_the_probabilities(rows, tmp_path):
    X, y = rows
    model = AUCClassifierCV().fit(X, y)
    save_model(model, tmp_path / "model.auc")
    np.testing.assert_array_equal(load_model(tmp_path / "model.auc").predict_proba(X), model.predict_proba(X))


def test_a_model_of_an_older_file_says_why_it_has_no_probabilities(rows):
    X, y = rows
    model = AUCClassifierCV().fit(X, y)
    del model.calibration_
    with pytest.raises(AttributeError, match=r"version 0\.1"):
        model.predict_proba(X)
