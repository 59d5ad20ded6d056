"""aucmax train on raw tables: columns by choice, curves, and what is said about them."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from aucmax.io import load_model
from aucmax.io.columns.curves import column_curve
from aucmax.io.columns.encoding import stored_encoding
from aucmax.io.storage.models import load_scorer
from cli.tables import read_table

pytestmark = pytest.mark.filterwarnings(
    "always:columns. left out", "always:columns. no text", "always:values that the training"
)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """A table with customer numbers, dates, texts, gaps and a bend, and its file."""
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {"customer": rng.permutation(n) + 5000, "age": rng.integers(18, 90, n).astype(float)}
    )
    frame["city"] = rng.choice(["Oslo", "Rome", "a", "b"], n, p=[0.5, 0.48, 0.01, 0.01])
    frame["joined"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    frame["shop"] = "north"
    score = (frame["age"] - 55) ** 2 / 300 + (frame["city"] == "Oslo")
    frame["late"] = np.where(score + rng.normal(size=n) > 2.0, "yes", "no")
    frame.loc[::9, "age"] = None
    path = tmp_path_factory.mktemp("raw") / "loans.csv"
    frame.to_csv(path, index=False)
    return frame, path


def test_a_raw_table_needs_no_options(run, raw, tmp_path):
    frame, path = raw
    done = run("train", path, "--label", "late", "-o", tmp_path / "m.auc", "--no-baseline")
    assert done.code == 0
    assert done.err.count("\n") == 2
    assert "left out 'customer' (an identifier" in done.err
    assert "whole number); to use an identifier or text all the same, name it in --categ" in done.err
    assert "columns: left out 'shop' (constant).\n" in done.err
    assert "columns: 1 text column became 2 features, one for each value, and rare values (2)" in done.out
    assert "; 1 date as year, month, weekday and days; 67 missing values replaced by the mean" in done.out
    new = frame.drop(columns="late").assign(city=np.where(frame.index < 3, "Ulm", frame["city"]))
    new.to_csv(tmp_path / "new.csv", index=False)
    done = run("predict", tmp_path / "m.auc", tmp_path / "new.csv")
    assert "3 rows of column 'city' ('Ulm'); they are scored" in done.err
    assert "rows are named by 'customer', an identifier found in training; --id names another\n" in done.err
    found = read_table(done.out)
    assert list(map(int, found["customer"])) == frame["customer"].tolist()
    scores = load_model(tmp_path / "m.auc").decision_function(frame.drop(columns="late"))
    np.testing.assert_array_equal(np.array(found["score"])[3:], scores[3:])


@pytest.mark.parametrize("options", [["--no-baseline"], ["--stream", "--batch-size", 70]])
def test_missing_texts_are_counted_apart(options, run, raw, tmp_path):
    frame = raw[0].drop(columns=["customer", "shop"])
    frame.loc[::5, "city"] = None
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    command = ["train", tmp_path / "gaps.csv", "--label", "late", *options, "-o", tmp_path / "m.auc"]
    done = run(*command)
    assert "; 67 missing values replaced by the mean" in done.out
    assert "; 120 missing texts left empty" in done.out
    encoding = stored_encoding(load_scorer(tmp_path / "m.auc").summary["reading"])
    (city,) = encoding.of_kind("text")
    assert (city.n_missing, city.n_known) == (120, 480)


def test_an_identifier_is_brought_back_beside_the_others(run, raw, tmp_path):
    for option in ("--numeric-columns", "--categorical-columns"):
        done = run("train", raw[1], "--label", "late", option, "customer", "-o", tmp_path / "m.auc")
        assert "columns: left out 'shop' (constant).\n" in done.err
        encoding = stored_encoding(load_scorer(tmp_path / "m.auc").summary["reading"])
        assert {column.name for column in encoding.columns} == {"customer", "age", "city", "joined"}


def test_a_stream_of_a_raw_table(run, raw, tmp_path):
    path = raw[1]
    models = []
    for size in (70, 600):
        done = run(
            "train", path, "--label", "late", "--stream", "--batch-size", size, "-o", tmp_path / "m.auc"
        )
        assert done.code == 0
        assert "left out 'customer' (an identifier" in done.err
        assert "columns: 2 text columns hashed to 4,096 features; 1 date as year, month, weekday" in done.out
        assert "; 67 missing values replaced by the mean\n" in done.out
        assert "95 % interval" not in done.out
        models.append(load_scorer(tmp_path / "m.auc"))
    done = run("train", path, "--label", "late", "--stream", "--drop", "age", "-o", tmp_path / "m.auc")
    assert "missing" not in done.out
    assert models[0].feature_names == models[1].feature_names
    assert stored_encoding(models[0].summary["reading"]).id == "customer"
    assert run("evaluate", tmp_path / "m.auc", path).code == 0


def test_curves_win_where_a_line_cannot_follow(run, raw, tmp_path):
    frame, path = raw
    command = ["train", path, "--label", "late", "--no-baseline", "--json", "-o", tmp_path / "m.auc"]
    line = json.loads(run(*command).out)
    curve = json.loads(run(*command, "--curves", "--positive", "yes").out)
    assert "curves" not in line
    assert curve["curves"]["chosen"]
    assert curve["curves"]["columns"] == 1
    assert curve["curves"]["straight"] == pytest.approx(line["auc"], abs=1e-12)
    assert curve["curves"]["curves"] == pytest.approx(curve["auc"], abs=1e-12)
    assert curve["auc"] > line["auc"] + 0.1
    scorer = load_scorer(tmp_path / "m.auc")
    encoding = stored_encoding(scorer.summary["reading"])
    found = column_curve(encoding, scorer.coef, "age", np.array([18.0, 55.0, 89.0])).contribution
    assert found[1] < min(found[0], found[2])  # the bend of the data
    scores = read_table(run("predict", tmp_path / "m.auc", path).out)["score"]
    np.testing.assert_array_equal(scores, load_model(tmp_path / "m.auc").decision_function(frame))
    for options in (["--test", path], ["--test-size", "0.3"], ["--max-fpr", "0.2"]):
        done = run(*command, "--curves", *options)
        assert done.code == 0, done.err
        assert json.loads(done.out)["auc"] > 0.75
    done = run(*command[:-3], "-o", tmp_path / "m.auc", "--curves")
    assert "curves of 1 column: 0." in done.out


def test_straight_lines_stay_where_curves_are_not_better(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    frame["y"] = (frame.sum(axis=1) + rng.normal(size=200) > 0).astype(int)
    frame["flag"] = rng.integers(0, 2, 200)
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["train", tmp_path / "t.csv", "--label", "y", "--no-baseline", "-o", tmp_path / "m.auc"]
    done = run(*command, "--curves")
    assert "straight lines: curves were not better (0." in done.out
    assert load_scorer(tmp_path / "m.auc").feature_names == [*"abcdef", "flag"]
    done = run(*command, "--curves", "--columns", "flag")
    assert "curves: no column has enough values for one, so all are straight lines" in done.out


@pytest.mark.parametrize(
    ("options", "code", "complaint"),
    [
        (["--drop", "agee"], 1, "it has no column 'agee' (did you mean 'age'?), only 'customer', 'age'"),
        (["--drop", "late"], 1, "'late' is the label or the ID, which is no feature; change --drop."),
        (["--drop", "customer,age,city,joined,shop"], 1, "it has no feature columns"),
        (["--columns", "x,y"], 1, "it has no column 'x', only"),
        (["--columns", "age", "--drop", "age"], 1, "column 'age' is to be dropped and used"),
        (["--columns", "shop,customer", "--drop", "shop", "--drop", "nope"], 1, "it has no column 'nope'"),
        (["--id", "late"], 1, "column 'late' is the label, so it names no rows; give another --id."),
        (["--id", "x"], 1, "it has no column 'x'"),
        (
            ["--id", "age", "--columns", "age,city"],
            1,
            "column 'age' is the label or the ID, and so no feature",
        ),
        (["--categorical-columns", "x"], 1, "it has no column 'x'"),
        (["--categorical-columns", "age", "--numeric-columns", "age"], 1, "'age' is to be text and numbers"),
        (["--categorical-columns", "late"], 1, "'late' is the label or the ID"),
        (["--numeric-columns", "city"], 1, "line 2"),
        (["--numeric-columns", ""], 1, "it has no column ''"),
        (["--numeric-columns", "city", "--columns", "age"], 1, "column 'city' is none of the columns to use"),
        (["--curves", "--stream"], 2, "--curves does not go with --stream"),
        (["--curves=5"], 2, "--curves"),
        (["--missing", "median"], 2, "'median' is not one of auto, mean, zero, error."),
        (["--missing", "error"], 1, "line 2: a missing value in column 'age'"),
        (["--categorical", "error"], 1, "text in the columns 'city', 'shop'"),
    ],
)
def test_bad_choices_are_one_sentence(run, raw, tmp_path, options, code, complaint):
    done = run("train", raw[1], "--label", "late", *options, "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (code, "")
    assert complaint in done.err
    assert done.err.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_choices_need_a_table(run, files, tmp_path):
    for option in (["--drop", "1"], ["--id", "a"], ["--curves"]):
        done = run("train", files.svm, *option, "--no-baseline", "-o", tmp_path / "m.auc")
        assert (done.code, done.out) == (1, "")
        assert "LIBSVM text has no columns" in done.err
        assert option[0] in done.err
    assert os.listdir(tmp_path) == []


def test_the_columns_of_a_model_are_settled(run, raw, tmp_path):
    assert run("train", raw[1], "--label", "late", "--no-baseline", "-o", tmp_path / "m.auc").code == 0
    for command in ("predict", "evaluate"):
        for option in (["--drop", "age"], ["--categorical", "onehot"], ["--numeric-columns", "city"]):
            done = run(command, tmp_path / "m.auc", raw[1], *option)
            assert (done.code, done.out) == (1, "")
            assert f"encoding are those of its training; leave out {option[0]}" in (done.err)


def test_units_do_not_matter_beside_text(run, raw, tmp_path):
    frame, path = raw
    command = [
        "--label",
        "late",
        "--no-baseline",
        "--drop",
        "joined",
        "--loss",
        "squared_hinge",
        "-o",
        tmp_path / "m.auc",
    ]
    assert run("train", path, *command).code == 0
    model = load_model(tmp_path / "m.auc")
    frame.assign(age=1e6 + 1000 * frame["age"]).to_csv(tmp_path / "other.csv", index=False)
    assert run("train", tmp_path / "other.csv", *command).code == 0
    other = load_model(tmp_path / "m.auc")
    assert other[-1].coef_[0, 0] == pytest.approx(model[-1].coef_[0, 0] / 1000, rel=1e-6)
    assert other[-1].coef_se_[0, 0] == pytest.approx(model[-1].coef_se_[0, 0] / 1000, rel=1e-6)
    assert other[-1].feature_scale_[0] == pytest.approx(model[-1].feature_scale_[0] * 1000, rel=1e-6)
    scores = other.decision_function(frame.assign(age=1e6 + 1000 * frame["age"]))
    np.testing.assert_allclose(scores, model.decision_function(frame), atol=1e-6)


@pytest.mark.filterwarnings("always")
def test_a_column_that_ranks_nothing_is_named(run, tmp_path):
    """Asked for by name; there is no advice about convergence."""
    rows = [f"3,code {k},{'yes' if k % 5 else 'no'}" for k in range(600)]
    (tmp_path / "all.csv").write_text("\n".join(["shop,note,late", *rows]))
    options = [tmp_path / "all.csv", "--label", "late", "--positive", "no", "-o", tmp_path / "m"]
    done = run("train", *options, "--columns", "note", "--no-baseline")
    assert done.code == 0
    assert "no text of 'note' occurs in 10 rows, so all rows have the same feature; it ranks noth" in done.err
    assert "stopped" not in done.err
    done = run("train", *options, "--columns", "shop", "--stream")
    assert done.err == (
        "aucmax: warning: columns: constant, so of no use: 'shop'; leave such columns out with --drop.\n"
    )


@pytest.mark.parametrize(
    ("name", "remedy"), [("zip", "--categorical-columns zip"), ("zip {a}", "--categorical-columns")]
)
def test_a_text_below_numbers_may_be_of_a_column_of_text(run, tmp_path, name, remedy):
    rows = [f"{k % 7},{'ill' if k % 3 == 0 else 'healthy'}\n" for k in range(1500)]
    (tmp_path / "rows.csv").write_text("".join([f"{name},state\n", *rows, "A9458,healthy\n"]))
    command = ["train", tmp_path / "rows.csv", "--label", "state", "--stream", "-o", tmp_path / "m.auc"]
    done = run(*command)
    assert f"line 1502: 'A9458' in column {name!r} is not a number; correct the line, take the" in done.err
    assert f"column as text with {remedy}, name such texts with --na-values if" in done.err
    assert run(*command, "--categorical-columns", name).code == 0
