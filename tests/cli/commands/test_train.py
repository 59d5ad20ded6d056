"""aucmax train: a model file, and its AUC beside that of logistic regression."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer

import aucmax
from aucmax.io import load_model


def test_train_in_memory_prints_auc_beside_logistic_regression(run, files, tmp_path):
    done = run("train", files.csv, "--label", "state", "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    assert re.search(r"AUCClassifierCV +0\.\d{4} +0\.\d{4} - ", done.out)
    assert re.search(r"logistic regression +0\.\d{4} +0\.\d{4} - ", done.out)
    model = load_model(tmp_path / "m.auc")
    assert model.classes_.tolist() == ["healthy", "ill"]
    assert model.feature_names_in_.tolist() == files.names
    expected = aucmax.AUCClassifier(l2=model[-1].l2_).fit(files.X, files.y)
    found = files.X @ model[-1].coef_[0] + model[-1].intercept_[0]
    np.testing.assert_allclose(found, expected.decision_function(files.X), atol=1e-2)


def test_train_json_with_test_rows(run, files, tmp_path):
    options = ["--label", "state", "--test", files.csv, "--l2", "0.01", "--loss", "logistic", "--json"]
    done = run("train", files.csv, "-o", tmp_path / "m.auc", *options)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["rows"] == 400
    assert found["features"] == 5
    assert found["l2"] == 0.01
    assert found["positives"] == int((files.y == "ill").sum())
    assert found["low"] < found["auc"] < found["high"]
    assert {"auc", "low", "high", "se"} <= set(found["logistic_regression"])
    assert 0 <= found["difference"]["p_value"] <= 1
    model = load_model(tmp_path / "m.auc")
    assert found["auc"] == pytest.approx(aucmax.metrics.auc(files.y == "ill", model[-1].coef_[0] @ files.X.T))


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_either_label_can_rank_high(run, files, tmp_path, how):
    options = ["--label", "state", *how, "--json"]
    ill = json.loads(run("train", files.csv, *options, "-o", tmp_path / "ill.auc").out)
    done = run("train", files.csv, *options, "--positive", "healthy", "-o", tmp_path / "healthy.auc")
    healthy = json.loads(done.out)
    assert healthy["auc"] == ill["auc"]
    assert healthy["classes"] == ["ill", "healthy"]
    assert healthy["positives"] == ill["rows"] - ill["positives"]
    for extra in [], ["--labels"]:
        by_ill, by_health = (
            run("predict", tmp_path / f"{name}.auc", files.csv, *extra).out.split()
            for name in ("ill", "healthy")
        )
        assert by_health == (by_ill if extra else [str(-float(score)) for score in by_ill])
    # In Python a model keeps scikit-learn's sorted labels, on which its scorers rely.
    model = load_model(tmp_path / "healthy.auc")
    assert model.classes_.tolist() == ["healthy", "ill"]
    rows = pd.DataFrame(files.X, columns=files.names)
    assert get_scorer("roc_auc")(model, rows, files.y) > 0.5
    found = json.loads(run("evaluate", tmp_path / "healthy.auc", files.csv, "--json").out)
    assert found["positives"] == healthy["positives"]
    assert found["auc"] > 0.5


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_labels_that_are_numbers_may_be_written_in_any_form(run, files, tmp_path, how):
    for text, last in (("-1", -1.0), ("+1", 1.0), ("1.0", 1.0)):
        command = ["train", files.svm, *how, f"--positive={text}", "-o", tmp_path / "m.auc", "--json"]
        assert json.loads(run(*command).out)["classes"][1] == last
    done = run("train", files.svm, *how, "--positive", "fraud", "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (1, "")
    assert "--positive 'fraud' is not a label of" in done.err


def test_the_same_command_gives_the_same_bytes(run, files, tmp_path):
    for name in ("a", "b"):
        run("train", files.svm, "--no-baseline", "--seed", 3, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
def test_numbers_beside_text_may_be_of_any_size(run, tmp_path, size, monkeypatch):
    monkeypatch.setattr("aucmax.cli.progress.LINE_SECONDS", np.inf)  # compiling may take longer than that
    rng = np.random.default_rng(0)
    income = rng.random(2000)
    bought = rng.random(2000) < income
    rows = [
        f"{rng.choice(['red', 'blue'])},{size * x:.6g},{y:d}" for x, y in zip(income, bought, strict=True)
    ]
    (tmp_path / "mixed.csv").write_text("\n".join(["colour,income,bought", *rows]) + "\n")
    command = ["--label", "bought", "--categorical", "hash", "--stream", "-o", tmp_path / "m.auc", "--json"]
    done = run("train", tmp_path / "mixed.csv", *command, "--test", tmp_path / "mixed.csv")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["auc"] > 0.8  # the income alone: 0.83
