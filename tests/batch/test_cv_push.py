"""AUCClassifierCV(max_fpr=..., pushes=...): what is judged, what is tried, and what is chosen."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from aucmax import AUCClassifier, AUCClassifierCV, io
from aucmax.metrics import auc, partial_auc
from batch.problems import ranked
from pairs.problems import NarrowCells

L2S = [1e-2, 1.0]


def with_confusing_negatives(n=3000, seed=0):
    """A few negatives score above the positives by the first column; only the second tells them apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    odd = rng.random(n) < 0.05
    y = (rng.random(n) < 0.1) & ~odd
    X[y] += [2.0, 0.0, 0.0]
    X[odd] += [3.0, 2.0, 0.0]
    return X, y


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_scores_are_partial_aucs_of_separate_fits(layout, loss, weighted, monkeypatch):
    monkeypatch.setattr("aucmax.batch.search.FOLD_TOL", 1e-8)
    X, y, weights = ranked(n=160)
    weights = weights if weighted else np.ones(len(y))
    splits = list(StratifiedKFold(3).split(X, y))
    settings = {"standardize": False, "tol": 1e-8}
    for push in (1.0, 3.0):
        model = AUCClassifierCV(loss, l2s=L2S, cv=splits, max_fpr=0.5, pushes=[push], **settings)
        model.fit(layout(X), y, weights)
        assert model.push_ == push
        for k, (train, test) in enumerate(splits):
            for row, l2 in enumerate(L2S):
                alone = AUCClassifier(loss, l2=l2, push=push, **settings)
                found = X[test] @ alone.fit(X[train], y[train], weights[train]).coef_[0]
                expected = roc_auc_score(y[test], found, sample_weight=weights[test], max_fpr=0.5)
                assert model.scores_[row, k] == pytest.approx(expected, abs=1e-6)
        alone = AUCClassifier(loss, l2=model.l2_, push=push, **settings).fit(X, y, weights)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-4)


def test_a_push_is_chosen_where_it_helps_and_score_stays_auc():
    X, y = with_confusing_negatives()
    X_test, y_test = with_confusing_negatives(20_000, seed=1)
    plain, top = AUCClassifierCV().fit(X, y), AUCClassifierCV(max_fpr=0.05).fit(X, y)
    assert (plain.push_, top.push_ > 1.0) == (1.0, True)
    at_top = [partial_auc(y_test, model.decision_function(X_test), 0.05) for model in (plain, top)]
    assert at_top[1] > 1.2 * at_top[0]
    assert top.score(X_test, y_test) == auc(y_test, top.decision_function(X_test))
    assert top.scores_.max() < plain.scores_.min()  # partial AUC is lower here
    alone = AUCClassifier(l2=top.l2_, push=top.push_).fit(X, y)
    np.testing.assert_allclose(top.coef_, alone.coef_, rtol=1e-2)


def test_only_one_is_tried_without_max_fpr_and_lists_are_tried_in_order():
    X, y = with_confusing_negatives()
    assert AUCClassifierCV().fit(X, y).push_ == 1.0
    assert AUCClassifierCV(pushes=[3]).fit(X, y).push_ == 3.0
    assert AUCClassifierCV(max_fpr=0.05, pushes=(16.0, 4.0)).fit(X, y).push_ in (4.0, 16.0)


@pytest.mark.filterwarnings("ignore:AUCClassifierCV. the best of the given l2s")
def test_given_l2s_are_tried_for_every_push():
    X, y = with_confusing_negatives()
    model = AUCClassifierCV(l2s=L2S, max_fpr=0.05).fit(X, y)
    np.testing.assert_array_equal(model.l2s_, L2S)
    assert model.push_ > 1.0
    assert model.scores_.shape[0] == len(L2S)


@pytest.mark.parametrize("parameters", [{"loss": "hinge"}, {"loss": "logistic"}, {"l1": 0.02}])
def test_every_loss_and_penalty(parameters):
    X, y = with_confusing_negatives()
    model = AUCClassifierCV(l2s=4, cv=3, max_fpr=0.1, **parameters).fit(X, y)
    assert model.push_ > 1.0
    assert model.score(X, y) > 0.7


def test_scaling_and_push_of_sparse_columns():
    X, y = with_confusing_negatives()
    X = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = AUCClassifierCV(max_fpr=0.1).fit(X, y)
    assert model.standardize_ in (0.5, 0.75, 1.0)
    assert model.push_ > 1.0


def test_rows_of_float32():
    X, y = with_confusing_negatives()
    X = np.round(X * 64) / 64  # exact in float32
    one, other = (AUCClassifierCV(max_fpr=0.1, cv=3).fit(rows, y) for rows in (X, X.astype(np.float32)))
    assert one.push_ == other.push_
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-4)


def test_few_negatives_in_the_partial_area_warn():
    X, y = with_confusing_negatives(600)
    with pytest.warns(UserWarning, match=r"too few to judge settings up to max_fpr=0.02: .* up to 0.09"):
        few = AUCClassifierCV(max_fpr=0.02).fit(X, y)
    with pytest.warns(UserWarning, match="judged up to"):
        fewer = AUCClassifierCV(max_fpr=0.001).fit(X, y)
    np.testing.assert_array_equal(few.scores_, fewer.scores_)


def test_clones_pickles_and_files_keep_the_push(tmp_path):
    X, y = with_confusing_negatives()
    model = AUCClassifierCV(max_fpr=0.1, pushes=[2.0, 4.0]).fit(X, y)
    parameters = clone(model).get_params()
    assert (parameters["max_fpr"], parameters["pushes"]) == (0.1, [2.0, 4.0])
    assert "push" not in parameters
    io.save_model(model, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(model)), io.load_model(tmp_path / "model")):
        assert (other.push_, other.max_fpr, list(other.pushes)) == (model.push_, 0.1, [2.0, 4.0])
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("max_fpr", [0, 0.0, -0.1, 1.5, np.nan, "0.1", True])
def test_bad_rates_are_named(max_fpr):
    X, y, _ = ranked()
    with pytest.raises(
        ValueError, match="AUCClassifierCV: max_fpr must be None or a number above 0 and at most 1"
    ):
        AUCClassifierCV(max_fpr=max_fpr).fit(X, y)


@pytest.mark.parametrize("pushes", [[], [0.5], [1, np.nan], 2.0, "all", [[1, 2]], ["2"]])
def test_bad_pushes_are_named(pushes):
    X, y, _ = ranked()
    with pytest.raises(
        ValueError, match="AUCClassifierCV: pushes must be 'auto' or a list of finite numbers of"
    ):
        AUCClassifierCV(pushes=pushes).fit(X, y)


def test_a_loss_below_zero_is_refused():
    X, y, _ = ranked()
    with pytest.raises(ValueError, match="AUCClassifierCV: push must be 1 for a loss that goes below zero"):
        AUCClassifierCV(NarrowCells(), max_fpr=0.5).fit(X, y)
