"""AUCClassifierCV: what it chooses, and that folds are fitted as if alone."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.preprocessing import normalize

from aucmax.batch import closed_form
from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV
from batch.problems import ranked

L2S = [1e-3, 1e-1, 10.0]


def by_hand(loss, X, y, weights, splits):
    """Held-out AUC of one fit after another."""
    scores = np.empty((len(L2S), len(splits)))
    for k, (train, test) in enumerate(splits):
        for row, l2 in enumerate(L2S):
            model = AUCClassifier(loss, l2=l2, standardize=False, tol=1e-8)
            found = X[test] @ model.fit(X[train], y[train], weights[train]).coef_[0]
            scores[row, k] = roc_auc_score(y[test], found, sample_weight=weights[test])
    return scores


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
@pytest.mark.parametrize("splitter", [StratifiedKFold(4), ShuffleSplit(3, train_size=0.5, random_state=0)])
def test_scores_are_those_of_separate_fits(layout, loss, splitter, monkeypatch):
    monkeypatch.setattr("aucmax.batch.search.FOLD_TOL", 1e-8)
    X, y, weights = ranked(n=120)
    splits = list(splitter.split(X, y))
    model = AUCClassifierCV(loss, l2s=L2S, cv=splits, standardize=False, one_se=True, tol=1e-8)
    model.fit(layout(X), y, weights)
    np.testing.assert_allclose(model.scores_, by_hand(loss, X, y, weights, splits), atol=1e-6)
    alone = AUCClassifier(loss, l2=model.l2_, standardize=False, tol=1e-8).fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-5)


@pytest.mark.parametrize("parameters", [{"loss": "hinge"}, {"loss": "logistic"}, {"l1": 0.02}])
def test_every_loss_and_penalty_has_a_path(parameters):
    X, y, _ = ranked(n=120)
    model = AUCClassifierCV(l2s=4, cv=3, **parameters).fit(X, y)
    assert model.scores_.shape == (len(model.l2s_), 3 * 5)  # few rows: the folds are drawn five times
    assert len(model.l2s_) >= 4
    assert np.all(np.diff(model.l2s_) > 0)
    assert model.score(X, y) > 0.8


def test_squared_loss_by_iterations(monkeypatch):
    X, y, _ = ranked(n=120)
    direct = AUCClassifierCV("squared", l2s=L2S).fit(X, y)
    monkeypatch.setattr(closed_form, "MAX_FEATURES", 2)
    monkeypatch.setattr("aucmax.batch.search.FOLD_TOL", 1e-8)
    iterated = AUCClassifierCV("squared", l2s=L2S, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(iterated.scores_, direct.scores_, atol=1e-6)


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_scores_of_folds_are_close_to_those_of_exact_fits(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 40))
    y = X @ rng.normal(size=40) + 2.0 * rng.normal(size=600) > 0.0
    model = AUCClassifierCV(l2s=np.logspace(-5, 1, 13), tol=1e-8)
    found = model.fit(X, y).scores_
    monkeypatch.setattr("aucmax.batch.search.FOLD_TOL", 1e-8)
    np.testing.assert_allclose(found, model.fit(X, y).scores_, atol=8e-4)


def test_one_standard_error_prefers_a_larger_l2():
    X, y, _ = ranked(n=200, seed=3)
    plain, simple = (AUCClassifierCV("squared", one_se=one_se).fit(X, y) for one_se in (False, True))
    assert simple.l2_ >= plain.l2_
    mean = simple.scores_.mean(axis=1)
    error = simple.scores_[np.argmax(mean)].std(ddof=1) / np.sqrt(5)
    assert mean[list(simple.l2s_).index(simple.l2_)] >= mean.max() - error


def test_fewer_folds_where_a_class_is_small_and_refusal_where_it_is_one_row():
    X, y, _ = ranked()
    few = np.concatenate((np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)))
    with pytest.warns(UserWarning, match="only 3 folds are drawn, not 5, because the rarer class has 3 rows"):
        assert AUCClassifierCV("squared").fit(X[few], y[few]).scores_.shape[1] == 3 * 5
    with pytest.raises(ValueError, match="cv=5"):
        AUCClassifierCV("squared").fit(X[few[2:]], y[few[2:]])
    with pytest.raises(ValueError, match="one class only"):
        AUCClassifierCV(cv=[(few, few[:3])]).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [({"l2s": [-1.0]}, "l2s"), ({"l2s": 0}, "l2s"), ({"cv": 1}, "cv"), ({"one_se": 1}, "one_se")],
)
def test_bad_parameters_are_named(parameters, name):
    X, y, _ = ranked()
    with pytest.raises(ValueError, match=name):
        AUCClassifierCV(**parameters).fit(X, y)


def test_folds_that_stop_early_do_not_choose_too_small_an_l2(real):
    """On news20 the least penalty looks best, by fits that end at the tolerance of folds."""
    X, labels = real("news20")
    X, y = normalize(X), labels % 2 == 0
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=labels)
    model = AUCClassifierCV("squared_hinge", standardize=False).fit(X[train], y[train])
    assert 3e-5 < model.l2_ < 1e-3
    assert model.score(X[test], y[test]) > 0.9505


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_verbose_prints_a_line_for_each_fold(capsys):
    X, y, _ = ranked()
    splits = list(StratifiedKFold(3).split(X, y))
    AUCClassifierCV(l2s=[1e-2, 1e-1, 1.0, 10.0], cv=splits, verbose=1).fit(X, y)
    lines = [line for line in capsys.readouterr().out.splitlines() if "fold" in line]
    assert [line.split(":")[0] for line in lines[:3]] == [
        f"[AUCClassifierCV] fold {k} of 3" for k in (1, 2, 3)
    ]
    assert lines[0].endswith("4 values of l2")


@pytest.mark.parametrize("loss", ["squared_hinge", "squared"])
def test_standard_errors_are_those_of_a_jackknife_over_the_folds(loss):
    X, y, _ = ranked(150, 4)
    folds = StratifiedKFold(6, shuffle=True, random_state=0)
    model = AUCClassifierCV(loss, l2s=[0.02], cv=folds, tol=1e-10).fit(X, y)
    scaled, fold = X / model.feature_scale_, AUCClassifier(loss, l2=0.02, standardize=False, tol=1e-10)
    coefs = [fold.fit(scaled[train], y[train]).coef_[0] for train, _ in folds.split(X, y)]
    expected = np.sqrt(5 * np.var(coefs, axis=0))
    np.testing.assert_allclose(model.coef_se_[0] * model.feature_scale_, expected, rtol=5e-3)


def test_the_intervals_of_the_jackknife_cover_the_weights():
    rng, found, errors = np.random.default_rng(0), [], []
    for _ in range(60):
        X = rng.normal(size=(300, 3))
        y = X @ [1.0, -0.5, 0.0] + rng.logistic(size=300) > 1.0
        model = AUCClassifierCV(l2s=[0.01], cv=StratifiedKFold(5), n_jobs=1).fit(X, y)
        found.append(model.coef_[0])
        errors.append(model.coef_se_[0])
    inside = np.abs(found - np.mean(found, axis=0)) < stats.t.isf(0.025, 4) * np.array(errors)
    assert 0.9 < inside.mean() < 0.99
