"""aucmax report: which rows are judged, and what goes wrong before a page is written."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from aucmax import AUCClassifier
from aucmax.io import save_model
from aucmax.io.storage.models import load_scorer
from aucmax.metrics import auc_difference, auc_interval
from cli.tables import read_table


def train(run, files, path, *options):
    done = run("train", files.csv, "--label", "state", *options, "--json", "-o", path)
    assert done.code == 0, done.err
    return json.loads(done.out)


def halves(files, folder):
    """The rows of the table in two files."""
    head, *rows = Path(files.csv).read_text().splitlines()
    for name, part in (("first.csv", rows[::2]), ("second.csv", rows[1::2])):
        (folder / name).write_text("\n".join([head, *part]))
    return folder / "first.csv", folder / "second.csv"


def test_training_rows_are_judged_while_held_out(run, files, tmp_path):
    told = train(run, files, tmp_path / "m.auc")
    for data in ([], [files.csv]):
        done = run("report", tmp_path / "m.auc", *data, "-o", tmp_path / "page.html", "--json")
        assert (done.code, done.err) == (0, "")
        found = json.loads(done.out)
        assert (found["auc"], found["low"], found["high"]) == (told["auc"], told["low"], told["high"])
        page = (tmp_path / "page.html").read_text()
        assert "the 400 training rows, each while it was held out" in page
        assert f"{told['logistic_regression']['auc']:.3f}" in page
        assert "by 5-fold cross-validation" in page


@pytest.mark.parametrize("positive", ["ill", "healthy"])
@pytest.mark.parametrize("top", [[], ["--max-fpr", "1"]])
def test_other_rows_are_judged_beside_logistic_regression(run, files, tmp_path, positive, top):
    first, second = halves(files, tmp_path)
    model = tmp_path / "m.auc"
    options = ["--label", "state", "--positive", positive, *top, "-o", model]
    assert run("train", first, *options).code == 0
    done = run("report", model, second, "-o", tmp_path / "page.html", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    score = np.array(read_table(run("predict", model, second).out)["score"])
    high = files.y[1::2] == positive
    expected = auc_interval(high, score)
    assert (found["auc"], found["low"]) == pytest.approx((expected.auc, expected.low))
    page = (tmp_path / "page.html").read_text()
    assert "the 200 rows of second.csv" in page
    other = files.X[1::2] @ load_scorer(model).summary["baseline"]["coef"]
    assert f"{auc_interval(high, other).auc:.3f}" in page
    both = run("report", model, first, second, "-o", tmp_path / "page.html")
    assert (both.code, both.err) == (0, "")
    assert "the 400 rows of first.csv and 1 more" in (tmp_path / "page.html").read_text()
    assert f"{auc_difference(high, score, other).difference:+.4f}" in page
    assert abs(auc_interval(high, other).auc - expected.auc) < 0.05


def test_rows_kept_for_the_test_are_found_again(run, files, tmp_path):
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    for positive in ("ill", "healthy"):
        told = train(run, files, model, "--test-size", "0.3", "--positive", positive)
        found = json.loads(run("report", model, files.csv, "-o", page, "--json").out)
        assert (found["auc"], found["low"]) == pytest.approx((told["auc"], told["low"]))
        assert "the 120 rows of all.csv that were kept for the test" in page.read_text()
        assert f"{told['difference']['difference']:+.4f}" in page.read_text()


def test_a_stream_has_learnt_from_its_rows(run, files, tmp_path):
    assert run("train", files.csv, "--label", "state", "--stream", "-o", tmp_path / "m.auc").code == 0
    done = run("report", tmp_path / "m.auc", files.csv, "-o", tmp_path / "page.html")
    assert (done.code, "note: The model has learnt from these rows: give others" in done.out) == (0, True)
    assert "note:" not in run("report", tmp_path / "m.auc", halves(files, tmp_path)[0], "-o", "/dev/null").out


def test_rows_that_differ_from_the_training_are_noted(run, files, tmp_path):
    train(run, files, tmp_path / "m.auc")
    head, *rows = Path(files.csv).read_text().splitlines()
    kept = [row for k, row in enumerate(rows) if row.endswith("healthy") or k % 6 == 0]
    moved = tmp_path / "moved.csv"
    moved.write_text("\n".join([head, *("3" + row.lstrip("-") for row in kept)]))
    found = json.loads(run("report", tmp_path / "m.auc", moved, "-o", "/dev/null", "--json").out)
    few, share, mean = found["warnings"]
    assert few.startswith("Only ")
    assert "of these rows are positive, but" in share
    assert mean == "The mean of age is more than one spread away from that in training."


def test_the_threshold_is_a_goal_or_that_of_the_model(run, files, tmp_path):
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    train(run, files, model, "--threshold", "precision=0.5")
    run("report", model, "-o", page)
    assert "in use: precision=0.5" in page.read_text()
    run("report", model, "--threshold", "alerts=10%", "-o", page, "--title", "A & B")
    assert "in use: alerts=10%" in page.read_text()
    assert "<h1>A &amp; B</h1>" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{new}"], 1, "it has no labels"),
        (["{svm}"], 1, "all.svm"),
        (["nothing.csv"], 1, "nothing.csv is neither a file nor a known data set"),
        (["{csv}", "--threshold", "recall=2"], 2, "recall must be a number above 0"),
        (
            ["{csv}", "--threshold", "alerts=0.001"],
            1,
            "no threshold has at most 0.001 alerts",
        ),
        (["{csv}", "-o", "{folder}"], 2, "is a folder; give the name of a file"),
        (["{csv}", "-o", "{folder}/none/page.html"], 2, "is not a writable folder"),
        (["{csv}", "-o", "{csv}"], 2, "would overwrite another file"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(run, files, trained, tmp_path, arguments, code, message):
    known = {"new": files.new, "svm": files.svm, "csv": files.csv, "folder": tmp_path}
    arguments = [argument.format(**known) for argument in arguments]
    before = Path(files.csv).read_bytes()
    options = [] if "-o" in arguments else ["-o", tmp_path / "page.html"]
    done = run("report", trained / "named", *arguments, *options)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert os.listdir(tmp_path) == []
    assert Path(files.csv).read_bytes() == before


def test_a_model_without_held_out_scores_needs_rows(run, files, tmp_path):
    save_model(AUCClassifier().fit(files.X, files.y), tmp_path / "m.auc")
    done = run("report", tmp_path / "m.auc", "-o", tmp_path / "page.html")
    assert (done.code, os.listdir(tmp_path)) == (1, ["m.auc"])
    assert "AUCClassifier has no scores of rows held out in training; give labelled rows." in done.err


@pytest.mark.filterwarnings("default")
def test_warnings_of_the_training_are_in_the_page(run, files, tmp_path):
    head, *rows = Path(files.csv).read_text().splitlines()
    leaky = [f"{row},{1 if row.endswith('ill') else 0}.{k % 7}" for k, row in enumerate(rows)]
    (tmp_path / "leaky.csv").write_text("\n".join([f"{head},paid <back>", *leaky]))
    done = run("train", tmp_path / "leaky.csv", "--label", "state", "-o", tmp_path / "m.auc")
    assert "'paid <back>' (AUC 1.0000), which alone ranks the labels nearly perfectly" in done.err
    done = run("report", tmp_path / "m.auc", "-o", tmp_path / "page.html", "--json")
    (text,) = [text for text in json.loads(done.out)["warnings"] if "ranks the labels" in text]
    assert "--drop" in text
    assert "paid &lt;back&gt;" in (tmp_path / "page.html").read_text()
