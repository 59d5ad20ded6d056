"""Rows one at a time as dicts: the same model as from arrays, in river's loops and pipelines."""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy import sparse

from aucmax.compat.river import RiverAUC
from aucmax.streaming.estimator import OnlineAUCClassifier
from oracles.pairs import auc


def learnt(model, X, y):
    for row, label in zip(X, y, strict=True):
        model.learn_one({f"x{j}": value for j, value in enumerate(row)}, label > 0)
    return model


@pytest.mark.parametrize("settings", [{}, {"half_life": 50, "l2": 0.01}])
def test_dense_rows_give_the_model_of_the_array(problem, settings):
    X, y, _ = problem
    model = learnt(RiverAUC(OnlineAUCClassifier(**settings)), X[:100], y[:100])
    array = OnlineAUCClassifier(**settings).partial_fit(X[:100], y[:100])
    scores = [model.predict_score_one({f"x{j}": v for j, v in enumerate(row)}) for row in X[100:120]]
    np.testing.assert_allclose(scores, array.decision_function(X[100:120]), atol=1e-12)
    assert model.auc_ == array.auc_


@pytest.mark.parametrize("settings", [{}, {"half_life": 50, "l2": 0.01}])
def test_a_growing_vocabulary_gives_the_model_of_the_full_one(problem, settings):
    X, y, _ = problem
    X = np.tile(X, (1, 10))  # more columns than the first room
    X[:150, 100:] = 0.0
    model = RiverAUC(OnlineAUCClassifier(center=False, **settings))
    for row, label in zip(X, y, strict=True):
        model.learn_one({int(j): row[j] for j in np.flatnonzero(row)}, label > 0)
    array = OnlineAUCClassifier(center=False, **settings).partial_fit(sparse.csr_array(X), y)
    assert list(model.vocabulary) != sorted(model.vocabulary)
    scores = [model.predict_score_one(dict(enumerate(row))) for row in X[:20]]
    np.testing.assert_allclose(scores, array.decision_function(X[:20]), atol=1e-10)


def test_dense_rows_may_grow(problem):
    X, y, _ = problem
    X = np.tile(X, (1, 3))
    X[:150, 20:] = 0.0
    model = RiverAUC(OnlineAUCClassifier(reservoir=30))
    for row, label in zip(X, y, strict=True):
        model.learn_one({int(j): row[j] for j in np.flatnonzero(row)}, label > 0)
    array = OnlineAUCClassifier(reservoir=30).partial_fit(X, y)
    scores = [model.predict_score_one(dict(enumerate(row))) for row in X[:20]]
    np.testing.assert_allclose(scores, array.decision_function(X[:20]), atol=1e-8)


def test_late_names_keep_the_scores_of_dense_rows(problem):
    X, y, _ = problem
    model = learnt(RiverAUC(), X, y)
    row = {f"x{j}": value for j, value in enumerate(X[0])}
    before = model.predict_score_one(row)
    model._column("new", grow=True)
    assert model.predict_score_one(row) == pytest.approx(before, abs=1e-12)
    assert model.predict_score_one({**row, "unknown": 5.0}) == pytest.approx(before, abs=1e-12)
    for k in range(200):
        model.learn_one({**row, "new": float(k % 2)}, bool(k % 2))
    assert model.predict_score_one({**row, "new": 1.0}) > model.predict_score_one({**row, "new": 0.0})


def test_hashing_bounds_the_memory():
    model, rng = RiverAUC(n_features=256), np.random.default_rng(0)
    for k in range(600):
        good = bool(k % 2)
        model.learn_one({"good" if good else "bad": 1.0, f"word {rng.integers(10**6)}": 0.3}, good)
    assert model._learner._model("coef_").columns.table.shape == (256, 4)
    assert not model.vocabulary
    assert model.predict_score_one({"good": 1.0}) > 0 > model.predict_score_one({"bad": 1.0})


def test_strings_weights_and_labels():
    model = RiverAUC(positive="yes")
    assert model.predict_one({"kind": "a"}) is None
    for k in range(60):
        model.learn_one({"kind": "ab"[k % 2], "flag": k % 3 == 0}, "yes" if k % 2 else "no")
    assert set(model.vocabulary) == {"kind=a", "kind=b", "flag"}
    assert [model.predict_one({"kind": kind}) for kind in "ab"] == ["no", "yes"]
    before = pickle.dumps(model)
    model.learn_one({"kind": "a"}, "no", w=0.0)
    assert pickle.dumps(model) == before
    copy = pickle.loads(before)
    for each in (model, copy):
        each.learn_one({"kind": "b"}, "yes", w=2.0)
    assert copy.predict_score_one({"kind": "b"}) == model.predict_score_one({"kind": "b"})


@pytest.mark.parametrize(
    ("x", "w", "message"),
    [
        ({"a": math.nan}, 1.0, "'a' is nan"),
        ({"b": 1.0, "a": None}, 1.0, "the value of 'a' is None; leave such names out"),
        ({"a": [1.0, 2.0]}, 1.0, "'a' is \\[1.0, 2.0\\]"),
        ({"a": 10**400}, 1.0, "'a' is 1000"),
        ({"a": 1.0}, -1.0, "w must"),
        ({"a": 1.0}, math.inf, "w must"),
    ],
)
def test_bad_rows_are_refused(x, w, message):
    with pytest.raises(ValueError, match=message):
        RiverAUC().learn_one(x, True, w)


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="n_features"):
        RiverAUC(n_features=0)
    with pytest.raises(ValueError, match="reservoir"):
        RiverAUC(OnlineAUCClassifier(reservoir=-1))


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1, 2]])
def test_labels_that_do_not_say_which_one_ranks_high_are_refused(labels):
    model = RiverAUC()
    for label in labels[:-1]:
        if label in (False, True):
            model.learn_one({"size": 1.0}, label)
    with pytest.raises(ValueError, match=r"label ('yes'|2) is neither True nor False; name .*positive="):
        model.learn_one({"size": 1.0}, labels[-1])
    for label in labels:
        RiverAUC(positive=labels[1]).learn_one({"size": 1.0}, label)


def test_probabilities_are_those_of_the_array(problem):
    X, y, _ = problem
    model, array = learnt(RiverAUC(), X, y), OnlineAUCClassifier().partial_fit(X, y)
    found = [model.predict_proba_one({f"x{j}": v for j, v in enumerate(row)}) for row in X[:20]]
    expected = array.predict_proba(X[:20])
    np.testing.assert_allclose([[p[False], p[True]] for p in found], expected, atol=1e-12)
    assert RiverAUC().predict_proba_one({"x0": 1.0}) == {False: 0.5, True: 0.5}


def test_in_rivers_own_loop():
    pytest.importorskip("river", reason="river is not installed")
    from river import base, compose, datasets, evaluate, metrics, preprocessing

    def rows():
        return list(datasets.Phishing())

    model = RiverAUC()
    metric = evaluate.progressive_val_score(rows(), model, metrics.ROCAUC(n_thresholds=100))
    assert metric.get() > 0.93
    assert model.auc_ > 0.93
    rolling = metrics.RollingROCAUC(window_size=2000)
    evaluate.progressive_val_score(rows(), RiverAUC(), rolling)
    y = [label for _, label in rows()]
    fresh, scores = RiverAUC(), []
    for x, label in rows():
        scores.append(fresh.predict_score_one(x))
        fresh.learn_one(x, label)
    assert model.auc_ == pytest.approx(auc(np.array(y) * 2 - 1, scores), abs=0.02)
    assert rolling.get() == pytest.approx(model.auc_, abs=0.02)

    pipeline = compose.Pipeline(preprocessing.StandardScaler(), RiverAUC())
    accuracy = evaluate.progressive_val_score(rows(), pipeline, metrics.BalancedAccuracy())
    assert accuracy.get() > 0.85
    copy = model.clone()
    assert copy.predict_score_one(rows()[0][0]) == 0.0
    assert isinstance(copy, base.Classifier)


def test_a_copy_is_a_model_of_its_own(problem):
    X, y, _ = problem
    model = learnt(RiverAUC(), X, y)
    score = model.predict_score_one({"x0": 1.0})
    learnt(copy.copy(model), X[:5], 1 - y[:5])
    assert model.predict_score_one({"x0": 1.0}) == score


def test_a_refused_row_leaves_no_names():
    model = RiverAUC()
    with pytest.raises(ValueError, match="'bad' is nan"):
        model.learn_one({"good": 1.0, "bad": float("nan")}, True)
    model.learn_one({"light": 1.0}, True, w=0.0)
    assert not model.vocabulary
