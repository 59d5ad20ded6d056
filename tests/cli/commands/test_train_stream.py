"""aucmax train --stream: one pass, checkpoints, and runs that are stopped or killed and then resumed."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import aucmax
from aucmax.io import load_checkpoint, load_model


def test_a_wrong_positive_label_stops_before_training_resumes(run, files, tmp_path):
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


def test_stream_equals_partial_fit(run, files, tmp_path):
    done = run(
        "train", files.csv, "--label", "state", "--stream", "--batch-size", 70, "-o", tmp_path / "m.auc"
    )
    assert done.code == 0, done.err
    expected = aucmax.OnlineAUCClassifier(random_state=0).partial_fit(files.X, files.y)
    np.testing.assert_array_equal(load_model(tmp_path / "m.auc")[-1].coef_, expected.coef_)
    assert f"{expected.auc_:.4f}" in done.out


def test_rows_may_be_forgotten(run, files, tmp_path):
    command = ["train", files.csv, "--label", "state", "--stream", "-o", tmp_path / "m.auc"]
    saved = ["--checkpoint", tmp_path / "c", "--resume"]
    done = run(*command, *saved, "--half-life", 50)
    assert done.code == 0, done.err
    assert "l2 = 0, half-life 50 rows\n" in done.out
    expected = aucmax.OnlineAUCClassifier(half_life=50, random_state=0).partial_fit(files.X, files.y)
    np.testing.assert_array_equal(load_model(tmp_path / "m.auc")[-1].coef_, expected.coef_)
    assert "--half-life (50.0, now none)" in run(*command, *saved).err
    for option in (["--half-life", 0.5], ["--half-life", "nan"]):
        done = run(*command, *option)
        assert done.code == 2
        assert f"'{option[1]}' is not a number of at least 1" in done.err
    assert (
        "--half-life has no effect without --stream" in run(*command[:4], "--half-life", 50, *command[5:]).err
    )


def test_it_is_said_which_rows_the_auc_compares(run, files, tmp_path):
    command = ["train", files.svm, "--stream", "-o", tmp_path / "m.auc"]
    said = "each row is scored before it is learnt from, and compared with rows close in time"
    assert said in run(*command).out
    assert said in json.loads(run(*command, "--json").out)["how"]


def test_the_second_label_may_come_in_a_later_chunk(run, files, tmp_path):
    order = np.argsort(files.y, kind="stable")
    lines = np.array(Path(files.svm).read_text().splitlines())
    (tmp_path / "sorted.svm").write_text("\n".join(lines[order]) + "\n")
    done = run("train", tmp_path / "sorted.svm", "--stream", "--batch-size", 50, "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    assert "the classes come one after the other" in done.err
    (tmp_path / "one.svm").write_text("\n".join(lines[order][:100]) + "\n")
    done = run("train", tmp_path / "one.svm", "--stream", "--batch-size", 50, "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "one class" in done.err


def test_a_checkpoint_is_not_overwritten_or_resumed_with_other_options(run, files, tmp_path):
    command = ["train", files.svm, "--stream", "-o", tmp_path / "m.auc", "--checkpoint", tmp_path / "c"]
    assert run(*command).code == 0
    again = run(*command)
    assert again.code == 2
    assert "--resume" in again.err
    other = run(*command, "--resume", "--loss", "hinge")
    assert other.code == 2
    assert "--loss ('squared_hinge', now 'hinge')" in other.err
    model = (tmp_path / "m.auc").read_bytes()
    assert run(*command, "--resume").code == 0  # nothing is left to learn
    assert (tmp_path / "m.auc").read_bytes() == model


def test_rows_before_a_bad_row_are_in_the_checkpoint(run, files, tmp_path):
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
def test_a_stopped_run_saves_its_state_and_can_be_resumed(
    number, code, start, run, files, tmp_path, monkeypatch
):
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
    assert re.match(r"aucmax: stopped after [1-2]?,?\d?[05]0 rows; continue with: aucmax train - ", line)
    assert line.endswith("--resume")
    assert not (tmp_path / "m.auc").exists()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(*shlex.split(line.partition("continue with: aucmax ")[2])).code == 0
    resumed = load_model(tmp_path / "m.auc")
    assert resumed.coef_.tobytes() == whole.coef_.tobytes()
    assert resumed.intercept_.tobytes() == whole.intercept_.tobytes()


def sort_by_label(files, path):
    order = np.argsort(files.y, kind="stable")
    lines = np.array(Path(files.svm).read_text().splitlines())
    path.write_text("\n".join(lines[order]) + "\n")
    return path


def test_sorted_files_are_warned_of_and_shuffled(run, files, tmp_path):
    command = ["train", sort_by_label(files, tmp_path / "sorted.svm"), "--stream", "-o", tmp_path / "m.auc"]
    done = run(*command, "--batch-size", 50)
    assert done.err.count("--shuffle N") == 2  # at the first chunk, and beside the AUC
    assert "the first 50 rows are all of class -1.0" in done.err
    done = run(*command)  # in one chunk: no pair of rows close in time
    assert "the AUC of the rows in order says little, and other orders may give a better" in done.err
    assert "nan" not in done.out
    done = run(*command, "--test", files.svm)
    assert (
        "one after the other, so other orders may give a better model; mix the rows with --shuffle N.\n"
        in done.err
    )
    models = []
    for batch_size in (7, 400):
        done = run(*command, "--batch-size", batch_size, "--shuffle", 300)
        assert done.code == 0
        models.append(load_model(tmp_path / "m.auc").coef_.tobytes())
    assert models[0] == models[1]
    done = run(*command, "--shuffle", 400)
    assert done.err == ""
    assert load_model(tmp_path / "m.auc").coef_.tobytes() != models[0]
    assert run("train", files.svm, "--shuffle", 5, "-o", tmp_path / "m.auc").code == 2


@pytest.mark.parametrize("data", ["csv", "svm"])
@pytest.mark.parametrize("size", [64, 1000])
def test_rows_that_wait_to_be_mixed_are_in_the_checkpoint(data, size, run, files, tmp_path):
    path, saved = Path(getattr(files, data)), tmp_path / "c"
    options = ["--label", "state"] if data == "csv" else ["--n-features", 5]
    options += ["--stream", "--batch-size", 30, "--shuffle", size, "-o", tmp_path / "m.auc"]
    assert run("train", path, *options).code == 0
    whole = (tmp_path / "m.auc").read_bytes()
    lines = path.read_text().splitlines(keepends=True)
    cut = tmp_path / path.name
    cut.write_text("".join([*lines[:200], "what, is, this\n"]))
    command = ["train", cut, *options, "--checkpoint", saved, "--resume"]
    assert run(*command).code == 1
    assert load_checkpoint(saved).progress["rows"] == 180
    cut.write_text("".join(lines))
    assert run(*command).code == 0
    assert (tmp_path / "m.auc").read_bytes() == whole
    done = run(*command[:-1], "--resume", "--shuffle", size + 1)
    assert done.code == 2
    assert "--shuffle" in done.err


@pytest.mark.filterwarnings("always")
def test_warnings_given_before_a_stop_are_in_the_model_of_the_resumed_run(run, tmp_path):
    lines = [f"{k + 10**6},{k % 7},{'yes' if k >= 75 else 'no'}\n" for k in range(300)]
    data, saved = tmp_path / "rows.csv", tmp_path / "c"
    data.write_text("".join(["customer_id,size,late\n", *lines]))
    command = ["train", data, "--label", "late", "--stream", "--batch-size", 50, "-o", tmp_path / "m.auc"]
    done = run(*command)
    assert "left out 'customer_id'" in done.err, done.err
    whole = (tmp_path / "m.auc").read_bytes()
    command += ["--checkpoint", saved, "--resume"]
    data.write_text("".join(["customer_id,size,late\n", *lines[:120], "what, is, this, row\n"]))
    assert run(*command).code == 1
    assert load_checkpoint(saved).progress["rows"] == 100
    data.write_text("".join(["customer_id,size,late\n", *lines]))
    assert run(*command).code == 0
    assert (tmp_path / "m.auc").read_bytes() == whole
    assert run(*command).code == 0  # nothing is left to learn
    assert (tmp_path / "m.auc").read_bytes() == whole


N_KILLS = 50 if os.environ.get("AUCMAX_LONG_TESTS") else 5


N_ROWS = 1000 * (N_KILLS + 5)

# Each run is a process of its own, forked from one that has done the imports, which would take longer
# than the run.


FORKER = """
import os, sys
import aucmax.io.reading.libsvm
from aucmax import OnlineAUCClassifier
from aucmax.cli import main
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        main(line.rstrip("\\n").split("\\t"))
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Run:
    """A command in a forked process."""

    def __init__(self, forker, *arguments):
        self._forker = forker
        forker.stdin.write("\t".join(map(str, arguments)) + "\n")
        forker.stdin.flush()
        self.pid = int(forker.stdout.readline())

    def wait(self):
        while not (line := self._forker.stdout.readline()).lstrip("-").strip().isdigit():
            assert line, self._forker.stderr.read()
        return int(line)


@pytest.fixture
def forker():
    # The libraries' threads, which Python 3.12 and later warn of before a fork, have nothing to do yet.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", FORKER]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.STDOUT, text=True) as process:
        yield process
        process.stdin.close()
        process.stdout.read()


def write_rows(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 8)).round(4)
    y = np.where(X @ rng.normal(size=8) + rng.normal(size=N_ROWS) > 2.0, "+1", "-1")
    with open(path, "w") as file:
        for label, row in zip(y, X.tolist(), strict=True):
            file.write(label + "".join(f" {k}:{value}" for k, value in enumerate(row, 1)) + "\n")


def stamp(path):
    return path.stat().st_mtime_ns if path.exists() else None


@pytest.mark.parametrize("shuffle", [[], ["--shuffle", 500]])
def test_killed_runs_end_in_the_same_bytes(shuffle, forker, start, tmp_path):
    data, checkpoint = tmp_path / "rows.svm", tmp_path / "run.ckpt"
    write_rows(data)
    options = ["train", data, "--stream", "--batch-size", 10, "--n-features", 8, *shuffle]
    assert Run(forker, *options, "-o", tmp_path / "whole.auc").wait() == 0

    command = [*options, "-o", tmp_path / "killed.auc", "--checkpoint", checkpoint, "--resume"]
    rng, rows = np.random.default_rng(1), 0
    for _ in range(N_KILLS):
        before = stamp(checkpoint)
        run = Run(forker, *command, "--checkpoint-every", 10)
        while stamp(checkpoint) == before:  # until it has made some progress
            time.sleep(0.001)
        time.sleep(0.2 * rng.random())
        os.kill(run.pid, signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL
        found = load_checkpoint(checkpoint).progress["rows"]
        assert found > rows
        rows = found
        left = set(os.listdir(tmp_path)) - {"rows.svm", "whole.auc", "run.ckpt"}
        assert left <= {".run.ckpt.part"}
    with start(*command) as last:  # in a process that shares nothing with the others
        _, err = last.communicate()
        assert last.returncode == 0, err
    assert (tmp_path / "killed.auc").read_bytes() == (tmp_path / "whole.auc").read_bytes()
    assert not (tmp_path / ".run.ckpt.part").exists()


def test_too_few_rows_are_told(run, files, tmp_path):
    """One warning: not one of the order of the rows, too."""
    lines = Path(files.svm).read_text().splitlines()
    ill = [line for line in lines if line.startswith("+1")]
    healthy = [line for line in lines if line.startswith("-1")]
    options = ["train", tmp_path / "few.svm", "--stream", "-o", tmp_path / "m.auc"]
    for n, m, counts in (
        (1, 1, "1 row of class -1.0 and 1 row"),
        (200, 9, "200 rows of class -1.0 and 9 rows"),
    ):
        (tmp_path / "few.svm").write_text("\n".join([*healthy[:n], *ill[:m]]) + "\n")
        done = run(*options)
        assert done.code == 0
        said = f"few.svm has {counts} of class 1.0, too few to learn from: the scores, the AUC and the prob"
        assert said in done.err
        assert done.err.count("\n") == 1
    (tmp_path / "few.svm").write_text("\n".join([*healthy[:100], *ill[:20], *healthy[100:200]]) + "\n")
    assert "too few" not in run(*options).err
