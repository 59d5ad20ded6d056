"""LIBSVM features counted from 0 in training are counted from 0 wherever the model goes."""

import json
import lzma
from types import SimpleNamespace

import numpy as np
import pytest

from aucmax.io import load_model
from aucmax.io.storage.models import load_scorer

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
    scores = [float(line) for line in run("predict", rows.model, late).out.split()]
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
        assert "zero.svm, line 1: feature 0 occurs, but the training data count features from 1" in done.err
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
