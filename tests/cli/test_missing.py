"""Missing values are filled with the means of the training data, wherever the model goes."""

import json
from pathlib import Path

import numpy as np
import pytest

import aucmax
from aucmax.io import load_checkpoint, load_model, save_model
from aucmax.io.storage.models import load_scorer

MODES = pytest.mark.parametrize("mode", [["--no-baseline", "--l2", "0.01"], ["--stream", "--batch-size", 90]])


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


@MODES
def test_the_score_of_a_row_does_not_depend_on_the_others(run, files, gaps, tmp_path, mode):
    model, _ = train(run, gaps[0], mode, tmp_path, "--missing", "mean")
    lines = gaps[0].read_text().splitlines()
    np.testing.assert_allclose(load_scorer(model).summary["reading"]["means"], gaps[1], atol=1e-12)
    scores = run("predict", model, gaps[0]).out.split()
    filled = files.X.copy()
    filled[::5, 0] = gaps[1][0]
    loaded = load_model(model)
    expected = filled @ loaded.coef_[0] + loaded.intercept_[0]
    np.testing.assert_allclose(np.array(scores, float), expected, atol=1e-12)
    (tmp_path / "part.csv").write_text("\n".join([lines[0], *lines[1:40:5]]))
    assert run("predict", model, tmp_path / "part.csv").out.split() == scores[:39:5]


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
    model, _ = train(run, files.csv, mode, tmp_path)
    assert "a missing value in column 'age'; fill it in, for example with --missing mean" in (
        run("predict", model, gaps[0]).err
    )
    scores = np.array(run("predict", model, gaps[0], "--missing", "mean").out.split(), float)
    loaded = load_model(model)
    filled = files.X.copy()
    filled[::5, 0] = files.X[:, 0].mean()
    np.testing.assert_allclose(scores, filled @ loaded.coef_[0] + loaded.intercept_[0], atol=1e-12)


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
        assert float(one.out) == pytest.approx(float(full.out), abs=1e-12)


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
    kept = load_scorer(tmp_path / "m.auc").summary["reading"]["means"]
    np.testing.assert_allclose(kept, gaps[1], atol=1e-12)
