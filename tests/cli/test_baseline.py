"""Logistic regression beside our models."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from aucmax.cli.baseline import (
    C_GRID,
    MAX_TUNING_ROWS,
    linear_weights,
    logistic_regression,
    stratified_folds,
    tuning_rows,
)

rng = np.random.default_rng(0)


def rows(n=400, n_features=30):
    X = rng.normal(size=(n, n_features)) * 10.0 ** rng.uniform(-3, 3, n_features)
    return X, np.where(X[:, 0] / X[:, 0].std() + 2.0 * rng.normal(size=n) > 1.0, "yes", "no")


@pytest.mark.parametrize("max_fpr", [None, 0.2])
def test_c_has_the_highest_auc_over_folds(max_fpr):
    X, y = rows()
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    mean = {}
    for C in C_GRID:
        found = []
        for train, test in folds:
            scaler = StandardScaler().fit(X[train])
            model = LogisticRegression(C=C, max_iter=1000, tol=1e-8).fit(scaler.transform(X[train]), y[train])
            score = model.decision_function(scaler.transform(X[test]))
            found.append(roc_auc_score(y[test] == "yes", score, max_fpr=max_fpr))
        mean[C] = np.mean(found)
    chosen = logistic_regression(X, y, max_fpr=max_fpr)[-1].C
    assert mean[chosen] == pytest.approx(max(mean.values()), abs=1e-4)
    assert max(mean.values()) > mean[C_GRID[-1]] + 1e-3  # the choice matters here


def test_weights_are_those_of_the_columns_before_they_are_scaled():
    X, y = rows()
    for each in (X, sparse.csr_array(X * (rng.random(X.shape) < 0.3))):
        fitted = logistic_regression(each, y).fit(each, y)
        score = each @ linear_weights(fitted)
        assert fitted.decision_function(each) - score == pytest.approx(
            np.full(len(y), fitted.decision_function(each)[0] - score[0])
        )


def test_c_is_chosen_on_some_rows_of_many():
    X, y = rows(3 * MAX_TUNING_ROWS, 3)
    chosen = tuning_rows(y)
    assert np.unique(y[chosen], return_counts=True)[1].tolist() == [MAX_TUNING_ROWS // 2] * 2
    assert logistic_regression(X, y)[-1].C in C_GRID


def test_each_fold_has_positives_where_they_are_very_rare():
    y = (np.arange(4 * MAX_TUNING_ROWS) % 2000 == 0).astype(int)
    chosen = tuning_rows(y)
    assert (len(chosen), y[chosen].sum()) == (MAX_TUNING_ROWS // 2 + 10, 10)
    folds = stratified_folds(y[chosen], seed=0).split(chosen[:, None], y[chosen])
    assert [y[chosen[test]].sum() for _, test in folds] == [2] * 5
