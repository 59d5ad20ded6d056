"""aucmax compare: several methods on the same folds."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold

import aucmax
from aucmax.cli.baseline import logistic_regression
from aucmax.metrics import average_precision, partial_auc, top

ESTIMATORS = {"AUCClassifier", "AUCClassifierCV", "OnlineAUCClassifier"}


@pytest.mark.parametrize(("options", "methods"), [([], ESTIMATORS), (["--papers"], set(aucmax.__all__))])
def test_compare_has_the_methods_and_logistic_regression(run, files, options, methods):
    done = run("compare", files.svm, "--json", *options)
    assert done.code == 0
    rows = {row["method"]: row for row in json.loads(done.out)["methods"]}
    assert set(rows) == {"logistic regression", "logistic, balanced", "AUCClassifierCV top"} | methods
    for row in rows.values():
        assert row["low"] <= row["auc"] <= row["high"]
        assert 0.5 < row["auc"] <= 1
        assert row["std"] >= 0
        assert row["seconds"] > 0
        for name in ("partial_auc", "average_precision", "top_recall"):
            assert 0 <= row[name]["low"] <= row[name]["value"] <= row[name]["high"] <= 1


def test_compare_either_label(run, files, monkeypatch):
    monkeypatch.setattr(
        "aucmax.cli.commands.compare.make_models", lambda X, y, *_: {"baseline": logistic_regression(X, y)}
    )
    command = ["compare", files.csv, "--label", "state", "--json"]
    ill, healthy = (json.loads(run(*command, *extra).out) for extra in ([], ["--positive", "healthy"]))
    assert (ill["classes"], healthy["classes"]) == (["healthy", "ill"], ["ill", "healthy"])
    assert healthy["positives"] == ill["rows"] - ill["positives"] == int((files.y == "healthy").sum())
    assert healthy["methods"][0]["auc"] == pytest.approx(ill["methods"][0]["auc"])
    done = run(*command[:-1], "--positive", "healthy")
    assert f"{healthy['positives'] / 4:.2f} % positive (label healthy)" in done.out
    done = run(*command[:-1], "--positive", "fraud")
    assert (done.code, done.out) == (1, "")
    said = f"--positive 'fraud' is not a label of {files.csv}, whose labels are healthy and ill; give one of "
    assert done.err == f"aucmax: {said}these.\n"


def test_measures_are_means_over_folds(run, files, monkeypatch):
    monkeypatch.setattr(
        "aucmax.cli.commands.compare.make_models", lambda X, y, *_: {"baseline": logistic_regression(X, y)}
    )
    options = ["--label", "state", "--positive", "healthy", "--max-fpr", "0.2", "--json"]
    (row,) = json.loads(run("compare", files.csv, *options).out)["methods"]
    found = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(files.X, files.y):
        model = logistic_regression(files.X, files.y).fit(files.X[train], files.y[train])
        high, score = files.y[test] == "healthy", -model.decision_function(files.X[test])
        measures = partial_auc(high, score, 0.2, standardized=True), average_precision(high, score)
        found.append([*measures, top(high, score, 0.01)[0].recall.value])
    names = "partial_auc", "average_precision", "top_recall"
    assert [row[name]["value"] for name in names] == pytest.approx(np.mean(found, axis=0))
    half = stats.t.ppf(0.975, 4) * np.std(found, axis=0, ddof=1) / math.sqrt(5)
    ends = [row[name]["high"] for name in names]
    assert ends == pytest.approx(np.minimum(np.mean(found, axis=0) + half, 1))
    text = run("compare", files.csv, *options[:-1]).out
    assert max(map(len, text.splitlines())) <= 80
    assert "AUC to 0.2" in text
    assert f"{np.mean(found, axis=0)[1]:.4f}"[1:] in text


def test_the_table_is_80_columns_wide(run, files, monkeypatch):
    widest = {"value": 1.0, "low": 0.0, "high": 1.0}
    row = {"auc": 0.98765, "low": 0.5, "high": 0.98765, "std": 0.1, "seconds": 123.456}
    row |= dict.fromkeys(("partial_auc", "average_precision", "top_recall"), widest)
    monkeypatch.setattr("aucmax.cli.commands.compare.cross_validate", lambda *_, **__: row)
    lines = run("compare", files.svm).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(
        line.startswith("OnlineAUCClassifier  .9877 ±.488  1.000 ±1.00  1.000 ±1.00") for line in lines
    )


def test_compare_fails_if_every_method_does(run, files, monkeypatch):
    monkeypatch.setattr(
        "aucmax.cli.commands.compare.cross_validate", lambda *_, **__: {"failed": "no reason"}
    )
    done = run("compare", files.svm)
    assert done.code == 1
    assert "AUCClassifier failed: no reason" in done.out
    assert "no method could be fitted" in done.err
