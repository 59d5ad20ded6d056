"""Options without effect are errors; binary files do not go to a terminal; errors with --json are objects."""

import json
import os
import pty
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--batch-size", "10"], "--batch-size has no effect without --stream"),
        (["--shuffle", "10"], "--shuffle has no effect without --stream"),
        (["--checkpoint", "c"], "--checkpoint has no effect without --stream"),
        (["--checkpoint-every", "10"], "--checkpoint-every has no effect without --stream"),
        (["--resume"], "--resume has no effect without --stream"),
        (
            ["--stream", "--checkpoint-every", "10"],
            "--checkpoint-every has no effect without --checkpoint FILE",
        ),
        (["--stream", "--resume"], "--resume has no effect without --checkpoint FILE"),
        (["--stream", "--no-baseline"], "--baseline does not go with --stream"),
        (["--stream", "--baseline"], "--baseline does not go with --stream"),
        (["--stream", "--loss", "sigmoid"], "--loss sigmoid does not go with --stream"),
        (["--loss", "sigmoid", "--max-fpr", "0.05"], "--loss sigmoid does not go with --max-fpr"),
    ],
)
def test_options_without_effect(run, files, tmp_path, options, problem):
    done = run("train", files.csv, "--label", "state", *options, "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["train", "compare"])
def test_options_of_tables_on_libsvm_text(run, files, tmp_path, command):
    end = ["-o", tmp_path / "m.auc"] if command == "train" else []
    for option, value in (("--label", "y"), ("--delimiter", ";"), ("--missing", "zero"), ("--header", "no")):
        done = run(command, files.svm, option, value, *end)
        assert done.code == 2
        assert f"{option} has no effect on LIBSVM text; leave it out." in done.err


def test_options_given_in_training_may_not_concern_a_later_file(run, files, tmp_path):
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(files.csv), tmp_path / "all.parquet")
    quick = ["--label", "state", "--l2", "1", "--no-baseline", "-o", tmp_path / "m.auc"]
    assert run("train", files.csv, "--decimal", ".", "--delimiter", ",", *quick).code == 0
    whole = run("predict", tmp_path / "m.auc", files.csv).out
    assert run("predict", tmp_path / "m.auc", tmp_path / "all.parquet").out == whole
    done = run("predict", tmp_path / "m.auc", tmp_path / "all.parquet", "--decimal", ",")
    assert done.code == 2
    assert "--decimal has no effect on Parquet" in done.err


def test_binary_files_do_not_go_to_a_terminal(run, files, tmp_path, monkeypatch):
    main, terminal = pty.openpty()
    name = os.ttyname(terminal)
    try:
        for command in (
            ["train", files.csv, "--label", "state", "-o", name],
            ["train", files.csv, "--label", "state", "--stream", "--checkpoint", name, "-o", tmp_path / "m"],
            ["export", tmp_path / "m.auc", "-o", name],
        ):
            done = run(*command)
            assert done.code == 2
            assert f"{name} would write a binary file to the terminal; give the name of a file" in done.err
    finally:
        os.close(main)
        os.close(terminal)


def test_errors_as_json(run, files, tmp_path):
    done = run("train", files.csv, "--label", "stat", "--json", "-o", tmp_path / "m.auc")
    assert (done.code, done.out) == (1, "")
    error = json.loads(done.err)["error"]
    assert error["what"].startswith("it has no column 'stat' (did you mean 'state'?)")
    assert (error["where"], error["exit_code"]) == (files.csv, 1)
    assert error["remedy"] == "give one of these as --label"
    done = run("train", files.csv, "--json", "--loss", "x", "-o", tmp_path / "m.auc")
    error = json.loads(done.err)["error"]
    assert (done.code, error["exit_code"]) == (2, 2)
    assert "--loss" in error["what"]
    assert (error["where"], error["remedy"]) == ("command line", "see --help")
    for name, what in ((files.csv, "it is not a model or checkpoint of aucmax"), ("no", "there is no such")):
        done = run("inspect", name, "--json")
        error = json.loads(done.err)["error"]
        assert error["exit_code"] == done.code == 1
        assert error["what"].startswith(what)
        assert error["where"] == Path(name).name
        assert error["remedy"] in ("give a file that aucmax has written", "check the name")
    for data, what, remedy in (
        (["no.csv"], "no.csv is neither a file nor a known data set", "check the name"),
        (
            [files.svm, "--positive", "x"],
            f"--positive 'x' is not a label of {files.svm}, wh",
            "give one of these",
        ),
    ):
        error = json.loads(run("train", *data, "--json", "-o", tmp_path / "m.auc").err)["error"]
        assert error["what"].startswith(what)
        assert error["remedy"] == remedy
    bad = tmp_path / "bad.svm"
    bad.write_text("+1 1:1\n-1 1:x\n")
    error = json.loads(run("compare", bad, "--json").err)["error"]
    assert error["where"] == f"{bad}, line 2"
    assert "--on-bad-rows skip" in error["remedy"]


def test_being_stopped_as_json(run, files, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("aucmax.cli.commands.compare.load", interrupted)
    done = run("compare", files.svm, "--json")
    assert done.code == 130
    assert json.loads(done.err) == {
        "error": {"what": "stopped", "where": None, "remedy": None, "exit_code": 130}
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["reproduce", "list", "--quick"],
        ["reproduce", "list", "--jobs", "2"],
        ["reproduce", "report", "--jobs", "2"],
        ["inspect", "m.auc", "--csv", "-", "--top", "3"],
        ["report", "m.auc", "--label", "y"],
    ],
)
def test_options_without_effect_of_other_commands(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "has no effect with" in done.err
    assert list(tmp_path.iterdir()) == []
