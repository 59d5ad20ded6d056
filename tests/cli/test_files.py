"""Files of every sort through the commands: several at once, from spreadsheets, resumed after a kill."""

import json
import signal
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from aucmax.io import load_checkpoint, load_model

HERE = Path(__file__).parent


@pytest.fixture
def parts(files, tmp_path):
    """The table in three files in a folder."""
    header, *lines = Path(files.csv).read_text().splitlines()
    (tmp_path / "parts").mkdir()
    for k, rows in enumerate(np.array_split(lines, 3)):
        (tmp_path / "parts" / f"{k}.csv").write_text("\n".join([header, *rows]) + "\n")
    return tmp_path / "parts"


def test_every_command_takes_several_files(run, files, parts, tmp_path):
    fast = ["--label", "state", "--l2", "0.1", "--no-baseline"]
    assert run("train", files.csv, *fast, "-o", tmp_path / "one.auc").code == 0
    expected = load_model(tmp_path / "one.auc")[-1].coef_
    with zipfile.ZipFile(tmp_path / "parts.zip", "w") as archive:
        for path in sorted(parts.iterdir()):
            archive.write(path, path.name)
    several = sorted(parts.iterdir())
    for data in ([parts], several, [parts / "*.csv"], [tmp_path / "parts.zip"]):
        done = run("train", *data, *fast, "-o", tmp_path / "m.auc")
        assert done.code == 0, done.err
        np.testing.assert_array_equal(load_model(tmp_path / "m.auc")[-1].coef_, expected)
        assert "400 rows" in done.out
    assert "0.csv and 2 more: 400 rows" in run("train", *several, *fast, "-o", tmp_path / "m.auc").out
    whole = run("predict", tmp_path / "m.auc", files.csv).out
    assert run("predict", tmp_path / "m.auc", *several).out == whole
    assert run("predict", tmp_path / "m.auc", parts).out == whole
    found = [
        json.loads(run("evaluate", tmp_path / "m.auc", *data, "--json").out)["auc"]
        for data in ([files.csv], several, [parts])
    ]
    assert found[0] == found[1] == found[2]
    done = run("train", files.csv, *fast, "--test", parts, "-o", tmp_path / "m.auc")
    assert "on the 400 rows of" in done.out


def test_compare_takes_several_files(run, parts, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.compare.make_models", lambda X, *_: {"m": Ranker()})
    done = run("compare", *sorted(parts.iterdir()), "--label", "state", "--json")
    assert json.loads(done.out)["rows"] == 400
    assert json.loads(done.out)["data"] == "0.csv and 2 more"


class Ranker:
    """A model that fits at once."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def test_an_output_is_none_of_several_inputs(run, parts):
    before = (parts / "1.csv").read_bytes()
    for data in ([parts], sorted(parts.iterdir()), [parts / "*.csv"]):
        done = run("train", *data, "--label", "state", "-o", parts / "1.csv")
        assert done.code == 2
        assert "would overwrite another file of the command" in done.err
    assert (parts / "1.csv").read_bytes() == before


@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_a_killed_stream_of_several_files_ends_in_the_same_bits(run, start, files, tmp_path, kind):
    text = Path(files.csv if kind == "csv" else files.svm).read_text()
    header = text[: text.index("\n") + 1] if kind == "csv" else ""
    (tmp_path / "parts").mkdir()
    for k in range(6):
        (tmp_path / "parts" / f"{k}.{kind}").write_text(header + 5 * text[len(header) :])
    label = ["--label", "state"] if kind == "csv" else []
    options = ["--stream", "--batch-size", 130, *label]
    assert run("train", tmp_path / "parts", *options, "-o", tmp_path / "whole.auc").code == 0
    command = ["train", tmp_path / "parts", *options, "--checkpoint", tmp_path / "c"]
    command += ["--checkpoint-every", 130, "-o", tmp_path / "m.auc"]
    process = start(*command)
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and process.poll() is None:
        if (tmp_path / "c").exists() and load_checkpoint(tmp_path / "c").position["file"] > 0:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if not (tmp_path / "m.auc").exists():
        assert run(*command, "--resume").code == 0
    assert (tmp_path / "m.auc").read_bytes() == (tmp_path / "whole.auc").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.filterwarnings("ignore:the label that ranks high")
def test_a_german_spreadsheet_needs_no_options(run, tmp_path, encoding):
    """``german_calc.csv`` was saved by LibreOffice Calc 7.4 in a German locale."""
    source = tmp_path / "kredite.csv"
    source.write_bytes((HERE / "german_calc.csv").read_bytes().decode().encode(encoding))
    done = run("train", source, "--label", "Ausfall", "--id", "Kunde", "--json", "-o", tmp_path / "m.auc")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["rows"], result["classes"]) == (200, ["ja", "nein"])
    assert result["auc"] > 0.8
    reading = json.loads(run("inspect", tmp_path / "m.auc", "--json").out)["training"]["reading"]
    assert reading["decimal"] == ","
    columns = {column["name"]: column["kind"] for column in reading["encoding"]["columns"]}
    assert columns["Betrag"] == columns["Zins"] == columns["Alter"] == "number"
    assert columns["Datum"] == "date"
    assert columns["PLZ"] == "text"
    done = run("predict", tmp_path / "m.auc", source)
    assert len(done.out.splitlines()) == 201


TITLED = "Loans\nsource: the bank\n\n"


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda text: text, []),
        (lambda text: "sep=;\n" + text.replace(",", ";"), []),
        (lambda text: TITLED + text, []),
        (lambda text: "Loans, 2024\n" + text, ["--skip-lines", "1"]),
        (lambda text: text.replace(",", "~"), ["--delimiter", "~"]),
        (lambda text: text.replace(",", "\t"), ["--delimiter", "tab"]),
        (lambda text: text.replace(",", ";").replace(".", ","), []),
        (lambda text: text.replace(",", ";").replace(".", ","), ["--decimal", ","]),
        (lambda text: text.replace("\n", "\n-999,?,-,1.0,100.0,ill\n", 1), ["--na-values", "-999,x"]),
        (
            lambda text: text.replace("\n", "\n-999,?,x,1.0,100.0,ill\n", 1),
            ["--na-values", "-999", "--na-values", "x"],
        ),
        (lambda text: text, ["--header", "yes"]),
    ],
)
@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_text_files_as_they_are(run, files, tmp_path, change, options, how):
    path = tmp_path / "rows.csv"
    path.write_text(change(Path(files.csv).read_text()))
    model = tmp_path / "m.auc"
    quick = [] if how else ["--l2", "0.1", "--no-baseline"]
    done = run("train", path, "--label", "state", *options, *quick, *how, "-o", model)
    assert done.code == 0, done.err
    assert load_model(model)[-1].coef_.shape[1] in (5, 9)  # or with columns for missing values
    assert len(run("predict", model, path).out.splitlines()) in (401, 402)


BAD = [
    *(("--delimiter", value) for value in ("", "ab", "7")),
    *(("--decimal", value) for value in ("", "x", ".,")),
    *(("--skip-lines", value) for value in ("-1", "x", "1.5")),
    *(("--na-values", value) for value in ("", " ", "x,,y")),
    *(("--header", value) for value in ("", "maybe", "1")),
    *(("--max-fpr", value) for value in ("a", "0", "nan")),
    *(("--shuffle", value) for value in ("1", "x", "")),
    *(("--batch-size", value) for value in ("0", "x", "1e3")),
    *(("--seed", value) for value in ("-1", "x", "0.5")),
    *(("--test-size", value) for value in ("0", "1", "x")),
]


@pytest.mark.parametrize(("option", "value"), BAD)
def test_bad_values_are_one_sentence(run, files, tmp_path, option, value):
    done = run("train", files.csv, "--label", "state", option, value, "-o", tmp_path / "m.auc")
    assert done.code in (1, 2)
    (line,) = done.err.splitlines()
    assert option in line
    assert "Traceback" not in line
    assert "range" not in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--header", "yes", "--skip-lines", "500"], "it has no rows"),
        (["--header", "no"], "it has no column 'state'"),
        (["--delimiter", "|"], "it has no column 'state'"),
        (["--skip-lines", "1"], "it has no column 'state'"),
    ],
)
def test_options_that_do_not_fit_the_file(run, files, tmp_path, options, problem):
    done = run("train", files.csv, "--label", "state", *options, "-o", tmp_path / "m.auc")
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert problem in line
    assert list(tmp_path.iterdir()) == []


def test_labels_are_not_missing_values(run, files, tmp_path):
    options = ["--label", "state", "--na-values", "ill,healthy", "--l2", "0.1", "--no-baseline"]
    done = run("train", files.csv, *options, "-o", tmp_path / "m.auc")
    assert done.code == 0
    assert "(label ill)" in done.out


def test_the_other_decimal_mark_is_named(run, files, tmp_path):
    options = ["--label", "state", "--decimal", ",", "--l2", "0.1", "--no-baseline"]
    done = run("train", files.csv, *options, "-o", tmp_path / "m.auc")
    assert "the numbers in column 'age' have a decimal point" in done.err
