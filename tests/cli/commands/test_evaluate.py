"""aucmax evaluate: AUC, its interval, partial AUC, alerts and the ROC plot."""

import json

import numpy as np

from aucmax.io import load_model


def test_evaluate(run, trained, files, tmp_path):
    done = run("evaluate", trained / "named", files.csv, "--json", "--plot", tmp_path / "roc.svg")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["low"] < found["auc"] < found["high"]
    assert found["auc"] == load_model(trained / "plain").score(files.X, np.where(files.y == "ill", 1, -1))
    assert 0.5 < found["partial_auc"]["value"] < 1
    assert [row["alerts"] for row in found["alerts"]] == [4, 20, 40, 80]
    tpr = [row["tpr"] for row in found["alerts"]]
    assert tpr == sorted(tpr)
    assert (tmp_path / "roc.svg").read_text().startswith("<?xml")
    text = run("evaluate", trained / "named", files.csv).out
    assert f"AUC {found['auc']:.4f}, 95 % interval" in text
    assert "20%" in text


def test_evaluate_needs_labels_that_the_model_knows(run, trained, files, tmp_path):
    assert "no labels" in run("evaluate", trained / "named", files.new).err
    (tmp_path / "other.svm").write_text("3 1:1\n-1 1:2\n")
    done = run("evaluate", trained / "plain", tmp_path / "other.svm")
    assert done.code == 1
    assert "3.0" in done.err
    assert run("evaluate", trained / "named", files.csv, "--plot", "roc.doc").code == 2
