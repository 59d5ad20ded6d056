"""aucmax inspect: what is in a model file."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import aucmax
from aucmax.io import load_model, save_model
from aucmax.io.storage.models import load_scorer
from aucmax.report.effects import find_effects


def test_inspect(run, trained, files, tmp_path):
    found = json.loads(run("inspect", trained / "named", "--json", "--top", 2).out)
    assert [row["feature"] for row in found["weights"]] == ["dose", "age"]
    assert found["weights"][0]["weight"] < 0 < found["weights"][1]["weight"]
    assert found["training"]["rows"] == 400
    text = run("inspect", trained / "plain").out
    assert "AUCClassifierCV(" in text
    assert "feature 2" in text
    assert "loss squared_hinge, l2 = 0.01\n" in text
    top = tmp_path / "top.auc"
    assert run("train", files.csv, "--label", "state", "--max-fpr", "0.2", "-o", top).code == 0
    shown = r"AUC 0\.\d{4}, AUC to 0.2 0\.\d{4} by .*\n.*, push = \d"
    assert re.search(shown, run("inspect", top).out)
    assert found["probabilities"] is True
    assert "it has probabilities\n" in text


def test_weights_are_in_the_order_of_their_effect_with_intervals(run, files, tmp_path):
    lines = [line.split(",") for line in Path(files.csv).read_text().splitlines()]
    for line in lines[1:]:
        line[0] = str(float(line[0]) * 1e6)  # now the weight is tiny, the effect as before
    (tmp_path / "rows.csv").write_text("\n".join(map(",".join, lines)))
    path = tmp_path / "m.auc"
    options = ["--label", "state", "--threshold", "recall=0.8", "-o", path]
    assert run("train", tmp_path / "rows.csv", *options).code == 0
    found = json.loads(run("inspect", path, "--json").out)
    model = load_model(path)[-1]
    names = [row["feature"] for row in found["weights"]]
    assert names[:3] == ["dose", "age", "weight"]
    for row in found["weights"]:
        assert row["low"] < row["weight"] < row["high"]
        assert row["effect"] == pytest.approx(row["weight"] * row["spread"])
    assert found["intercept"] == model.intercept_[0]
    assert not {"baseline", "spread"} & set(found["training"])
    recall = next(row for row in found["thresholds"] if row["goal"] == "recall of at least 80 %")
    assert recall["threshold"] == found["threshold"]["value"]
    text = run("inspect", path).out
    assert re.search(r"^dose +-[\d.]+ +-[\d.]+ +-[\d.]+ to -[\d.]+ +[\d.]+ *$", text, re.MULTILINE)
    assert re.search(r"^\(intercept\) +[-+][\d.]+", text, re.MULTILINE)
    assert f"threshold {recall['threshold']:.6g} for recall=0.8, by rows held out in training\n" in text
    assert re.search(r"^recall of at least 80 % .* 0\.8\d\d \(", text, re.MULTILINE)


@pytest.mark.parametrize("data", ["csv", "svm"])
def test_a_stream_keeps_the_spread_of_its_columns(run, files, tmp_path, data):
    """Also where rows wait to be mixed, and where the run was stopped and went on."""
    path, part = Path(getattr(files, data)), tmp_path / f"part.{data}"
    options = ["--label", "state"] if data == "csv" else ["--n-features", 5]
    command = ["train", part, *options, "--stream", "--batch-size", 30, "--shuffle", 100]
    command += ["-o", tmp_path / "m.auc", "--checkpoint", tmp_path / "c", "--resume"]
    lines = path.read_text().splitlines(keepends=True)
    for text in ([*lines[:200], "what, is, this\n"], lines):
        part.write_text("".join(text))
        run(*command)
    found = json.loads(run("inspect", tmp_path / "m.auc", "--json").out)
    names = files.names if data == "csv" else [f"feature {k}" for k in range(1, 6)]
    spread = dict(zip(names, files.X.std(axis=0), strict=True))
    assert found["order"] == "effect"
    assert len(found["weights"]) == 5
    for row in found["weights"]:
        assert row["spread"] == pytest.approx(spread[row["feature"]])
        assert row["effect"] == pytest.approx(row["weight"] * row["spread"])


def test_without_the_spread_there_is_no_effect(run, files, tmp_path):
    model = aucmax.OnlineAUCClassifier().fit(files.X, files.y == "ill")
    save_model(model, tmp_path / "m.auc")
    done = run("inspect", tmp_path / "m.auc")
    assert re.search(r"^feature 2 +- +-[\d.]+ +- +-$", done.out, re.MULTILINE)
    assert "\nin the order of the weights alone: the file does not have the spread of the columns" in done.out
    found = json.loads(run("inspect", tmp_path / "m.auc", "--json").out)
    assert (found["order"], found["weights"][0]["effect"]) == ("weight", None)
    text = run("inspect", tmp_path / "m.auc", "--csv", "-").out
    assert [row["effect"] for row in csv.DictReader(io.StringIO(text))][:-1] == [""] * 5


def test_all_weights_as_csv(run, trained, tmp_path):
    done = run("inspect", trained / "named", "--csv", "-")
    assert (done.code, done.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    effects = find_effects(load_scorer(trained / "named"))
    assert [row["feature"] for row in rows] == [*(each.feature for each in effects), "(intercept)"]
    assert float(rows[0]["weight"]) == effects[0].weight
    assert float(rows[0]["high"]) == effects[0].high
    assert rows[-1]["low"] == ""
    text = run("inspect", trained / "named", "--csv", tmp_path / "w.csv").out
    assert (tmp_path / "w.csv").read_text() == done.out
    assert text.endswith(f"wrote {tmp_path / 'w.csv'}\n")


@pytest.mark.parametrize("name", ["{folder}", "{folder}/none/w.csv", "{model}"])
def test_weights_are_not_written_where_they_cannot_be(run, trained, tmp_path, name):
    path = name.format(folder=tmp_path, model=trained / "named")
    done = run("inspect", trained / "named", "--csv", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert f"--csv {path}" in done.err
    assert load_scorer(trained / "named").feature_names is not None
