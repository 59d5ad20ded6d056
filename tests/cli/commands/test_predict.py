"""aucmax predict: score, probability and label for any file that has the columns of the model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from aucmax import AUCClassifier
from aucmax.io import load_model, save_model
from aucmax.io.storage.models import load_scorer
from cli.tables import read_table


def test_scores_are_those_of_the_model(run, trained, files, tmp_path):
    model = load_model(trained / "plain")
    done = run("predict", trained / "plain", files.svm)
    assert (done.code, done.err) == (0, "")
    found = read_table(done.out)
    assert list(found) == ["score", "probability", "label"]
    expected = model.decision_function(files.X)
    np.testing.assert_allclose(found["score"], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["probability"], model.predict_proba(files.X)[:, 1], rtol=1e-9)
    assert found["label"] == [str(label) for label in model.predict(files.X).tolist()]
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


@pytest.mark.parametrize("label", ["", "unknown", "7", '"a, b"'])
def test_labels_are_not_read(run, trained, files, tmp_path, label):
    head, *rows = Path(files.csv).read_text().splitlines()
    changed = [f"{row.rpartition(',')[0]},{label if k % 3 else 'ill'}" for k, row in enumerate(rows)]
    (tmp_path / "odd.csv").write_text("\n".join([head, *changed]))
    done = run("predict", trained / "named", tmp_path / "odd.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("predict", trained / "named", files.new).out


def test_labels_of_libsvm_text_are_not_read(run, trained, files, tmp_path):
    odd = ["", "?", "nan", "7 "]
    rows = [f"{odd[k % 4]} {row[3:]}" for k, row in enumerate(Path(files.svm).read_text().splitlines())]
    (tmp_path / "odd.svm").write_text("\n".join(rows))
    done = run("predict", trained / "plain", tmp_path / "odd.svm")
    assert (done.code, done.err) == (0, "")
    assert done.out == run("predict", trained / "plain", files.svm).out
    assert run("evaluate", trained / "plain", tmp_path / "odd.svm").code == 1


@pytest.mark.parametrize("positive", ["ill", "healthy"])
def test_probabilities_and_labels_are_those_of_the_positive_class(run, files, tmp_path, positive):
    path = tmp_path / "m.auc"
    options = ["--label", "state", "--positive", positive, "--no-baseline"]
    assert run("train", files.csv, *options, "-o", path).code == 0
    found = read_table(run("predict", path, files.new).out)
    model = load_model(path)
    expected = model.predict_proba(files.X)[:, model.classes_.tolist().index(positive)]
    np.testing.assert_allclose(found["probability"], expected, rtol=1e-9)
    assert [label == positive for label in found["label"]] == [p > 0.5 for p in found["probability"]]
    lines = [json.loads(line) for line in run("predict", path, files.new, "--json").out.splitlines()]
    assert {name: [line[name] for line in lines] for name in lines[0]} == found


def test_a_model_of_a_stream_has_probabilities(run, files, tmp_path):
    path = tmp_path / "m.auc"
    assert run("train", files.svm, "--stream", "-o", path).code == 0
    found = read_table(run("predict", path, files.svm).out)
    expected = load_model(path).predict_proba(files.X)[:, 1]
    np.testing.assert_allclose(found["probability"], expected, rtol=1e-9)


def test_a_model_without_probabilities_has_no_column_of_them(run, files, tmp_path):
    path = tmp_path / "m.auc"
    save_model(AUCClassifier().fit(files.X[:, :4], files.y), path)
    rows = tmp_path / "rows.svm"
    rows.write_text("+1 1:1\n")
    assert list(read_table(run("predict", path, rows).out)) == ["score", "label"]
    assert set(json.loads(run("predict", path, rows, "--json").out)) == {"score", "label"}
    assert "it has no probabilities\n" in run("inspect", path).out


def test_parquet_by_the_name_of_the_output(run, trained, files, tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.cli.scoring.CHUNK", 150)
    path = tmp_path / "scores.parquet"
    assert run("predict", trained / "named", files.csv, "-o", path).code == 0
    assert parquet.read_table(path).to_pydict() == read_table(
        run("predict", trained / "named", files.csv).out
    )
    done = run("predict", trained / "named", files.csv, "-o", path, "--json")
    assert (done.code, done.out) == (2, "")
    assert "--json does not go with a Parquet file" in done.err


def test_ids_stand_beside_the_scores(run, files, tmp_path):
    head, *rows = Path(files.csv).read_text().splitlines()
    named = [f'"{k}, ""{k}""",{row}' for k, row in enumerate(rows)]
    (tmp_path / "named.csv").write_text("\n".join([f"case,{head}", *named]))
    model = tmp_path / "m.auc"
    options = ["--label", "state", "--no-baseline", "--l2", "0.01", "-o", model]
    assert run("train", tmp_path / "named.csv", "--id", "case", *options).code == 0
    expected = [f'{k}, "{k}"' for k in range(400)]
    found = read_table(run("predict", model, tmp_path / "named.csv").out)
    assert list(found) == ["case", "score", "probability", "label"]
    assert found["case"] == expected
    assert list(read_table(run("predict", model, files.csv).out)) == ["score", "probability", "label"]
    assert "state" in read_table(run("predict", model, files.csv, "--id", "state").out)
    first = json.loads(run("predict", model, tmp_path / "named.csv", "--json").out.splitlines()[0])
    assert first["case"] == expected[0]
    path = tmp_path / "scores.parquet"
    assert run("predict", model, tmp_path / "named.csv", "-o", path, "--threshold", "alerts=5").code == 0
    assert parquet.read_table(path).column("case").to_pylist() == expected


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("none", "it has no column 'none'"),
        ("score", "the column of IDs is called 'score', as one of the output; rename it."),
        ("99", "it has no column '99', only "),
    ],
)
def test_wrong_columns_of_ids_are_named(run, trained, files, tmp_path, column, message):
    rows = Path(files.new).read_text().splitlines()
    (tmp_path / "new.csv").write_text(
        "\n".join(f"{row},{'score' if k == 0 else k}" for k, row in enumerate(rows))
    )
    done = run("predict", trained / "named", tmp_path / "new.csv", "--id", column, "-o", tmp_path / "out.csv")
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


@pytest.mark.parametrize(("kind", "name"), [("csv", "named"), ("svm", "plain")])
def test_rows_are_scored_as_they_come(trained, files, start, kind, name):
    text = Path(getattr(files, kind)).read_text().splitlines(keepends=True)
    head, rows = (text[0], text[1:4]) if kind == "csv" else ("", text[:3])
    with start("predict", trained / name, "-", "--quiet", stdin=subprocess.PIPE) as process:
        process.stdin.write(head + rows[0])
        process.stdin.flush()
        shown = [process.stdout.readline(), process.stdout.readline()]
        assert shown[0] == "score,probability,label\n"
        process.stdin.write(rows[1][:5])  # a part of a row waits for the rest
        process.stdin.flush()
        process.stdin.write(rows[1][5:])
        process.stdin.flush()
        shown.append(process.stdout.readline())
        process.stdin.write(rows[2])
        out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    whole = subprocess.run(
        [sys.executable, "-m", "aucmax", "predict", trained / name, getattr(files, kind)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "".join(shown) + out == "".join(whole.stdout.splitlines(keepends=True)[:4])


def test_labels_with_commas_are_quoted(run, tmp_path):
    labels = ['"no, not"', '"a ""quote"""']
    rows = [f"{k % 7},{labels[k % 2]}\n" for k in range(40)]
    (tmp_path / "rows.csv").write_text("".join(["dose,state\n", *rows]))
    options = ["--label", "state", "--no-baseline", "-o", tmp_path / "m.auc"]
    assert run("train", tmp_path / "rows.csv", *options).code == 0
    found = read_table(run("predict", tmp_path / "m.auc", tmp_path / "rows.csv").out)
    assert set(found["label"]) <= {"no, not", 'a "quote"'}


@pytest.mark.parametrize("positive", ["ill", "healthy"])
def test_thresholds_for_goals(run, files, tmp_path, positive):
    path = tmp_path / "m.auc"
    options = ["--label", "state", "--positive", positive, "--no-baseline", "-o", path]
    assert run("train", files.csv, *options, "--threshold", "recall=0.9").code == 0
    scorer = load_scorer(path)

    def labelled_from(*arguments):
        found = read_table(run("predict", path, files.new, *arguments).out)
        chosen = np.array(found["label"]) == positive
        score = np.array(found["score"])
        assert score[~chosen].max(initial=-np.inf) < score[chosen].min()
        return score[chosen].min(), int(chosen.sum()), np.sort(score)

    kept = scorer.held_out.operating_point(recall=0.9).threshold
    low, _, scores = labelled_from()
    assert low == scores[np.searchsorted(scores, kept)]
    for goal, arguments in (("precision=60%", {"precision": 0.6}), ("cost=1:5", {"cost": (1, 5)})):
        threshold = scorer.held_out.operating_point(**arguments).threshold
        low, _, scores = labelled_from("--threshold", goal)
        assert low == scores[np.searchsorted(scores, threshold)]
    assert labelled_from("--threshold", "alerts=37")[1] == 37
    assert labelled_from("--threshold", "alerts=0.1")[1] == 40
    assert labelled_from("--threshold", "alerts=1000")[1] == 400
    assert labelled_from("--threshold", "alerts=50%")[1] == 200
    assert labelled_from("--threshold", "alerts=100%")[1] == 400
    assert labelled_from("--threshold", "alerts=1")[1] == 1
    low, _, scores = labelled_from("--threshold", repr(float(scores[100])))
    assert low == scores[100]


def test_alerts_do_not_divide_rows_of_equal_score(run, trained, tmp_path):
    rows = tmp_path / "rows.svm"
    rows.write_text("1:-1 2:1\n" * 3 + "1:1 2:-2\n" * 2)
    labels = read_table(run("predict", trained / "plain", rows, "--threshold", "alerts=4").out)["label"]
    assert labels == ["-1.0"] * 3 + ["1.0"] * 2
    done = run("predict", trained / "plain", rows, "--threshold", "alerts=1", "-o", tmp_path / "s.csv")
    assert done.code == 1
    assert done.err.endswith("alerts: the highest score has 2; raise --threshold alerts=N.\n")
    assert not (tmp_path / "s.csv").exists()


BAD_GOALS = [
    "much",
    "recall=0",
    "recall=1.1",
    "precision=x",
    "alerts=-1",
    "alerts=1.5",
    "alerts=150%",
    "cost=3",
    "cost=0:0",
    "nan",
    "lift=2",
]


@pytest.mark.parametrize("goal", BAD_GOALS)
@pytest.mark.parametrize("command", ["predict", "evaluate", "train"])
def test_wrong_goals_are_named(run, trained, files, tmp_path, command, goal):
    arguments = {
        "predict": [trained / "named", files.csv, "-o", tmp_path / "scores"],
        "evaluate": [trained / "named", files.csv],
        "train": [files.svm, "-o", tmp_path / "m.auc"],
    }[command]
    done = run(command, *arguments, "--threshold", goal)
    assert (done.code, done.out) == (2, "")
    assert f"'--threshold': '{goal}'" in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_goal_needs_held_out_scores(run, files, tmp_path):
    path = tmp_path / "m.auc"
    save_model(AUCClassifier().fit(files.X, files.y), path)
    done = run("predict", path, files.svm, "--threshold", "recall=0.9", "-o", tmp_path / "scores")
    assert (done.code, sorted(os.listdir(tmp_path))) == (1, ["m.auc"])
    assert done.err == (
        f"aucmax: {path}: AUCClassifier has no held-out scores to choose recall=0.9 by; give a number, or "
        "choose by labelled rows: aucmax evaluate --threshold ... --save.\n"
    )
    assert run("predict", path, files.svm, "--threshold", "0.5").code == 0


def test_a_bad_row_leaves_no_half_written_output(run, trained, files, tmp_path):
    text = Path(files.svm).read_text() + "+1 1:what\n"
    (tmp_path / "rows.svm").write_text(text)
    for name in ("scores.csv", "scores.parquet"):
        done = run("predict", trained / "plain", tmp_path / "rows.svm", "-o", tmp_path / name)
        assert done.code == 1
        assert "line 401" in done.err
        assert [path.name for path in tmp_path.iterdir()] == ["rows.svm"]
    done = run("predict", trained / "plain", tmp_path / "rows.svm", "--on-bad-rows", "skip")
    assert len(done.out.splitlines()) == 401


def test_skipped_rows_are_reported(run, trained, files, tmp_path):
    lines = Path(files.csv).read_text().splitlines()
    lines[7] = lines[20] = "?"
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    command = [trained / "named", tmp_path / "bad.csv", "--on-bad-rows", "skip"]
    done = run("predict", *command)
    assert (done.code, len(done.out.splitlines())) == (0, 399)
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


@pytest.mark.filterwarnings("default::aucmax.io.columns.errors.TableWarning")
@pytest.mark.parametrize("way", [(), ("--stream", "--batch-size", "100")])
def test_a_column_that_is_empty_or_in_other_units_is_named_once_at_the_end(run, files, tmp_path, way):
    path = tmp_path / "m.auc"
    fit = ["train", files.csv, "--label", "state", "-o", path, *way]
    assert run(*fit, *([] if way else ["--no-baseline"])).code == 0
    lines = [line.split(",") for line in Path(files.csv).read_text().splitlines()]
    rows = [[",".join([age, "", f"{weight}e3", *rest])] for age, _, weight, *rest in lines[1:]]
    (tmp_path / "odd.csv").write_text("\n".join(row[0] for row in [[",".join(lines[0])], *rows]) + "\n")
    for command in ("predict", "evaluate"):
        done = run(command, path, tmp_path / "odd.csv")
        assert done.code == 0
        empty, far = done.err.splitlines()
        assert (
            "none of the 400 rows has a value in column 'dose' (100 % of the training rows had one)" in empty
        )
        assert "far from those of the training rows in column 'weight'" in far
        assert "check that the unit is the same" in far
        assert run(command, path, files.csv).err == ""


@pytest.mark.filterwarnings("ignore:columns. left out")
def test_of_two_identifiers_the_one_in_the_output_is_named(run, files, tmp_path):
    head, *lines = Path(files.csv).read_text().splitlines()
    rows = [f"case {k:04},{7000 + k},{line}" for k, line in enumerate(lines)]
    (tmp_path / "all.csv").write_text("\n".join([f"code,person_id,{head}", *rows]))
    options = [tmp_path / "all.csv", "--label", "state", "--no-baseline", "-o", tmp_path / "m"]
    said = "rows are named by 'person_id', an identifier found in training; --id names another\n"
    assert run("train", *options).code == 0
    done = run("predict", tmp_path / "m", tmp_path / "all.csv")
    assert (done.out.partition(",")[0], done.err) == ("person_id", said)
    assert run("predict", tmp_path / "m", tmp_path / "all.csv", "--quiet").err == ""
    done = run("predict", tmp_path / "m", tmp_path / "all.csv", "--id", "code")
    assert (done.out.partition(",")[0], done.err) == ("code", "")
    assert run("train", *options, "--id", "code").code == 0
    done = run("predict", tmp_path / "m", tmp_path / "all.csv")
    assert (done.out.partition(",")[0], done.err) == ("code", "")
