"""Errors are one line and an exit code; help has an example."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import aucmax
from aucmax.cli.app import app

COMMANDS = [
    *("train", "report", "predict", "evaluate", "compare", "inspect", "export", "reproduce", "demo"),
    "warm-up",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run, command):
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"aucmax {command}" in done.out.partition("Example")[2]
    assert "--json" in done.out
    assert "--debug" in done.out
    assert ("--seed" in done.out) == (command in ("train", "compare", "reproduce", "demo"))


def test_help_and_version(run):
    assert run().out == run("--help").out
    assert all(command in run("-h").out for command in COMMANDS)
    assert run("--version").out == f"aucmax {aucmax.__version__}\n"
    assert len(app.registered_commands) == len(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fly"], 2, "fly"),
        (["train"], 2, "DATA"),
        (["train", "{csv}"], 2, "--output"),
        (["train", "{csv}", "-o", "{folder}/no/m.auc"], 2, "is not a writable folder"),
        (["train", "{csv}", "-o", "{folder}"], 2, "is a folder"),
        (["train", "{csv}", "-o", "m", "--loss", "zero_one"], 2, "squared_hinge"),
        (["train", "{csv}", "-o", "m", "--l2", "-1"], 2, "at least 0"),
        (["train", "{csv}", "-o", "m", "--resume"], 2, "--stream"),
        (["train", "{csv}", "-o", "m", "--stream", "--resume"], 2, "--checkpoint"),
        (
            ["train", "{csv}", "-o", "m", "--stream", "--checkpoint", "c", "--checkpoint-every", "soon"],
            2,
            "30s",
        ),
        (["train", "{csv}", "-o", "m"], 1, "--label"),
        (["train", "{csv}", "-o", "m", "--label", "fate"], 1, "fate"),
        (["train", "{folder}/none.csv", "-o", "m"], 1, "none.csv"),
        (["train", "{csv}", "-o", "/dev/full", "--label", "state", "--no-baseline"], 1, "No space left"),
        (["predict", "{csv}", "{csv}"], 1, "is not a model or checkpoint"),
        (["inspect", "{folder}/none.auc"], 1, "/none.auc: there is no such file or folder; check the name."),
        (["inspect", "{folder}"], 1, "is a folder; give the name of a file."),
    ],
)
def test_errors_are_one_line_and_a_code(run, files, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    done = run(*(argument.format(csv=files.csv, folder=tmp_path) for argument in arguments))
    assert done.code == code, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("aucmax: ")
    assert message in line
    assert "Traceback" not in line
    assert "Invalid value: " not in line  # typer's prefix says nothing where no option is named
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_the_traceback(tmp_path):
    command = [sys.executable, "-m", "aucmax", "inspect", str(tmp_path / "none"), "--debug"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_full_disk_is_one_line_and_the_old_checkpoint_stays(run, files, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small tmpfs cannot be mounted here: that takes Linux and root")
    try:
        command = ["train", files.svm, "--stream", "--batch-size", 100, "-o", tmp_path / "m.auc"]
        command += ["--checkpoint", disk / "c", "--checkpoint-every", 100]
        assert run(*command).code == 0
        old = (disk / "c").read_bytes()
        (disk / "filler").write_bytes(bytes(4 * 1024 * 1024 - (len(old) + 8191) // 4096 * 4096))
        done = run(*command, "--resume")
        assert done.code == 1
        assert "No space left on device" in done.err
        assert (disk / "c").read_bytes() == old
        assert sorted(os.listdir(disk)) == ["c", "filler"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_reader_that_leaves_early_is_no_traceback(files, run, tmp_path):
    run("train", files.svm, "--no-baseline", "--l2", "0.1", "-o", tmp_path / "m.auc")
    (tmp_path / "long.svm").write_text(100 * Path(files.svm).read_text())
    command = f"{sys.executable} -m aucmax predict {tmp_path}/m.auc {tmp_path}/long.svm -q | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


@pytest.fixture
def labelled(tmp_path):
    """Write rows with these labels and one feature that says nothing."""

    def write(labels):
        path = tmp_path / "rows.svm"
        path.write_text("".join(f"{label} 1:{k % 3}\n" for k, label in enumerate(labels)))
        return path

    return write


@pytest.mark.parametrize("command", [["compare"], ["train", "-o", "m"], ["train", "-o", "m", "--stream"]])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [1, 2, 1, 2, 3, 1, 3, 2],
            "rows.svm, line 5: the label 3.0 is the rarest of 3 labels where two are needed: 1.0 (3 rows), "
            "2.0 (3 rows), 3.0 (2 rows); correct such rows, keep those of two labels, or give all labels but",
        ),
        (range(20), "it has 20 labels where two are needed: 0.0 (1 row), 1.0 (1 row), 2.0 (1 row), 3.0"),
        ([1] * 9, "there is only one class: 1.0; AUC compares two classes, so give rows of both."),
    ],
)
def test_labels_that_are_not_two(run, labelled, tmp_path, monkeypatch, command, labels, message):
    monkeypatch.chdir(tmp_path)
    done = run(command[0], labelled(labels), *command[1:])
    assert (done.code, done.out) == (1, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"aucmax: {tmp_path}/rows.svm")
    assert message in line
    assert "sklearn" not in line


def test_test_rows_must_be_of_two_classes(run, labelled, tmp_path):
    data, model = labelled([1, 2] * 9), tmp_path / "m"
    assert run("train", data, "-o", model).code == 0
    (tmp_path / "one").mkdir()
    one = tmp_path / "one" / "one.svm"
    one.write_text("2 1:1\n2 1:0\n")
    for command in (
        ["evaluate", model, one],
        *(["train", data, "--test", one, "-o", model, *how] for how in ([], ["--stream"])),
    ):
        done = run(*command)
        assert (done.code, done.out) == (1, "")
        assert "one.svm: there is only one class: 2.0; AUC compares two classes" in done.err


@pytest.mark.parametrize("command", [["compare"], ["train", "-o", "m"]])
def test_one_row_of_a_class_is_too_few_for_folds(run, labelled, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    done = run(command[0], labelled([1] + 20 * [-1]), *command[1:])
    assert (done.code, done.out) == (1, "")
    (line,) = done.err.splitlines()
    assert "it has only 1 row of class 1.0, but cross-validation needs 2 of each class; give more" in line


def test_commands_load_what_they_need(files, tmp_path):
    """Help starts without SciPy, and no measure of a ranking needs scikit-learn."""
    code = """
import sys
from aucmax.cli import main
try:
    main(sys.argv[2:])
except SystemExit:
    pass
print(*set(sys.argv[1].split(",")) & set(sys.modules), file=sys.stderr)
"""
    model = str(tmp_path / "m.auc")
    options = ["--label", "state", "--l2", "0.1", "--no-baseline", "-o", model]
    for unwanted, command in (
        ("numba", ["train", files.csv, *options]),  # which needs all
        ("numba,scipy,sklearn,pyarrow", ["--help"]),
        ("sklearn,scipy.optimize", ["evaluate", model, files.csv]),
        ("sklearn,scipy.optimize", ["predict", model, files.csv]),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, unwanted, *command], capture_output=True, text=True, check=True
        )
        assert done.stderr.splitlines()[-1].split() == (["numba"] if command[0] == "train" else []), command
