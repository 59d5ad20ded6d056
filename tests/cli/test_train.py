"""aucmax train: a model file, an honest AUC, and streams that stop and go on."""

import io
import json
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer

import aucmax
from aucmax.cli.evaluation import fold_interval
from aucmax.io import load_checkpoint, load_model


def test_train_in_memory_prints_auc_beside_logistic_regression(run, files, tmp_path):
    done = run("train", files.csv, "--label", "state", "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    assert re.search(r"AUCClassifierCV +0\.\d{4} +0\.\d{4} - ", done.out)
    assert re.search(r"logistic regression +0\.\d{4} +0\.\d{4} - ", done.out)
    model = load_model(tmp_path / "m.auc")
    assert model.classes_.tolist() == ["healthy", "ill"]
    assert model.feature_names_in_.tolist() == files.names
    scale = np.where(files.X.std(axis=0) > 0, files.X.std(axis=0), 1.0)
    expected = aucmax.AUCClassifier(l2=model.l2_).fit(files.X / scale, files.y)
    found = files.X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(found, expected.decision_function(files.X / scale), atol=1e-2)


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
    assert found["auc"] == pytest.approx(aucmax.metrics.auc(files.y == "ill", model.coef_[0] @ files.X.T))


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_either_label_can_rank_high(run, files, tmp_path, how):
    options = ["--label", "state", *how, "--json"]
    ill = json.loads(run("train", files.csv, *options, "-o", tmp_path / "ill.auc").out)
    done = run("train", files.csv, *options, "--positive", "healthy", "-o", tmp_path / "healthy.auc")
    healthy = json.loads(done.out)
    assert healthy["auc"] == ill["auc"]
    assert healthy["classes"] == ["ill", "healthy"]
    assert healthy["positives"] == ill["rows"] - ill["positives"]
    for extra in [], ["--labels"]:
        by_ill, by_health = (
            run("predict", tmp_path / f"{name}.auc", files.csv, *extra).out.split()
            for name in ("ill", "healthy")
        )
        assert by_health == (by_ill if extra else [str(-float(score)) for score in by_ill])
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


def test_a_wrong_label_is_noticed_before_going_on(run, files, tmp_path):
    command = [
        "train",
        files.svm,
        "--stream",
        "--batch-size",
        100,
        "--checkpoint",
        tmp_path / "c",
        "--resume",
    ]
    assert run(*command, "-o", tmp_path / "m.auc").code == 0
    before = (tmp_path / "c").read_bytes()
    done = run(*command, "-o", tmp_path / "m.auc", "--positive", "fraud")
    assert done.code == 1
    assert "--positive 'fraud' is not a label of" in done.err
    assert (tmp_path / "c").read_bytes() == before


def test_the_same_command_gives_the_same_bytes(run, files, tmp_path):
    for name in ("a", "b"):
        run("train", files.svm, "--no-baseline", "--seed", 3, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_stream_equals_partial_fit(run, files, tmp_path):
    done = run(
        "train", files.csv, "--label", "state", "--stream", "--batch-size", 70, "-o", tmp_path / "m.auc"
    )
    assert done.code == 0, done.err
    expected = aucmax.OnlineAUCClassifier(random_state=0).partial_fit(files.X, files.y)
    np.testing.assert_array_equal(load_model(tmp_path / "m.auc").coef_, expected.coef_)
    assert f"{expected.auc_:.4f}" in done.out


def test_stream_looks_further_for_the_second_label(run, files, tmp_path):
    order = np.argsort(files.y, kind="stable")
    lines = np.array(Path(files.svm).read_text().splitlines())
    (tmp_path / "sorted.svm").write_text("\n".join(lines[order]) + "\n")
    done = run("train", tmp_path / "sorted.svm", "--stream", "--batch-size", 50, "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    (tmp_path / "one.svm").write_text("\n".join(lines[order][:100]) + "\n")
    done = run("train", tmp_path / "one.svm", "--stream", "--batch-size", 50, "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "one class" in done.err


def test_a_checkpoint_is_not_overwritten_nor_mixed_up(run, files, tmp_path):
    command = ["train", files.svm, "--stream", "-o", tmp_path / "m.auc", "--checkpoint", tmp_path / "c"]
    assert run(*command).code == 0
    again = run(*command)
    assert again.code == 2
    assert "--resume" in again.err
    other = run(*command, "--resume", "--loss", "hinge")
    assert other.code == 2
    assert "loss 'squared_hinge', not 'hinge'" in other.err
    model = (tmp_path / "m.auc").read_bytes()
    assert run(*command, "--resume").code == 0  # nothing is left to learn
    assert (tmp_path / "m.auc").read_bytes() == model


def test_rows_before_a_bad_one_are_kept(run, files, tmp_path):
    lines = Path(files.svm).read_text().splitlines()
    broken = [*lines[:250], "+1 1:what", *lines[250:]]
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(broken) + "\n")
    command = ["train", path, "--stream", "--batch-size", 100, "-o", tmp_path / "m.auc", "--n-features", 5]
    done = run(*command, "--checkpoint", tmp_path / "c")
    assert done.code == 1
    assert "line 251" in done.err
    assert load_checkpoint(tmp_path / "c").progress["rows"] == 200
    assert not (tmp_path / "m.auc").exists()
    done = run(*command, "--checkpoint", tmp_path / "c", "--resume", "--on-bad-rows", "skip", "--json")
    assert json.loads(done.out)["rows"] == 400
    assert json.loads(done.out)["skipped"] == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_was_learnt(number, code, start, run, files, tmp_path, monkeypatch):
    text = 10 * Path(files.svm).read_text()
    (tmp_path / "long.svm").write_text(text)
    options = ["--stream", "--batch-size", 50, "--n-features", 5, "-o", tmp_path / "m.auc"]
    run("train", tmp_path / "long.svm", *options)
    whole = load_model(tmp_path / "m.auc")
    (tmp_path / "m.auc").unlink()
    checkpoint = tmp_path / "run.ckpt"
    command = ["train", "-", *options, "--checkpoint", checkpoint, "--checkpoint-every", 50]
    process = start(*command, stdin=-1)
    process.stdin.write("".join(text.splitlines(keepends=True)[:2230]))
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code
    (line,) = err.splitlines()
    assert re.match(r"aucmax: stopped after [1-2]?,?\d?[05]0 rows; go on with: aucmax train - ", line)
    assert line.endswith("--resume")
    assert not (tmp_path / "m.auc").exists()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(*shlex.split(line.partition("go on with: aucmax ")[2])).code == 0
    resumed = load_model(tmp_path / "m.auc")
    assert resumed.coef_.tobytes() == whole.coef_.tobytes()
    assert resumed.intercept_.tobytes() == whole.intercept_.tobytes()


def test_folds_without_spread_have_an_interval(run, tmp_path):
    rows = [f"{'+1' if k % 5 == 0 else '-1'} 1:{k % 5 == 0:d} 2:{k % 3}\n" for k in range(50)]
    (tmp_path / "easy.svm").write_text("".join(rows))
    found = json.loads(run("train", tmp_path / "easy.svm", "-o", tmp_path / "m.auc", "--json").out)
    for part in (found, found["logistic_regression"]):
        assert (part["auc"], part["high"]) == (1.0, 1.0)
        assert part["low"] == pytest.approx(0.025 ** (1 / 10))


def test_folds_that_agree_below_1():
    low, high = (fold_interval(np.full(5, 0.75), 40)[end] for end in ("low", "high"))
    assert 0.5 < low < 0.65
    assert 0.85 < high < 1
    wide = fold_interval(np.array([0.7, 0.8]), 40)
    assert wide["low"] == pytest.approx(0.75 - 12.706 * 0.05, abs=1e-3)


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
