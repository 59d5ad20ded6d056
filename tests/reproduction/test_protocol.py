"""Tuning and evaluation: against scikit-learn's search, and independent of the test rows."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from aucmax import SOLAM, UniExp
from aucmax.reproduction import protocol
from aucmax.reproduction.methods import METHODS, Method, powers
from aucmax.reproduction.protocol import Protocol, evaluate_splits, l2_path, sample_rows, tune

UNIEXP = Method("UniExp", UniExp(random_state=0), {"step_size": powers(4.0, -5, 3)})


def test_folds_are_repeated_and_stratified():
    y = np.repeat([0, 1], [80, 20])
    splits = Protocol(2, 5).splits(y, 0)
    assert len(splits) == Protocol(2, 5).n_splits() == 10
    for repeat in (splits[:5], splits[5:]):
        assert sorted(np.concatenate([test for _, test in repeat])) == list(range(100))
    assert all(y[test].sum() == 4 and not set(train) & set(test) for train, test in splits)
    assert not np.array_equal(splits[0][1], splits[5][1])


def test_without_folds_a_fifth_is_held_out():
    y = np.repeat([0, 1], [80, 20])
    splits = Protocol(3, 0).splits(y, 0)
    assert [len(test) for _, test in splits] == [20, 20, 20]


def test_slow_methods_get_fewer_splits():
    y = np.repeat([0, 1], 50)
    assert (
        len(Protocol(10, 5).splits(y, 0, fewer=True))
        == Protocol(10, 5).n_splits(fewer=True)
        == protocol.FEWER_SPLITS
    )


def test_tuning_is_a_grid_search(problem):
    X, y, _ = problem
    folds = StratifiedKFold(protocol.INNER_FOLDS, shuffle=True, random_state=3)
    search = GridSearchCV(UNIEXP.make(20), UNIEXP.grid, cv=folds, scoring="roc_auc")
    assert tune(UNIEXP, X, y, 3) == search.fit(X, y).best_params_


def test_a_screening_leaves_a_third_of_the_grid(problem, monkeypatch):
    """On wide data with many rows: the whole grid on one fold with few passes, the best of it on all."""
    X, y, _ = problem
    method, searches = UNIEXP._replace(screening={"max_iter": 1}), []

    def search(model, grid, X, y, folds):
        found = GridSearchCV(model, grid, cv=folds, scoring="roc_auc", refit=False).fit(X, y)
        searches.append((model.max_iter, found.n_splits_, found.cv_results_))
        return found

    monkeypatch.setattr(protocol, "_search", search)
    tune(method, X, y, 3)
    assert [len(results["params"]) for _, _, results in searches] == [9]
    monkeypatch.setattr(protocol, "WIDE", X.shape[1])
    monkeypatch.setattr(protocol, "SLOW_TUNING_ROWS", len(y) - 1)
    searches.clear()
    chosen = tune(method, X, y, 3)
    (passes, n_folds, screened), (all_passes, all_folds, results) = searches
    assert (passes, n_folds, all_passes, all_folds) == (1, 1, UNIEXP.model.max_iter, protocol.INNER_FOLDS)
    assert len(screened["params"]) == 9
    best = [screened["params"][k] for k in np.argsort(-screened["mean_test_score"], kind="stable")[:3]]
    assert sorted(each["step_size"] for each in best) == [each["step_size"] for each in results["params"]]
    assert chosen == results["params"][np.argmax(results["mean_test_score"])]


def test_l2_is_tuned_along_the_path_of_the_classifier(problem):
    X, y, _ = problem
    folds = StratifiedKFold(protocol.INNER_FOLDS, shuffle=True, random_state=3)
    model, l2s = METHODS["B-LS-SVM"].make(X.shape[1]), l2_path(X, y)
    search = GridSearchCV(model, {"l2": l2s[::-1]}, cv=folds, scoring="roc_auc").fit(X, y)
    assert tune(METHODS["B-LS-SVM"], X, y, 3) == search.best_params_
    rows = [X[y == 1], X[y != 1]]
    variance = np.mean([np.sum((part - part.mean(axis=0)) ** 2) / len(part) for part in rows])
    np.testing.assert_allclose(l2s, np.logspace(-6, 0, 13) * variance)


def test_parameters_that_diverge_are_not_chosen(problem):
    X, y, _ = problem
    diverging = Method("diverging", SOLAM(1e300, random_state=0), {"step_size": [1e200, 1e-3]})
    assert tune(diverging, X * 1e150, y, 0) == {"step_size": 1e-3}


def test_nothing_to_tune():
    assert tune(METHODS["OnlineAUCClassifier"], np.zeros((2, 2)), np.array([0, 1]), 0) == {}


def test_sampled_rows_keep_the_class_shares():
    y = np.repeat([0, 1], [900, 100])
    kept = sample_rows(y, 200, 0)
    assert len(set(kept)) == 200
    assert y[kept].sum() == 20
    assert len(sample_rows(y, 1000, 0)) == 1000


@pytest.mark.parametrize("limit", [0, 10_000])
def test_evaluation_continues_after_known_splits(problem, limit):
    X, y, _ = problem
    y = (y > 0).astype(int)
    splits = Protocol(1, 5).splits(y, 0)
    whole = list(evaluate_splits(UNIEXP, X, y, splits, {}, 0, limit))
    known = {fit.split: fit.params for fit in whole[:2]}
    rest = list(evaluate_splits(UNIEXP, X, y, splits, known, 0, limit))
    assert [(fit.split, fit.params, fit.auc) for fit in rest] == [
        (fit.split, fit.params, fit.auc) for fit in whole[2:]
    ]
    assert len({fit.params["step_size"] for fit in whole}) == 1 or limit > 0


def test_parameters_do_not_depend_on_test_labels(problem):
    X, y, _ = problem
    y = (y > 0).astype(int)
    splits = Protocol(1, 5).splits(y, 0)[:1]
    other = y.copy()
    other[splits[0][1]] = 1 - other[splits[0][1]]
    (fit,), (flipped,) = (list(evaluate_splits(UNIEXP, X, labels, splits, {}, 0)) for labels in (y, other))
    assert fit.params == flipped.params
    assert flipped.auc == pytest.approx(1.0 - fit.auc)
