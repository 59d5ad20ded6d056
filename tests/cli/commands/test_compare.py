"""aucmax compare: every method on the same folds."""

import json

import aucmax
from aucmax.cli.evaluation import logistic_regression


def test_compare_has_every_method_and_logistic_regression(run, files):
    done = run("compare", files.svm, "--json")
    assert done.code == 0
    rows = {row["method"]: row for row in json.loads(done.out)["methods"]}
    assert set(rows) == {"logistic regression", *aucmax.__all__}
    assert all(0.5 < row["auc"] <= 1 and row["std"] >= 0 and row["seconds"] > 0 for row in rows.values())


def test_compare_either_label(run, files, monkeypatch):
    monkeypatch.setattr(
        "aucmax.cli.commands.compare.make_models", lambda X, _: {"baseline": logistic_regression(X)}
    )
    command = ["compare", files.csv, "--label", "state", "--json"]
    ill, healthy = (json.loads(run(*command, *extra).out) for extra in ([], ["--positive", "healthy"]))
    assert (ill["classes"], healthy["classes"]) == (["healthy", "ill"], ["ill", "healthy"])
    assert healthy["positives"] == ill["rows"] - ill["positives"] == int((files.y == "healthy").sum())
    assert healthy["methods"][0]["auc"] == ill["methods"][0]["auc"]
    done = run(*command[:-1], "--positive", "healthy")
    assert f"{healthy['positives'] / 4:.2f} % positive (label healthy)" in done.out
    done = run(*command, "--positive", "fraud")
    assert (done.code, done.out) == (1, "")
    said = f"--positive 'fraud' is not a label of {files.csv}, whose labels are healthy and ill."
    assert done.err == f"aucmax: {said}\n"


def test_compare_fails_if_every_method_does(run, files, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.compare.cross_validate", lambda *_: {"failed": "no reason"})
    done = run("compare", files.svm)
    assert done.code == 1
    assert "AUCClassifier failed: no reason" in done.out
    assert "no method could be fitted" in done.err
