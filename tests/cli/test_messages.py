"""Messages on the command line speak of files and options, not of Python's arguments."""

import io
import sys
from pathlib import Path

import pytest
from sklearn.exceptions import ConvergenceWarning

import aucmax
from aucmax.cli.app import _show_warning


@pytest.fixture
def model(run, files, tmp_path):
    """A model of the five features of the LIBSVM text."""
    assert run("train", files.svm, "--l2", "0.01", "--no-baseline", "-o", tmp_path / "m.auc").code == 0
    return tmp_path / "m.auc"


@pytest.fixture
def wide(files, tmp_path):
    """The same rows, and one with a feature more than the model knows."""
    path = tmp_path / "wide.svm"
    path.write_text(Path(files.svm).read_text() + "+1 7:1\n")
    return path


def test_label_is_an_option(run, files, tmp_path):
    done = run("train", files.csv, "--label", "stat", "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "it has no column 'stat'; give --label one of 'age', 'dose'" in done.err


def test_the_width_of_a_pipe_is_an_option(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"+1 1:1\n-1 1:2\n")))
    done = run("train", "-", "--stream", "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "give --n-features." in done.err


def test_a_format_that_cannot_be_told(run, tmp_path):
    (tmp_path / "data").write_text("words\n")
    done = run("train", tmp_path / "data", "-o", tmp_path / "m.auc")
    assert done.err.endswith("its format cannot be told; give LIBSVM text, CSV, TSV, Parquet or Arrow.\n")


def test_data_wider_than_the_model(run, files, model, wide):
    said = "wide.svm, line 401: it has at least 7 features, but the model was trained on 5; give data"
    for command in (
        ["predict", model, wide],
        ["evaluate", model, wide],
        ["train", files.svm, "-o", model, "--l2", "0.01", "--test", wide],
        ["train", files.svm, "-o", model, "--stream", "--test", wide],
    ):
        done = run(*command)
        assert (done.code, done.out) == (1, "")
        assert said in done.err
        assert "n-features" not in done.err
    done = run("predict", model, wide, "--n-features", 7)
    assert "has 7 features, but the model was trained on 5." in done.err
    assert "give --n-features 7 or more" in run("predict", model, wide, "--n-features", 6).err


@pytest.mark.parametrize(("command", "option"), [("evaluate", "--plot"), ("predict", "--output")])
def test_where_nothing_can_be_written(run, files, model, tmp_path, command, option):
    done = run(command, model, files.svm, option, tmp_path / "no" / "x.png")
    assert done.code == 2
    assert f"{option} {tmp_path}/no/x.png cannot be written: {tmp_path}/no is not a folder" in done.err


def test_what_is_no_file_is_written_to(run, files, model):
    assert run("predict", model, files.svm, "-o", "/dev/null").code == 0


def test_names_of_data_sets_are_guessed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for stream in ([], ["--stream"]):
        done = run("train", "a9", "-o", "m", *stream)
        assert done.code == 1
        assert "a9 is neither a file nor a known data set; did you mean a9a" in done.err
    assert "data set; check the name." in run("compare", "patients.csv").err


def test_labels_of_other_data_name_the_file(run, files, model, tmp_path):
    (tmp_path / "other.svm").write_text("+1 1:1\n-1 1:2\n3 1:3\n")
    said = "other.svm has the label 3.0, but the model knows only -1.0 and 1.0"
    assert said in run("evaluate", model, tmp_path / "other.svm").err
    assert said in run("train", files.svm, "-o", model, "--l2", "1", "--test", tmp_path / "other.svm").err
    done = run("train", tmp_path / "other.svm", "--stream", "--batch-size", 2, "-o", model)
    assert (done.code, said in done.err) == (1, True)


def test_a_fit_that_does_not_converge_advises_options(files, capsys):
    with pytest.warns(ConvergenceWarning) as caught:
        aucmax.AUCClassifierCV("logistic", l2s=[1e-6], max_iter=1).fit(files.X, files.y)
    _show_warning(caught[0].message, ConvergenceWarning)
    said = capsys.readouterr().err
    assert said.startswith("aucmax: warning: AUCClassifierCV stopped at")
    assert said.endswith("the tolerance 0.0001; raise --l2 or give another --loss.\n")
    assert "max_iter" not in said


def test_a_loss_that_needs_a_penalty(run, files, tmp_path):
    done = run("train", files.svm, "--loss", "hinge", "--l2", 0, "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "--loss hinge needs --l2 above 0" in done.err
    assert "take --loss squared_hinge" in done.err
