"""aucmax export: ONNX and SQL that give the scores of ``aucmax predict``."""

import json
import os
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from aucmax.io import load_model
from cli.tables import read_table

onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX graphs are run by onnxruntime")
pytest.importorskip("skl2onnx", reason="ONNX graphs are written by skl2onnx")


@pytest.fixture
def tables(run, tmp_path):
    """A table with text and gaps, models of it whose high scores mean ``ill`` or ``healthy``, and scores."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "green"], 90), "body size": rng.normal(size=90).round(3)}
    )
    frame["state"] = np.where(
        frame["body size"] + (frame["colour"] == "red") + rng.normal(size=90) > 0.5, "ill", "healthy"
    )
    frame.loc[3, "body size"] = np.nan
    frame.to_csv(tmp_path / "all.csv", index=False)
    options = ["--label", "state", "--categorical", "onehot", "--missing", "mean", "--no-baseline"]
    scores = {}
    for label in ("ill", "healthy"):
        model = tmp_path / f"{label}.auc"
        assert run("train", tmp_path / "all.csv", *options, "--positive", label, "-o", model).code == 0
        scores[label] = np.array(read_table(run("predict", model, tmp_path / "all.csv").out)["score"])
    return frame, scores


@pytest.mark.parametrize("label", ["ill", "healthy"])
def test_onnx(run, tables, tmp_path, label):
    frame, scores = tables
    done = run("export", tmp_path / f"{label}.auc", "-o", tmp_path / "m.onnx", "--dtype", "float64")
    assert (done.code, done.err) == (0, "")
    assert f"wrote {tmp_path}/m.onnx, ONNX: inputs body size, colour; outputs label, " in done.out
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    inputs = {
        "body size": frame[["body size"]].to_numpy(),
        "colour": frame[["colour"]].to_numpy(dtype=object),
    }
    found_scores, found_labels, found_shares = session.run(["scores", "label", "probabilities"], inputs)
    model = load_model(tmp_path / f"{label}.auc")
    expected = model.predict_proba(frame)[:, model.classes_.tolist().index(label)]
    np.testing.assert_allclose(found_shares[:, 1], expected, atol=1e-6)
    np.testing.assert_allclose(found_scores, scores[label], atol=1e-6)
    labels = read_table(run("predict", tmp_path / f"{label}.auc", tmp_path / "all.csv").out)["label"]
    assert found_labels.tolist() == labels


@pytest.mark.parametrize("label", ["ill", "healthy"])
@pytest.mark.parametrize("how", [["--sql", "-o", "-"], ["-o", "m.sql"]])
def test_sql(run, tables, tmp_path, monkeypatch, label, how):
    frame, scores = tables
    monkeypatch.chdir(tmp_path)
    done = run("export", f"{label}.auc", *how, "--table", "people")
    assert done.code == 0, done.err
    statement = done.out if "-" in how else (tmp_path / "m.sql").read_text()
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("people", connection, index=False)
        found = pd.read_sql(statement, connection)
    np.testing.assert_allclose(found["score"], scores[label], rtol=0, atol=1e-9)
    model = load_model(f"{label}.auc")
    expected = model.predict_proba(frame)[:, model.classes_.tolist().index(label)]
    np.testing.assert_allclose(found["probability"], expected, rtol=0, atol=1e-9)
    pd.testing.assert_frame_equal(found[frame.columns], frame, check_dtype=False)


def test_names_of_outputs_that_are_taken(run, tables, tmp_path):
    frame = tables[0].rename(columns={"body size": "Score", "state": "probability"})
    frame.to_csv(tmp_path / "taken.csv", index=False)
    options = ["--label", "probability", "--no-baseline", "-o", tmp_path / "taken.auc"]
    assert run("train", tmp_path / "taken.csv", *options).code == 0
    done = run("export", tmp_path / "taken.auc", "-o", tmp_path / "taken.SQL")
    assert done.out.endswith("a SELECT from the table data; outputs aucmax_score, aucmax_probability\n")
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("data", connection, index=False)
        found = pd.read_sql((tmp_path / "taken.SQL").read_text(), connection)
    assert found.columns.tolist() == [*frame.columns, "aucmax_score", "aucmax_probability"]
    expected = read_table(run("predict", tmp_path / "taken.auc", tmp_path / "taken.csv").out)["score"]
    np.testing.assert_allclose(found["aucmax_score"], expected, rtol=0, atol=1e-9)


def test_a_matrix(run, trained, files, tmp_path):
    done = run("export", trained / "plain", "-o", tmp_path / "m.onnx", "--json")
    assert json.loads(done.out)["inputs"] == ["X"]
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    scores = np.array(read_table(run("predict", trained / "plain", files.svm).out)["score"])
    (found,) = session.run(["scores"], {"X": files.X.astype(np.float32)})
    np.testing.assert_allclose(found, scores, atol=1e-6 * np.max(np.abs(scores)))
    done = run("export", trained / "plain", "-o", tmp_path / "m.sql")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert "the model was fitted without names of columns" in done.err
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_what_cannot_be_exported(run, tables, tmp_path, monkeypatch):
    command = ["train", tmp_path / "all.csv", "--label", "state", "--stream", "--categorical", "hash"]
    assert run(*command, "--missing", "mean", "-o", tmp_path / "h.auc").code == 0
    before = sorted(os.listdir(tmp_path))
    for options in (["--sql", "-o", tmp_path / "h.sql"], ["-o", tmp_path / "h.onnx"]):
        done = run("export", tmp_path / "h.auc", *options)
        assert (done.code, done.out) == (1, "")
        assert "the model hashes text" in done.err
        assert "train it without --stream, with --categorical onehot." in done.err
    done = run("export", tmp_path / "ill.auc", "-o", tmp_path / "ill.auc")
    assert done.code == 2
    assert "would overwrite another file" in done.err
    for options in (
        ["m.sql", "--dtype", "float64"],
        ["m.onnx", "--table", "patients"],
        ["m.sql", "--table", " "],
        ["m.pmml"],
    ):
        done = run("export", tmp_path / "ill.auc", "-o", tmp_path / options[0], *options[1:])
        assert (done.code, done.out) == (2, "")
        named = options[1] if len(options) > 1 else "ends in neither .onnx nor .sql"
        assert named in done.err
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    done = run("export", tmp_path / "ill.auc", "-o", tmp_path / "m.onnx")
    assert done.code == 1
    assert 'needs the package skl2onnx; run: pip install "aucmax[export]" skl2onnx' in done.err
    assert sorted(os.listdir(tmp_path)) == before
