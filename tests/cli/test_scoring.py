"""Data for a model are read as its training data were: features counted alike, missing values filled."""

import json
import lzma
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import aucmax
from aucmax.io import load_checkpoint, load_model, save_model
from aucmax.io.columns.encoding import stored_encoding
from aucmax.io.storage.models import load_scorer
from cli.tables import read_table

MODES = pytest.mark.parametrize("mode", [["--no-baseline", "--l2", "0.01"], ["--stream", "--batch-size", 90]])


def lines(X, y, first):
    """LIBSVM text with features from ``first`` on; zeros are left out."""
    pairs = [[f"{k}:{value}" for k, value in enumerate(row, first) if value] for row in X.tolist()]
    return "".join(" ".join([sign, *row]) + "\n" for sign, row in zip(y, pairs, strict=True))


@pytest.fixture
def rows(files, tmp_path):
    """The rows counted from 0 and from 1, and some of them without the first feature."""
    y = np.where(files.y == "ill", "+1", "-1")
    late = files.X[300:].copy()
    late[:, 0] = 0.0
    found = SimpleNamespace(late=late, y=y[300:], zero=tmp_path / "zero.svm", one=tmp_path / "one.svm")
    found.zero.write_text(lines(files.X, y, 0))
    found.one.write_text(lines(files.X, y, 1))
    found.zero_late, found.one_late = tmp_path / "zero_late.svm", tmp_path / "one_late.svm"
    found.zero_late.write_text(lines(late, found.y, 0))
    found.one_late.write_text(lines(late, found.y, 1))
    found.model = tmp_path / "m.auc"
    return found


def auc_by_columns(rows):
    return load_model(rows.model).score(rows.late, np.where(rows.y == "+1", 1.0, -1.0))


@MODES
@pytest.mark.parametrize("base", ["zero", "one"])
def test_data_without_the_first_feature_are_not_shifted(run, rows, mode, base):
    late = getattr(rows, f"{base}_late")
    done = run("train", getattr(rows, base), *mode, "--test", late, "--json", "-o", rows.model)
    assert done.code == 0, done.err
    assert load_scorer(rows.model).summary["reading"]["zero_based"] is (base == "zero")
    assert "reading" not in json.loads(done.out)
    expected = auc_by_columns(rows)
    assert json.loads(done.out)["auc"] == pytest.approx(expected, abs=1e-12)
    assert json.loads(run("evaluate", rows.model, late, "--json").out)["auc"] == pytest.approx(expected)
    scores = read_table(run("predict", rows.model, late).out)["score"]
    np.testing.assert_allclose(scores, load_model(rows.model).decision_function(rows.late), atol=1e-12)


@MODES
def test_a_feature_0_is_refused_by_a_model_that_counts_from_1(run, rows, mode):
    assert run("train", rows.one, *mode, "-o", rows.model).code == 0
    for command in (
        ["predict", rows.model, rows.zero],
        ["evaluate", rows.model, rows.zero],
        ["train", rows.one, *mode, "-o", rows.model, "--test", rows.zero],
    ):
        done = run(*command)
        assert (done.code, done.out) == (1, "")
        assert "zero.svm, line 1: feature 0 occurs, but features are counted from 1; number" in done.err
        assert "zero_based" not in done.err


def test_a_late_feature_0_in_a_stream_gets_advice_that_can_be_followed(run, rows):
    rows.zero_late.write_text(rows.zero_late.read_text() + "+1 0:1\n")
    command = ["train", rows.zero_late, "--stream", "--batch-size", 50, "-o", rows.model]
    done = run(*command, "--n-features", 5)
    assert done.code == 1
    assert "line 101: feature 0" in done.err
    assert "leave out --n-features" in done.err
    assert run(*command).code == 0


def test_a_resumed_run_counts_as_it_began(run, rows, tmp_path):
    head = rows.zero.read_text().splitlines(keepends=True)[:200]
    tail = rows.zero_late.read_text().splitlines(keepends=True)
    rows.zero.write_text("".join([*head, *tail]))
    command = ["train", rows.zero, "--stream", "--batch-size", 50, "--n-features", 5, "-o", rows.model]
    assert run(*command).code == 0
    whole = rows.model.read_bytes()
    rows.zero.write_text("".join([*head, "+1 1:what\n", *tail]))
    command += ["--checkpoint", tmp_path / "c"]
    assert run(*command).code == 1
    rows.zero.write_text("".join([*head, *tail]))
    for _ in range(2):  # the second time nothing is left to learn, and no chunk to tell the base
        assert run(*command, "--resume").code == 0
        assert rows.model.read_bytes() == whole
    assert load_scorer(rows.model).summary["reading"]["zero_based"] is True


@MODES
def test_known_data_sets_are_held_to_the_same(run, rows, mode, tmp_path, monkeypatch):
    monkeypatch.setenv("AUCMAX_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.svm.xz").write_bytes(lzma.compress(rows.one.read_bytes()))
    assert run("train", "mine", *mode, "--test", "mine", "-o", rows.model).code == 0
    assert load_scorer(rows.model).summary["reading"]["zero_based"] is False
    assert run("evaluate", rows.model, rows.one_late).code == 0
    assert "feature 0 occurs" in run("evaluate", rows.model, rows.zero).err
    assert run("train", rows.zero, *mode, "-o", rows.model).code == 0
    done = run("evaluate", rows.model, "mine")
    assert done.code == 1
    assert "mine counts its features from 1, but the training data from 0" in done.err


def test_tables_have_no_base(run, files, rows):
    options = ["--label", "state", "--l2", "0.01", "--no-baseline", "--test", files.csv]
    assert run("train", files.csv, *options, "-o", rows.model).code == 0
    assert load_scorer(rows.model).summary["reading"]["zero_based"] is None


@MODES
@pytest.mark.parametrize(("base", "first"), [("zero", 0), ("one", 1)])
def test_inspect_counts_as_the_data_do(run, rows, mode, base, first):
    assert run("train", getattr(rows, base), *mode, "-o", rows.model).code == 0
    found = json.loads(run("inspect", rows.model, "--json").out)["weights"]
    coef = load_scorer(rows.model).coef
    assert {row["feature"]: row["weight"] for row in found} == {
        f"feature {first + k}": value for k, value in enumerate(coef.tolist()) if value
    }


@pytest.fixture
def gaps(files, tmp_path):
    """The rows, without every fifth age, as a file to train on; the means of what is left."""
    lines = Path(files.csv).read_text().splitlines()
    lines[1::5] = [line[line.index(",") :] for line in lines[1::5]]
    (tmp_path / "gaps.csv").write_text("\n".join(lines) + "\n")
    means = files.X.mean(axis=0)
    means[0] = np.delete(files.X[:, 0], np.s_[::5]).mean()
    return tmp_path / "gaps.csv", means


def train(run, data, mode, tmp_path, *options):
    model = tmp_path / "m.auc"
    done = run("train", data, "--label", "state", *mode, "-o", model, "--json", *options)
    assert done.code == 0, done.err
    return model, json.loads(done.out)


def fills(model):
    """What replaces a missing value in each column."""
    return [column.fill for column in stored_encoding(load_scorer(model).summary["reading"]).columns]


@MODES
def test_the_score_of_a_row_does_not_depend_on_the_others(run, files, gaps, tmp_path, mode):
    model, _ = train(run, gaps[0], mode, tmp_path, "--missing", "mean")
    lines = gaps[0].read_text().splitlines()
    np.testing.assert_allclose(fills(model), gaps[1], atol=1e-12)
    scores = read_table(run("predict", model, gaps[0]).out)["score"]
    filled = files.X.copy()
    filled[::5, 0] = gaps[1][0]
    loaded = load_model(model)
    expected = filled @ loaded[-1].coef_[0] + loaded[-1].intercept_[0]
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    (tmp_path / "part.csv").write_text("\n".join([lines[0], *lines[1:40:5]]))
    assert read_table(run("predict", model, tmp_path / "part.csv").out)["score"] == scores[:39:5]


@MODES
def test_test_rows_are_filled_as_evaluate_fills_them(run, gaps, tmp_path, mode):
    lines = gaps[0].read_text().splitlines()
    part = tmp_path / "part.csv"
    part.write_text("\n".join([lines[0], *lines[200:]]))
    model, told = train(run, gaps[0], mode, tmp_path, "--missing", "mean", "--test", part)
    found = json.loads(run("evaluate", model, part, "--json").out)
    assert found["auc"] == pytest.approx(told["auc"], abs=1e-12)


@MODES
def test_models_of_complete_tables_know_the_means_too(run, files, gaps, tmp_path, mode):
    model, _ = train(run, files.csv, mode, tmp_path, "--missing", "error")
    assert "a missing value in column 'age'; fill it in, for example with --missing mean" in (
        run("predict", model, gaps[0]).err
    )
    scores = read_table(run("predict", model, gaps[0], "--missing", "mean").out)["score"]
    loaded = load_model(model)
    filled = files.X.copy()
    filled[::5, 0] = files.X[:, 0].mean()
    np.testing.assert_allclose(scores, filled @ loaded[-1].coef_[0] + loaded[-1].intercept_[0], atol=1e-12)


def test_means_find_their_columns_beside_text(run, tmp_path):
    rows = [f"{'red' if k % 3 else 'blue'},{k % 7},{k % 2}\n" for k in range(60)]
    (tmp_path / "text.csv").write_text("".join(["colour,size,y\n", *rows]))
    (tmp_path / "one.csv").write_text("size,colour\n,red\n")
    (tmp_path / "full.csv").write_text(f"size,colour\n{np.mean(np.arange(60) % 7)},red\n")
    for how in (["--categorical", "onehot"], ["--stream", "--categorical", "hash", "--n-features", 30]):
        model = tmp_path / "m.auc"
        assert run("train", tmp_path / "text.csv", "--label", "y", *how, "-o", model).code == 0
        one = run("predict", model, tmp_path / "one.csv", "--missing", "mean")
        full = run("predict", model, tmp_path / "full.csv")
        assert read_table(one.out)["score"] == pytest.approx(read_table(full.out)["score"], abs=1e-12)


@pytest.mark.parametrize("option", [["--missing", "mean"], []])
def test_a_model_without_means_says_so(run, files, gaps, tmp_path, option):
    model = aucmax.AUCClassifier().fit(files.X, files.y)
    model.feature_names_in_ = np.array(files.names, dtype=object)
    save_model(model, tmp_path / "m.auc")
    whole = run("predict", tmp_path / "m.auc", files.new, *option)
    assert (whole.code, whole.err) == (0, "")
    done = run("predict", tmp_path / "m.auc", gaps[0], *option)
    assert done.code == 1
    said = "line 2: a missing value in column 'age', and the model has no means to fill it with; give"
    assert f"{said} --missing zero, or leave such rows out with --on-bad-rows skip." in done.err
    assert run("predict", tmp_path / "m.auc", gaps[0], "--missing", "zero").code == 0


def test_a_resumed_run_has_the_same_means_and_skipped_rows(run, gaps, tmp_path):
    text = gaps[0].read_text()
    gaps[0].write_text(text + "?\n")
    command = ["train", gaps[0], "--label", "state", "--missing", "mean", "--stream", "--batch-size", 100]
    command += ["--checkpoint", tmp_path / "c", "--resume", "-o", tmp_path / "m.auc", "--json"]
    assert "line 402" in run(*command).err
    assert load_checkpoint(tmp_path / "c").progress["skipped"] == 0
    models = []
    for _ in range(2):  # nothing is left to learn, and the row at the end is met each time
        assert json.loads(run(*command, "--on-bad-rows", "skip").out)["skipped"] == 1
        models.append((tmp_path / "m.auc").read_bytes())
    assert models[0] == models[1]
    np.testing.assert_allclose(fills(tmp_path / "m.auc"), gaps[1], atol=1e-12)
