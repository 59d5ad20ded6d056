"""aucmax inspect: what is in a model file."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from aucmax.io import load_model
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
