"""aucmax inspect: what is in a model file."""

import json
import re


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
