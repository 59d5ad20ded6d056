"""aucmax train: a model file, and its AUC beside that of logistic regression."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

import aucmax
from aucmax.cli.data import split_train_test
from aucmax.io import load_model
from aucmax.io.storage.models import load_scorer
from aucmax.metrics import auc, partial_auc, partial_auc_interval
from cli.tables import read_table


def test_train_in_memory_prints_auc_beside_logistic_regression(run, files, tmp_path):
    done = run("train", files.csv, "--label", "state", "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    assert re.search(r"AUCClassifierCV +0\.\d{4} +0\.\d{4} - ", done.out)
    assert re.search(r"logistic regression +0\.\d{4} +0\.\d{4} - ", done.out)
    model = load_model(tmp_path / "m.auc")
    assert model.classes_.tolist() == ["healthy", "ill"]
    assert model.feature_names_in_.tolist() == files.names
    expected = aucmax.AUCClassifier(l2=model[-1].l2_).fit(files.X, files.y)
    np.testing.assert_allclose(files.X[:, :4] @ (model[-1].coef_ - expected.coef_)[0, :4], 0.0, atol=1e-2)


def test_train_json_with_test_rows(run, files, tmp_path):
    options = ["--label", "state", "--test", files.csv, "--l2", "0.01", "--loss", "logistic", "--json"]
    done = run("train", files.csv, "-o", tmp_path / "m.auc", *options)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["rows"] == 400
    assert found["features"] == 5
    assert found["l2"] == 0.01
    assert found["positives"] == int((files.y == "ill").sum())
    assert found["low"] < found["auc"] < found["high"]
    assert {"auc", "low", "high", "se"} <= set(found["logistic_regression"])
    assert 0 <= found["difference"]["p_value"] <= 1
    model = load_model(tmp_path / "m.auc")
    assert found["auc"] == pytest.approx(aucmax.metrics.auc(files.y == "ill", model[-1].coef_[0] @ files.X.T))


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_either_label_can_rank_high(run, files, tmp_path, how):
    options = ["--label", "state", *how, "--json"]
    ill = json.loads(run("train", files.csv, *options, "-o", tmp_path / "ill.auc").out)
    done = run("train", files.csv, *options, "--positive", "healthy", "-o", tmp_path / "healthy.auc")
    healthy = json.loads(done.out)
    assert healthy["auc"] == ill["auc"]
    assert healthy["classes"] == ["ill", "healthy"]
    assert healthy["positives"] == ill["rows"] - ill["positives"]
    by_ill, by_health = (
        read_table(run("predict", tmp_path / f"{name}.auc", files.csv).out) for name in ("ill", "healthy")
    )
    assert by_health["score"] == [-score for score in by_ill["score"]]
    assert by_health["label"] == by_ill["label"]
    # In Python a model keeps scikit-learn's sorted labels, on which its scorers rely.
    model = load_model(tmp_path / "healthy.auc")
    assert model.classes_.tolist() == ["healthy", "ill"]
    rows = pd.DataFrame(files.X, columns=files.names)
    assert get_scorer("roc_auc")(model, rows, files.y) > 0.5
    found = json.loads(run("evaluate", tmp_path / "healthy.auc", files.csv, "--json").out)
    assert found["positives"] == healthy["positives"]
    assert found["auc"] > 0.5


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_labels_that_are_numbers_may_be_written_in_any_form(run, files, tmp_path, how):
    for text, last in (("-1", -1.0), ("+1", 1.0), ("1.0", 1.0)):
        command = ["train", files.svm, *how, f"--positive={text}", "-o", tmp_path / "m.auc", "--json"]
        assert json.loads(run(*command).out)["classes"][1] == last
    done = run("train", files.svm, *how, "--positive", "fraud", "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (1, "")
    assert "--positive 'fraud' is not a label of" in done.err


def test_the_same_command_gives_the_same_bytes(run, files, tmp_path):
    for name in ("a", "b"):
        run("train", files.svm, "--no-baseline", "--seed", 3, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
def test_numbers_beside_text_may_be_of_any_size(run, tmp_path, size, monkeypatch):
    monkeypatch.setattr("aucmax.cli.progress.LINE_SECONDS", np.inf)  # compiling may take longer than that
    rng = np.random.default_rng(0)
    income = rng.random(2000)
    bought = rng.random(2000) < income
    rows = [
        f"{rng.choice(['red', 'blue'])},{size * x:.6g},{y:d}" for x, y in zip(income, bought, strict=True)
    ]
    (tmp_path / "mixed.csv").write_text("\n".join(["colour,income,bought", *rows]) + "\n")
    command = ["--label", "bought", "--categorical", "hash", "--stream", "-o", tmp_path / "m.auc", "--json"]
    done = run("train", tmp_path / "mixed.csv", *command, "--test", tmp_path / "mixed.csv")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["auc"] > 0.8  # the income alone: 0.83


def test_the_top_of_the_list(run, files, tmp_path):
    options = ["--label", "state", "--max-fpr", "0.4"]
    done = run("train", files.csv, *options, "-o", tmp_path / "m.auc", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    model = load_model(tmp_path / "m.auc")[-1]
    assert (found["max_fpr"], found["push"]) == (0.4, model.push_)
    settings = aucmax.AUCClassifier(l2=model.l2_, push=model.push_, standardize=model.standardize_)
    scores = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(files.X, files.y):
        score = settings.fit(files.X[train], files.y[train]).decision_function(files.X[test])
        scores.append(partial_auc(files.y[test] == "ill", score, 0.4, standardized=True))
    assert found["partial_auc"]["value"] == pytest.approx(np.mean(scores))
    assert found["partial_auc"]["low"] < found["partial_auc"]["value"] < found["partial_auc"]["high"]
    assert 0.5 < found["logistic_regression"]["partial_auc"]["value"] < 1
    assert found["low"] < found["auc"] < found["high"]
    text = run("train", files.csv, *options, "-o", tmp_path / "m.auc").out
    assert re.search(
        r"AUC +95 % interval +AUC to 0\.4 +95 % interval\nAUCClassifierCV +0\.\d{4} +0\.\d", text
    )
    assert f"push = {model.push_:g}" in text
    evaluated = json.loads(run("evaluate", tmp_path / "m.auc", files.csv, "--json").out)
    assert evaluated["partial_auc"]["max_fpr"] == 0.4  # that of the training


def test_the_top_on_test_rows(run, files, tmp_path):
    options = ["--label", "state", "--max-fpr", "0.4", "--test", files.csv]
    done = run("train", files.csv, *options, "-o", tmp_path / "m.auc", "--json")
    found = json.loads(done.out)
    model = load_model(tmp_path / "m.auc")[-1]
    score = files.X @ model.coef_[0]
    expected = partial_auc_interval(files.y == "ill", score, 0.4, standardized=True)
    assert [found["partial_auc"][key] for key in ("value", "low", "high")] == pytest.approx(expected[:3])
    assert found["auc"] == pytest.approx(aucmax.metrics.auc(files.y == "ill", score))
    difference = found["difference"]["partial_auc"]
    other = found["logistic_regression"]["partial_auc"]["value"]
    assert difference["difference"] == pytest.approx(expected.auc - other)
    text = run("train", files.csv, *options, "-o", tmp_path / "m.auc").out
    assert re.search(r"AUC +95 % interval +AUC to 0\.4 +95 % interval\n", text)
    assert f"difference of AUC to 0.4 {difference['difference']:+.4f} (" in text
    assert max(len(line) for line in text.splitlines()[1:4]) <= 80


@pytest.mark.filterwarnings("ignore:the label that ranks high")
def test_the_top_of_the_label_that_sorts_first(run, files, tmp_path):
    """The positive label is the first in sorted order; the model must equal one with renamed labels."""
    lines = Path(files.csv).read_text()
    (tmp_path / "renamed.csv").write_text(lines.replace(",healthy\n", ",z\n"))
    options = ["--label", "state", "--max-fpr", "0.6", "--json"]
    done = run("train", files.csv, *options, "--positive", "healthy", "-o", tmp_path / "first.auc")
    first = json.loads(done.out)
    second = json.loads(run("train", tmp_path / "renamed.csv", *options, "-o", tmp_path / "second.auc").out)
    assert first["classes"] == ["ill", "healthy"]
    assert first["partial_auc"] == pytest.approx(second["partial_auc"])
    assert first["push"] == second["push"]
    one, two = load_model(tmp_path / "first.auc"), load_model(tmp_path / "second.auc")
    np.testing.assert_allclose(one[-1].coef_, -two[-1].coef_)
    assert one.classes_.tolist() == ["healthy", "ill"]
    X = pd.DataFrame(files.X, columns=files.names)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X)[:, ::-1], atol=1e-12)
    by_first, by_second = (
        json.loads(run("evaluate", tmp_path / f"{name}.auc", data, "--json").out)
        for name, data in (("first", files.csv), ("second", tmp_path / "renamed.csv"))
    )
    assert by_first["top"] == by_second["top"]
    on_test = run(
        "train", files.csv, *options, "--positive", "healthy", "-o", tmp_path / "m", "--test", files.csv
    )
    assert json.loads(on_test.out)["partial_auc"] == pytest.approx(by_first["partial_auc"])


def test_a_stream_has_no_top(run, files, tmp_path):
    done = run("train", files.svm, "--stream", "--max-fpr", "0.1", "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("aucmax: --max-fpr does not go with --stream")


@pytest.mark.filterwarnings("always:.*whole number")
@pytest.mark.parametrize("options", [["--no-baseline"], ["--stream"], ["--stream", "--shuffle", 900]])
@pytest.mark.parametrize("text", [False, True])
def test_identifiers_are_named(run, options, text, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{k},{rng.normal():.3f},{'ab'[k % 2]},{rng.integers(2)}" for k in range(1000, 1800)]
    kept = [",".join(np.array(line.split(","))[[0, 1, 3]]) for line in lines]
    header = "loan,size,colour,bad" if text else "loan,size,bad"
    (tmp_path / "all.csv").write_text("\n".join([header, *(lines if text else kept)]))
    how = ["--categorical", "hash"] if text else []
    done = run("train", tmp_path / "all.csv", "--label", "bad", *how, *options, "-o", tmp_path / "m.auc")
    assert done.code == 0
    assert done.err.count("left out 'loan' (an identifier: nearly every row has another whole number)") == 1
    assert done.err.count("\n") == 1
    assert "loan" not in load_scorer(tmp_path / "m.auc").feature_names
    done = run(
        "train",
        tmp_path / "all.csv",
        "--label",
        "bad",
        *how,
        *options,
        "-o",
        tmp_path / "m.auc",
        "--columns",
        "loan,size",
    )
    assert done.err.count("whole number in column 'loan'; if these are identifiers, leave them out.") == 1
    assert load_scorer(tmp_path / "m.auc").feature_names == ["loan", "size"]


@pytest.mark.parametrize("positive", ["ill", "healthy"])
def test_rows_kept_for_the_test_are_drawn_by_the_seed(run, files, tmp_path, positive):
    options = ["--label", "state", "--positive", positive, "--test-size", "0.25", "--json"]
    found, models = [], []
    for seed in (0, 0, 1):
        done = run("train", files.csv, *options, "--seed", seed, "-o", tmp_path / "m.auc")
        found.append(json.loads(done.out))
        models.append((tmp_path / "m.auc").read_bytes())
    assert models[0] == models[1] != models[2]
    assert found[0]["auc"] != found[2]["auc"]
    assert found[0]["rows"] == 300
    assert found[0]["positives"] == pytest.approx(0.75 * (files.y == positive).sum(), abs=0.51)
    assert found[0]["how"] == "on 100 rows kept for the test"
    splitter = StratifiedShuffleSplit(1, test_size=0.25, random_state=0)
    _, test = next(splitter.split(files.X, files.y))
    path = tmp_path / "m.auc"
    path.write_bytes(models[0])
    model = load_model(path)[-1]
    sign = 1 if model.classes_[1] == positive else -1
    expected = auc(files.y[test] == positive, sign * files.X[test] @ model.coef_[0])
    assert found[0]["auc"] == pytest.approx(expected, abs=1e-12)
    difference = found[0]["auc"] - found[0]["logistic_regression"]["auc"]
    assert found[0]["difference"]["difference"] == pytest.approx(difference)


@pytest.mark.filterwarnings("ignore:columns. left out")
def test_rows_kept_for_the_test_teach_nothing(run, tmp_path):
    """The model is that of a file with the training rows alone: means, texts, columns left out."""
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    _, test = split_train_test(y, 0.25, 0)
    kept = np.isin(np.arange(400), test)
    age = np.where(rng.random(400) < 0.1, np.nan, rng.normal(40 + 5 * y, 9) + 1000 * kept)  # another mean
    frame = pd.DataFrame({"age": age, "town": rng.choice(["Ulm", "Bonn"], 400)})
    frame.loc[kept, "town"] = "Kiel"  # a text that only the test has
    frame["same"] = np.where(kept, 5, 7)  # constant in the training
    frame["ill"] = np.where(y, "yes", "no")
    found = []
    for name, rows, options in (("all", frame, ["--test-size", "0.25"]), ("part", frame[~kept], [])):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
        done = run("train", tmp_path / f"{name}.csv", "--label", "ill", *options, "-o", tmp_path / "m.auc")
        assert done.code == 0, done.err
        found.append(load_model(tmp_path / "m.auc"))
    assert found[0][0].encoding_ == found[1][0].encoding_
    assert found[0][-1].coef_.tobytes() == found[1][-1].coef_.tobytes()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--test-size", "0"], 2, "'--test-size': 0 is not a number between 0 and 1."),
        (["--test-size", "1.5"], 2, "'--test-size': 1.5 is not a number between 0 and 1."),
        (["--test-size", "half"], 2, "'--test-size'"),
        (["--test-size", "0.999"], 1, "--test-size 0.999 leaves too few rows of a class; give another share"),
        (
            ["--test-size", "0.2", "--stream"],
            2,
            "--test-size does not go with --stream; give other rows",
        ),
        (["--test-size", "0.2", "--test", "{svm}"], 2, "--test and --test-size exclude each other."),
        (["--threshold", "recall=0.9", "--stream"], 2, "--threshold recall=0.9 does not go with --stream"),
        (["--threshold", "alerts=0.001"], 1, "no threshold has at most 0.001 alerts: the highest score has"),
    ],
)
def test_wrong_tests_and_thresholds_are_named(run, files, tmp_path, options, code, message):
    options = [option.format(svm=files.svm) for option in options]
    done = run("train", files.svm, *options, "--no-baseline", "--l2", "0.1", "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_stream_keeps_a_threshold_that_is_a_number(run, files, tmp_path):
    path = tmp_path / "m.auc"
    done = run("train", files.svm, "--stream", "--threshold", "0.25", "-o", path)
    assert (done.code, load_scorer(path).summary["threshold"]["value"]) == (0, 0.25)
    assert "threshold 0.25\n" in done.out


def test_a_model_of_noise_is_called_so(start, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal():.3f},{rng.integers(2)}" for _ in range(200)]
    (tmp_path / "noise.csv").write_text("\n".join(["x,y", *rows]))
    done = start("train", tmp_path / "noise.csv", "--label", "y", "-o", tmp_path / "m.auc")
    _, told = done.communicate()
    assert done.returncode == 0
    assert "may rank no better than chance" in told
