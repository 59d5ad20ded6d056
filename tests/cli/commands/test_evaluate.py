"""aucmax evaluate: AUC and partial AUC with intervals, average precision, the top, and the picture."""

import json
from pathlib import Path

import pytest

from aucmax.io import load_model
from aucmax.io.storage.models import load_scorer
from aucmax.metrics import auc, average_precision, operating_point, partial_auc_interval, top
from cli.tables import read_table


def test_evaluate(run, trained, files, tmp_path):
    done = run("evaluate", trained / "named", files.csv, "--json", "--plot", tmp_path / "curves.svg")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["low"] < found["auc"] < found["high"]
    model = load_model(trained / "named")[-1]
    y, score = files.y == "ill", files.X @ model.coef_[0] + model.intercept_[0]
    assert found["auc"] == auc(y, score)
    assert found["partial_auc"]["max_fpr"] == 0.05
    expected = partial_auc_interval(y, score, 0.05, standardized=True)
    assert [found["partial_auc"][key] for key in ("value", "low", "high")] == list(expected[:3])
    assert found["average_precision"] == average_precision(y, score)
    for row, rates in zip(found["top"], top(y, score), strict=True):
        assert (row["fraction"], row["alerts"]) == rates[:2]
        assert row["threshold"] == pytest.approx(rates.threshold)
        assert row["recall"] == rates.recall._asdict()
        assert row["lift"] == rates.lift._asdict()
    assert (tmp_path / "curves.svg").read_text().startswith("<?xml")


def test_rows_of_the_training_are_recognised(run, trained, files, tmp_path):
    assert "the model has learnt from these rows" in run("evaluate", trained / "named", files.csv).out
    assert json.loads(run("evaluate", trained / "named", files.csv, "--json").out)["warnings"]
    header, *rows = Path(files.csv).read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *rows[:-1]]) + "\n")
    assert json.loads(run("evaluate", trained / "named", other, "--json").out)["warnings"] == []


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_a_file_without_labels(run, trained, files, tmp_path, command):
    unlabelled = tmp_path / "unlabelled.csv"
    header, *rows = Path(files.csv).read_text().splitlines()
    unlabelled.write_text("\n".join([header, *(row.rpartition(",")[0] + "," for row in rows)]) + "\n")
    output = ["-o", tmp_path / "report.html"] if command == "report" else []
    done = run(command, trained / "named", unlabelled, *output)
    assert done.code == 1
    assert "line 2: none of the 400 rows from here on has a label in column 'state'; give rows" in done.err
    assert "`aucmax predict` scores rows without them." in done.err


def test_evaluate_as_text(run, trained, files):
    found = json.loads(run("evaluate", trained / "named", files.csv, "--max-fpr", "0.2", "--json").out)
    text = run("evaluate", trained / "named", files.csv, "--max-fpr", "0.2").out
    assert max(map(len, text.splitlines()[1:])) <= 80  # after the line with the path of the file
    assert f"AUC {found['auc']:.4f}, 95 % interval" in text
    assert f"partial AUC to 0.2: {found['partial_auc']['value']:.4f}, 95 % interval" in text
    assert f"average precision {found['average_precision']:.4f} (" in text
    *_, first, second, third, blank, threshold = text.splitlines()
    rows = first, second, third
    point = found["threshold"]
    assert (blank, point["value"], point["goal"]) == ("", 0.0, None)
    assert threshold == (
        f"threshold 0: {point['alerts']:.0f} alerts, recall {point['recall']['value']:.3f}, "
        f"precision {point['precision']['value']:.3f}, fpr {point['fpr']['value']:.3f}"
    )
    assert [row[:8].strip() for row in rows] == ["top 1 %", "top 5 %", "top 10 %"]
    assert [row[8:].split()[0] for row in rows] == ["4", "20", "40"]


@pytest.mark.filterwarnings("default:max_fpr=0.05 leaves less")
def test_evaluate_few_rows(run, trained, files, tmp_path):
    lines = Path(files.csv).read_text().splitlines()
    ill = [line for line in lines if line.endswith("ill")][:3]
    healthy = [line for line in lines if line.endswith("healthy")][:10]
    (tmp_path / "few.csv").write_text("\n".join([lines[0], *ill, *healthy]) + "\n")
    done = run("evaluate", trained / "named", tmp_path / "few.csv", "--plot", tmp_path / "few.png")
    assert done.code == 0
    (warning,) = set(done.err.splitlines())
    assert warning.startswith("aucmax: warning: --max-fpr 0.05 leaves less than one of the 10 negative rows")
    assert (tmp_path / "few.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("always")
def test_thresholds_that_no_row_or_every_row_reaches(run, files, tmp_path):
    command = ["train", files.csv, "--label", "state", "--no-baseline", "-o", tmp_path / "m.auc"]
    said = " at least %s: --threshold takes a score; for a goal give it recall=, precision=, alerts= or cost="
    assert "no row scores" + said % "1e+09" in run(*command, "--threshold", "1e9").err
    for score, rows in (("1e9", "no row scores"), ("-1e9", "every row scores")):
        done = run("evaluate", tmp_path / "m.auc", files.csv, "--threshold", score)
        assert rows + said % f"{float(score):g}" in done.err
    assert "takes a score" not in run("evaluate", tmp_path / "m.auc", files.csv, "--threshold", "0").err
    lines = Path(files.csv).read_text().splitlines()
    wells = [line.replace(",ill", ",healthy") for line in lines[1:]]
    (tmp_path / "twice.csv").write_text("\n".join([*lines, *wells]) + "\n")
    done = run("evaluate", tmp_path / "m.auc", tmp_path / "twice.csv", "--threshold", "precision=1")
    assert "; give a lower --threshold precision=P.\n" in done.err


@pytest.mark.parametrize("positive", ["ill", "healthy"])
def test_a_threshold_is_chosen_by_the_rows_and_kept(run, files, tmp_path, positive):
    path = tmp_path / "m.auc"
    options = ["--label", "state", "--positive", positive, "--no-baseline", "-o", path]
    assert run("train", files.csv, *options).code == 0
    score = read_table(run("predict", path, files.csv).out)["score"]
    chosen = operating_point(files.y == positive, score, precision=0.8)
    command = ["evaluate", path, files.csv, "--threshold", "precision=0.8"]
    found = json.loads(run(*command, "--json").out)["threshold"]
    assert found["value"] == pytest.approx(chosen.threshold)
    assert found["precision"] == pytest.approx(chosen.precision._asdict())
    before = path.read_bytes()
    assert f"kept in {path}\n" in run(*command, "--save").out
    kept = load_scorer(path)
    assert kept.summary["threshold"]["goal"] == "precision=0.8"
    assert kept.summary["threshold"]["how"] == "by the 400 rows of all.csv"
    labels = read_table(run("predict", path, files.csv).out)["label"]
    assert labels.count(positive) == chosen.alerts
    assert json.loads(run("evaluate", path, files.csv, "--json").out)["threshold"] == found
    path.write_bytes(before)
    assert "threshold" not in load_scorer(path).summary


def test_goals_that_no_row_reaches_and_wrong_saves_change_no_file(run, trained, files):
    before = (trained / "named").read_bytes()
    done = run("evaluate", trained / "named", files.csv, "--save")
    assert done.code == 2
    assert "--save needs --threshold, and a model file to keep it in." in done.err
    assert (trained / "named").read_bytes() == before


@pytest.mark.parametrize("rate", ["0", "1.5", "nan", "-1", "much"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "train"])
def test_a_wrong_rate_is_named(run, trained, files, tmp_path, command, rate):
    arguments = {
        "evaluate": [trained / "named", files.csv],
        "compare": [files.svm],
        "train": [files.svm, "-o", tmp_path / "m.auc"],
    }[command]
    done = run(command, *arguments, "--max-fpr", rate)
    assert (done.code, done.out) == (2, "")
    assert "'--max-fpr'" in done.err
    assert "number" in done.err


def test_evaluate_needs_labels_that_the_model_knows(run, trained, files, tmp_path):
    assert "it has no column 'state'" in run("evaluate", trained / "named", files.new).err
    (tmp_path / "other.svm").write_text("3 1:1\n-1 1:2\n")
    done = run("evaluate", trained / "plain", tmp_path / "other.svm")
    assert done.code == 1
    assert "other.svm, line 1: '3' is not one of the classes -1.0, 1.0" in done.err
    assert run("evaluate", trained / "named", files.csv, "--plot", "roc.doc").code == 2


@pytest.mark.parametrize(("goal", "share"), [("alerts=100%", 1.0), ("alerts=50%", 0.5), ("alerts=0.5", 0.5)])
def test_a_share_of_alerts(run, trained, files, goal, share):
    done = run("evaluate", trained / "named", files.csv, "--threshold", goal, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)["threshold"]
    assert (found["goal"], found["fraction"]) == (f"alerts={100 * share:g}%", share)
