"""aucmax report: which rows are judged, and what goes wrong before a page is written."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from aucmax import AUCClassifier
from aucmax.cli.baseline import C_GRID
from aucmax.io import load_model, save_model
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


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A table of numbers in different units, one of them with a bend, and text, in two files."""
    rng = np.random.default_rng(0)
    n = 1200
    frame = pd.DataFrame({"income": rng.normal(30_000, 8_000, n).round(), "rate": rng.normal(0.05, 0.01, n)})
    frame["city"] = rng.choice(["Oslo", "Rome", "Ulm"], n)
    bend = ((frame["income"] - 30_000) / 8_000) ** 2
    score = bend + (frame["rate"] - 0.05) / 0.01 + (frame["city"] == "Oslo")
    frame["late"] = np.where(score + rng.normal(size=n) > 2.5, "yes", "no")
    folder = tmp_path_factory.mktemp("mixed")
    parts = [(frame[:800], folder / "first.csv"), (frame[800:], folder / "second.csv")]
    for part, path in parts:
        part.to_csv(path, index=False)
    return parts


@pytest.mark.parametrize("curves", [[], ["--curves"]])
@pytest.mark.parametrize(("positive", "top"), [("yes", []), ("no", []), ("no", ["--max-fpr", "1"])])
def test_logistic_regression_of_numbers_beside_text(run, mixed, tmp_path, curves, positive, top):
    (first, train_file), (second, test_file) = mixed
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    done = run("train", train_file, "--label", "late", "--positive", positive, *curves, *top, "-o", model)
    assert ("curves of 2 columns" in done.out) == bool(curves)
    done = run("report", model, test_file, "-o", page, "--json")
    assert (done.code, done.err) == (0, "")
    encoder, y = load_model(model)[:-1], (first["late"] == positive).to_numpy()
    X, unseen = (encoder.transform(part.drop(columns="late")) for part in (first, second))
    X, unseen = X.toarray(), unseen.toarray()
    numbers = ~np.isin(X, [0.0, 1.0]).all(axis=0)
    mean, scale = np.where(numbers, X.mean(axis=0), 0.0), np.where(numbers, X.std(axis=0), 1.0)
    scale *= np.mean(((X - mean) / scale) ** 2, axis=0) ** 0.25
    X, standardised = (X - mean) / scale, (unseen - mean) / scale
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(
        LogisticRegression(tol=1e-8, max_iter=1000), {"C": C_GRID}, scoring="roc_auc", cv=folds
    )
    logistic, score = search.fit(X, y).best_estimator_, np.zeros(len(second))
    for rows, _ in folds.split(X, first["late"]):
        score += logistic.fit(X[rows], y[rows]).decision_function(standardised) / 5
    kept = unseen @ load_scorer(model).summary["baseline"]["coef"]
    np.testing.assert_allclose(kept - kept.mean(), score - score.mean(), atol=0.01)  # of some -10 to 10
    high = (second["late"] == positive).to_numpy()
    assert auc_interval(high, kept).auc == pytest.approx(auc_interval(high, score).auc, abs=1e-4)
    assert f"<strong>{auc_interval(high, kept).auc:.3f}</strong>" in page.read_text()
    ours = load_model(model).decision_function(second) * (1 if positive == "yes" else -1)
    assert f"{auc_difference(high, ours, kept).difference:+.4f}" in page.read_text()


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
    assert mean == "Unlike the training rows: the mean is more than one spread away in age."


def test_the_threshold_is_a_goal_or_that_of_the_model(run, files, tmp_path):
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    train(run, files, model, "--threshold", "precision=0.5")
    run("report", model, "-o", page)
    assert "in use: precision=0.5" in page.read_text()
    run("report", model, "--threshold", "alerts=10%", "-o", page, "--title", "A & B")
    assert "in use: alerts=10%" in page.read_text()
    assert "<h1>A &amp; B</h1>" in page.read_text()


def test_without_a_goal_pictures_and_table_cut_at_0(run, files, tmp_path):
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    train(run, files, model, "--no-baseline")
    for data in ([], [halves(files, tmp_path)[0]]):
        run("report", model, *data, "-o", page)
        text = page.read_text()
        assert "e-3" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
        assert text.count("score ≥ 0:") == 2
        assert text.count(">threshold 0<") == 1
        assert "both classes equally likely</td><td>0</td>" in text


def test_inspect_and_the_page_count_the_same_weights(run, mixed, tmp_path):
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    run("train", mixed[0][1], "--label", "late", "--curves", "--no-baseline", "-o", model)
    run("report", model, "-o", page)
    coef = load_scorer(model).coef
    count = np.count_nonzero(coef)
    assert f"{len(coef)}, of which {count} have a weight that is not 0" in page.read_text()
    assert f"{count} of {len(coef)} weights are not 0" in run("inspect", model).out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{new}"], 1, "it has no column 'state', the label in training"),
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
