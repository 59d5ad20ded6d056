"""aucmax predict: the scores of the model for any file that has its columns."""

import json
from pathlib import Path

import numpy as np
import pytest

from aucmax import AUCClassifier
from aucmax.io import load_model, save_model


def test_scores_are_those_of_the_model(run, trained, files, tmp_path):
    model = load_model(trained / "plain")
    done = run("predict", trained / "plain", files.svm)
    assert (done.code, done.err) == (0, "")
    expected = model.decision_function(files.X)
    np.testing.assert_allclose([float(line) for line in done.out.split()], expected, rtol=1e-12, atol=1e-12)
    assert run("predict", trained / "plain", files.svm, "-o", tmp_path / "scores").out == ""
    assert (tmp_path / "scores").read_text() == done.out


def test_columns_are_found_by_name_and_labels_are_not_needed(run, trained, files, tmp_path):
    with_labels = run("predict", trained / "named", files.csv)
    assert (with_labels.code, with_labels.err) == (0, "")
    assert run("predict", trained / "named", files.new).out == with_labels.out
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(files.new).iloc[:, ::-1]
    frame["extra"] = 1
    frame.to_csv(tmp_path / "shuffled.csv", index=False)
    assert run("predict", trained / "named", tmp_path / "shuffled.csv").out == with_labels.out
    frame.drop(columns="dose").to_csv(tmp_path / "short.csv", index=False)
    missing = run("predict", trained / "named", tmp_path / "short.csv")
    assert missing.code == 1
    assert "dose" in missing.err


def test_labels_and_json(run, trained, files):
    model = load_model(trained / "named")
    found = run("predict", trained / "named", files.new, "--labels").out.split()
    expected = model.classes_[(files.X @ model[-1].coef_[0] + model[-1].intercept_[0] > 0).astype(int)]
    assert found == expected.tolist()
    lines = [
        json.loads(line) for line in run("predict", trained / "named", files.new, "--json").out.splitlines()
    ]
    assert [line["label"] for line in lines] == found
    assert all((line["score"] > 0) == (line["label"] == "ill") for line in lines)


@pytest.mark.parametrize("positive", ["ill", "healthy"])
def test_probabilities_are_those_of_the_model(run, files, tmp_path, positive):
    path = tmp_path / "m.auc"
    options = ["--label", "state", "--positive", positive, "--no-baseline"]
    assert run("train", files.csv, *options, "-o", path).code == 0
    done = run("predict", path, files.new, "--probabilities")
    assert (done.code, done.err) == (0, "")
    found = np.array([[float(cell) for cell in line.split(",")] for line in done.out.splitlines()])
    model = load_model(path)
    expected = model.predict_proba(files.X)[:, model.classes_.tolist().index(positive)]
    np.testing.assert_allclose(found[:, 1], expected, rtol=1e-9)
    assert [repr(score) for score in found[:, 0].tolist()] == run("predict", path, files.new).out.split()
    lines = [json.loads(line) for line in run("predict", path, files.new, "--json").out.splitlines()]
    assert [[line["score"], line["probability"]] for line in lines] == found.tolist()
    assert [line["label"] == positive for line in lines] == (found[:, 1] > 0.5).tolist()


def test_a_model_of_a_stream_has_probabilities(run, files, tmp_path):
    path = tmp_path / "m.auc"
    assert run("train", files.svm, "--stream", "-o", path).code == 0
    found = [line.split(",") for line in run("predict", path, files.svm, "--probabilities").out.splitlines()]
    expected = load_model(path).predict_proba(files.X)[:, 1]
    np.testing.assert_allclose([float(probability) for _, probability in found], expected, rtol=1e-9)


def test_a_model_without_probabilities_says_so(run, files, tmp_path):
    path = tmp_path / "m.auc"
    save_model(AUCClassifier().fit(files.X[:, :4], files.y), path)
    done = run("predict", path, files.svm, "--probabilities")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"aucmax: {path}: AUCClassifier has no probabilities; train it with aucmax train, or with "
        "AUCClassifierCV or OnlineAUCClassifier in Python.\n"
    )
    assert "it has no probabilities\n" in run("inspect", path).out
    rows = tmp_path / "rows.svm"
    rows.write_text("+1 1:1\n")
    assert set(json.loads(run("predict", path, rows, "--json").out)) == {"score", "label"}


def test_labels_and_probabilities_exclude_each_other(run, trained, files):
    done = run("predict", trained / "plain", files.svm, "--labels", "--probabilities")
    assert done.code == 2
    assert "--labels and --probabilities exclude each other; --json writes both." in done.err


def test_a_bad_row_leaves_no_half_written_output(run, trained, files, tmp_path):
    text = Path(files.svm).read_text() + "+1 1:what\n"
    (tmp_path / "rows.svm").write_text(text)
    done = run("predict", trained / "plain", tmp_path / "rows.svm", "-o", tmp_path / "scores")
    assert done.code == 1
    assert "line 401" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["rows.svm"]
    done = run("predict", trained / "plain", tmp_path / "rows.svm", "--on-bad-rows", "skip")
    assert len(done.out.split()) == 400


def test_skipped_rows_are_reported(run, trained, files, tmp_path):
    lines = Path(files.csv).read_text().splitlines()
    lines[7] = lines[20] = "?"
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    command = [trained / "named", tmp_path / "bad.csv", "--on-bad-rows", "skip"]
    done = run("predict", *command)
    assert (done.code, len(done.out.splitlines())) == (0, 398)
    assert (
        done.err
        == f"aucmax: warning: 2 bad rows of {tmp_path}/bad.csv were skipped and have no line in the output.\n"
    )
    assert json.loads(run("evaluate", *command, "--json").out)["skipped"] == 2
    assert "2 bad rows skipped" in run("evaluate", *command).out


def test_one_skipped_row_is_reported_in_the_singular(run, trained, files, tmp_path):
    (tmp_path / "bad.csv").write_text(Path(files.csv).read_text() + "?\n")
    command = [trained / "named", tmp_path / "bad.csv", "--on-bad-rows", "skip"]
    done = run("predict", *command)
    assert (
        done.err
        == f"aucmax: warning: 1 bad row of {tmp_path}/bad.csv was skipped and has no line in the output.\n"
    )
    assert "1 bad row skipped\n" in run("evaluate", *command).out


def test_bad_rows_at_the_end_are_reported(run, trained, files, tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.cli.scoring.CHUNK", 100)
    (tmp_path / "bad.csv").write_text(Path(files.csv).read_text() + "?\n?\n")
    command = [trained / "named", tmp_path / "bad.csv", "--on-bad-rows", "skip"]
    assert "warning: 2 bad rows of" in run("predict", *command).err
    assert json.loads(run("evaluate", *command, "--json").out)["skipped"] == 2


def test_rows_without_names_or_labels_can_be_scored(run, files, tmp_path):
    rows = Path(files.csv).read_text().splitlines()[1:]
    (tmp_path / "train.csv").write_text("\n".join(rows))
    (tmp_path / "new.csv").write_text("\n".join(Path(files.new).read_text().splitlines()[1:]))
    model = tmp_path / "m.auc"
    options = ["--label", 5, "--l2", "0.01", "--no-baseline"]
    assert run("train", tmp_path / "train.csv", *options, "-o", model).code == 0
    done = run("predict", model, tmp_path / "new.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("predict", model, tmp_path / "train.csv").out
