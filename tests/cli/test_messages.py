"""Messages on the command line speak of files and options, not of Python's arguments."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sklearn.exceptions import ConvergenceWarning

import aucmax
from aucmax.cli.messages import print_warning
from cli.tables import read_table


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
    assert "it has no column 'stat' (did you mean 'state'?), only 'age', 'dose', 'weight'" in done.err
    assert done.err.endswith("; give one of these as --label.\n")


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_text_may_be_the_labels(run, files, tmp_path, how):
    done = run("train", files.csv, *how, "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "all.csv: it has no labels; name their column with --label." in done.err
    done = run("train", files.csv, *how, "--categorical", "error", "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "text in the column 'state'; remove it or encode it with --categorical" in done.err
    assert done.err.endswith("if a column has the labels, name it with --label.\n")


def test_labels_may_have_spaces(run, tmp_path):
    rows = [f"{k % 7},{' very ill' if k % 2 else 'not ill '}\n" for k in range(40)]
    (tmp_path / "rows.csv").write_text("".join(["dose, state\n", *rows]))
    command = ["train", tmp_path / "rows.csv", "--label", "state", "--no-baseline", "-o", tmp_path / "m.auc"]
    done = run(*command, "--positive", "not ill")
    assert "40 rows, 1 feature, 50.00 % positive (label not ill)\n" in done.out
    found = read_table(run("predict", tmp_path / "m.auc", tmp_path / "rows.csv").out)
    assert set(found["label"]) <= {"not ill", "very ill"}


def test_the_width_of_a_pipe_is_an_option(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"+1 1:1\n-1 1:2\n")))
    done = run("train", "-", "--stream", "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "give --n-features." in done.err


def test_pipes_have_names(run, files, tmp_path, monkeypatch):
    rows = Path(files.csv).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows)))
    assert run("train", "-", "--label", "state", "-o", tmp_path / "m.auc").out.startswith(
        "standard input: 400"
    )
    assert "wrote standard output: a SELECT" in run("export", tmp_path / "m.auc", "--sql", "-o", "-").err


def test_a_format_that_cannot_be_told(run, tmp_path):
    (tmp_path / "data").write_text("words\n")
    done = run("train", tmp_path / "data", "-o", tmp_path / "m.auc")
    assert done.err.endswith("its format is not recognised; give LIBSVM text, CSV, TSV, Parquet or Arrow.\n")


def test_data_wider_than_the_model(run, files, model, wide):
    said = "401: feature 7 is beyond the 5 features expected (counted from 1), the number that the model was"
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
    assert "has 7 features, but the model was trained on 5; give data with the same features." in done.err
    assert "give --n-features 7 or more" in run("predict", model, wide, "--n-features", 6).err


@pytest.mark.parametrize(("command", "option"), [("evaluate", "--plot"), ("predict", "--output")])
def test_where_nothing_can_be_written(run, files, model, tmp_path, command, option):
    done = run(command, model, files.svm, option, tmp_path / "no" / "x.png")
    assert done.code == 2
    assert (
        f"{option} {tmp_path}/no/x.png cannot be written: {tmp_path}/no is not a writable folder" in done.err
    )


def test_what_is_no_file_is_written_to(run, files, model):
    assert run("predict", model, files.svm, "-o", "/dev/null").code == 0


def test_names_of_data_sets_are_guessed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for stream in ([], ["--stream"]):
        done = run("train", "a9", "-o", "m", *stream)
        assert done.code == 1
        assert "a9 is neither a file nor a known data set (did you mean a9a?); check the name.\n" in done.err
    assert "data set; check the name." in run("compare", "patients.csv").err


def test_labels_of_other_data_name_the_file(run, files, model, tmp_path):
    (tmp_path / "other.svm").write_text("+1 1:1\n-1 1:2\n3 1:3\n")
    said = "other.svm, line 3: '3' is not one of the classes -1.0, 1.0; correct the line, or leave"
    assert said in run("evaluate", model, tmp_path / "other.svm").err
    assert said in run("train", files.svm, "-o", model, "--l2", "1", "--test", tmp_path / "other.svm").err
    done = run("train", tmp_path / "other.svm", "--stream", "--batch-size", 2, "-o", model)
    assert said in done.err
    assert done.code == 1


def test_a_fit_that_does_not_converge_advises_options(files, capsys):
    with pytest.warns(ConvergenceWarning) as caught:
        aucmax.AUCClassifierCV("logistic", l2s=[1e-6], max_iter=1).fit(files.X, files.y)
    print_warning(next(each.message for each in caught if issubclass(each.category, ConvergenceWarning)))
    said = capsys.readouterr().err
    assert said.startswith("aucmax: warning: AUCClassifierCV stopped at")
    assert said.endswith("the tolerance 0.0001; raise --l2 or give another --loss.\n")
    assert "max_iter" not in said


def test_a_loss_that_needs_a_penalty(run, files, tmp_path):
    done = run("train", files.svm, "--loss", "hinge", "--l2", 0, "-o", tmp_path / "m.auc")
    assert done.code == 1
    assert "--l2 must be above 0 for --loss hinge (not for --loss squared_hinge); got 0.0." in done.err


def test_files_of_a_command_do_not_replace_each_other(run, files, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, picture = tmp_path / "data.svm", tmp_path / "picture.svg"
    data.write_bytes(Path(files.svm).read_bytes())
    picture.write_bytes(Path(files.svm).read_bytes())
    before = data.read_bytes(), model.read_bytes()
    for command, name in (
        (["train", data, "-o", "data.svm"], "--output data.svm"),
        (["train", files.svm, "--test", data, "-o", "data.svm"], "--output data.svm"),
        (["train", files.svm, "--stream", "--checkpoint", "./new", "-o", "new"], "--checkpoint ./new"),
        (["predict", model, data, "-o", model], f"--output {model}"),
        (["evaluate", model, picture, "--plot", picture], f"--plot {picture}"),
    ):
        done = run(*command)
        assert (done.code, done.out) == (2, "")
        assert f"{name} would overwrite another file of the command; rename one." in done.err
    assert (data.read_bytes(), model.read_bytes()) == before
    assert not (tmp_path / "new").exists()


def test_a_checkpoint_that_cannot_be_written_is_known_before_the_work(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.train_stream.train", lambda *_: pytest.fail("it went to work"))
    for path, said in ((tmp_path / "no" / "c", "is not a writable folder"), (tmp_path, "is a folder")):
        done = run("train", files.svm, "--stream", "--checkpoint", path, "-o", tmp_path / "m")
        assert done.code == 2
        assert f"--checkpoint {path}" in done.err
        assert said in done.err


def test_going_on_otherwise_names_the_option(run, files, tmp_path):
    command = ["train", files.csv, "--stream", "--checkpoint", tmp_path / "c", "-o", tmp_path / "m"]
    assert run(*command, "--label", "state").code == 0
    for extra, said in (
        (["--label", "age"], "--label ('state', now 'age')"),
        (["--label", "state", "--missing", "zero"], "--missing (none, now 'zero')"),
        (["--label", "state", "--batch-size", 7], "--batch-size (10000, now 7)"),
    ):
        done = run(*command, "--resume", *extra)
        assert done.code == 2
        assert f"{tmp_path}/c was made with another {said}: give the same options to continue." in done.err
    done = run("train", files.svm, *command[2:], "--resume")
    assert f"{tmp_path}/c was made with other data ({files.csv!r}, now {files.svm!r}): give" in done.err


def test_an_empty_name_is_said_to_be_one(run, files, model, tmp_path):
    for how in ([], ["--stream"], ["--label", "state"]):
        done = run("train", "", "-o", tmp_path / "m", *how)
        assert done.code == 1
        assert "the name of the data is empty" in done.err
    done = run("report", model, "", "-o", tmp_path / "r.html")
    assert (done.code, "the name of the data is empty" in done.err) == (1, True)
    assert run("predict", "", files.csv).err == "aucmax: the name of a file is empty; give one.\n"
    assert run("inspect", tmp_path).err == f"aucmax: {tmp_path}: it is a folder; give the name of a file.\n"


def test_dates_in_the_other_order(run, tmp_path):
    rows = [f"{1 + k % 12}/{1 + k % 28}/2024,{k % 2}\n" for k in range(40)]
    (tmp_path / "rows.csv").write_text("".join(["day,y\n", *rows]))
    done = run("train", tmp_path / "rows.csv", "--label", "y", "--day-first", "-o", tmp_path / "m.auc")
    said = (
        "'1/13/2024' in column 'day' is not a date with the day first; give --month-first if all dates are so"
    )
    assert (done.code, said in done.err) == (1, True)


def test_options_name_what_they_take(run, files, model, tmp_path):
    done = run("train", files.csv, "--decimal", ";", "-o", tmp_path / "m.auc")
    assert "';' is not one of '.', ','." in done.err
    for option in ("--columns", "--categorical-columns", "--numeric-columns"):
        done = run("train", files.csv, "--label", "state", option, "state", "-o", tmp_path / "m.auc")
        assert f"'state' is the label or the ID, and so no feature; change {option}.\n" in done.err
    assert run("train", files.csv, "--label", "state", "-o", tmp_path / "table.auc").code == 0
    done = run("evaluate", tmp_path / "table.auc", files.csv, "--label", "x")
    assert "all.csv: it has no column 'x'; give another --label." in done.err


@pytest.mark.parametrize("how", [["--no-baseline"], ["--stream"]])
def test_rows_without_the_label_of_the_training_name_its_column(run, files, tmp_path, how):
    said = "new.csv: it has no column 'state', the label in training; give rows that have it.\n"
    command = ["train", files.csv, "--label", "state", *how, "-o", tmp_path / "m.auc"]
    assert run(*command).code == 0
    for arguments in ([*command, "--test", files.new], ["evaluate", tmp_path / "m.auc", files.new]):
        done = run(*arguments)
        assert (done.code, done.err.endswith(said)) == (1, True), done.err


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_the_positive_label_is_asked_for_where_most_rows_have_it(run, tmp_path, how):
    rows = [f"{k % 7},{'no fraud' if k % 5 else 'fraud'}\n" for k in range(100)]
    (tmp_path / "rows.csv").write_text("".join(["size,kind\n", *rows]))
    command = ["train", tmp_path / "rows.csv", "--label", "kind", *how, "-o", tmp_path / "m.auc"]
    said = "is 'no fraud', which most rows have; to rank 'fraud' high, give --positive fraud"
    assert said in run(*command).err
    for label in ("fraud", "no fraud"):
        assert "ranks high" not in run(*command, "--positive", label).err


def interrupted_kernel(*_):
    """What Numba makes of Ctrl-C while it hands over results."""
    try:
        raise SystemError("unpickle returned a result with an exception set") from KeyboardInterrupt()
    except SystemError as error:
        raise SystemError("a kernel returned a result with an exception set") from error


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("load", [interrupted, interrupted_kernel])
def test_ctrl_c_is_one_line(run, files, monkeypatch, load):
    monkeypatch.setattr("aucmax.cli.commands.compare.load", load)
    done = run("compare", files.svm)
    assert (done.code, done.out, done.err) == (130, "", "aucmax: stopped\n")


def test_ctrl_c_while_libraries_load_is_one_line(run, monkeypatch):
    monkeypatch.delitem(sys.modules, "aucmax.cli.app")
    monkeypatch.setattr(sys, "meta_path", [SimpleNamespace(find_spec=interrupted)])
    done = run("demo")
    assert (done.code, done.out, done.err) == (130, "", "aucmax: stopped\n")


@pytest.fixture
def mistyped(files, tmp_path):
    """The table with another label in two rows, the first of them in line 302."""
    head, *rows = Path(files.csv).read_text().splitlines()
    for k in (300, 340):
        rows[k] = rows[k].rpartition(",")[0] + ",il"
    path = tmp_path / "mistyped.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "command", [["compare"], ["train", "-o", "m"], ["train", "--test-size", ".2", "-o", "m"]]
)
def test_training_names_the_rarest_of_three_labels(run, mistyped, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for options in ([], ["--on-bad-rows", "skip"]):  # which two are meant cannot be decided
        done = run(*command, mistyped, "--label", "state", *options)
        assert done.code == 1
        assert f"{mistyped}, line 302: the label 'il' is the rarest of 3 labels where two" in done.err
        assert "'il' (2 rows); correct such rows" in done.err


def test_other_labels_are_bad_rows_where_the_two_are_known(run, files, mistyped, tmp_path):
    model, skip = tmp_path / "m", ["--on-bad-rows", "skip"]
    options = ["--label", "state", "-o", model]
    assert run("train", files.csv, *options, "--no-baseline").code == 0
    commands = [
        ["evaluate", model, mistyped],
        ["train", files.csv, *options, "--no-baseline", "--test", mistyped],
        ["train", mistyped, *options, "--stream", "--batch-size", 40],
        ["train", mistyped, *options, "--stream", "--batch-size", 1, "--shuffle", 50],
    ]
    for command in commands:
        done = run(*command)
        assert done.code == 1
        assert f"{mistyped}, line 302: the label 'il' in column 'state' is not one of the classes" in done.err
        assert done.err.endswith("; correct it, or leave such rows out with --on-bad-rows skip.\n")
        done = run(*command, *skip)
        assert done.code == 0
        assert ("2 bad rows skipped" in done.out) or "on the 398 rows of" in done.out
