"""aucmax inspect: what is in a model file."""

import json


def test_inspect(run, trained, files):
    found = json.loads(run("inspect", trained / "named", "--json", "--top", 2).out)
    assert [row["feature"] for row in found["weights"]] == ["dose", "age"]
    assert found["weights"][0]["weight"] < 0 < found["weights"][1]["weight"]
    assert found["training"]["rows"] == 400
    text = run("inspect", trained / "plain").out
    assert "AUCClassifierCV(" in text
    assert "feature 2" in text
    assert "loss squared_hinge, l2 = 0.01\n" in text
    assert found["probabilities"] is True
    assert "it has probabilities\n" in text
