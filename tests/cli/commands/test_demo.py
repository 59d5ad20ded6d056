"""aucmax demo: every model has its interval and p-value, and the commands that it names run on its files."""

import json
import re
import shlex

import numpy as np
import pytest
from pyarrow import csv, parquet

from aucmax.cli.commands.demo import program
from aucmax.cli.payments import FRAUDS, HONEST, find_alerts, in_reporting_order, is_fraud, make_payments
from aucmax.io import load_model
from aucmax.metrics import auc

SMALL = 40_000  # payments; the default takes half a minute


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo folder")  # the space must be quoted


def test_figures_are_those_of_the_model_files(run, folder):
    done = run("demo", "--rows", SMALL, "-o", folder, "--json")
    assert done.code == 0, done.err
    assert "1/4" in done.err
    result = json.loads(done.out)
    for part, models in (("alerts", 3), ("stream", 2)):
        lines = result[part]["lines"]
        assert len(lines) == 2 * models
        for k, line in enumerate(lines):
            assert 0.5 < line["low"] < line["value"] < line["high"] < 1.0
            assert ("p_value" in line) == (k % models > 0)  # the first is logistic regression
            if "p_value" in line:
                assert line["difference"] == pytest.approx(line["value"] - lines[k - k % models]["value"])
                assert 0.0 <= line["p_value"] <= 1.0
    for part, data, model, name in (
        ("alerts", "new_alerts", "model", "aucmax train"),
        ("stream", "later", "stream", "aucmax train --stream"),
    ):
        path = result["files"][data]
        table = csv.read_csv(path) if path.endswith("csv") else parquet.read_table(path)
        score = load_model(result["files"][model]).decision_function(table.to_pandas())
        line = next(line for line in result[part]["lines"] if line["model"] == name)
        assert auc(is_fraud(table), score) == pytest.approx(line["value"], abs=1e-12)


def test_text_report_and_next_commands(run, folder):
    done = run("demo", "--rows", SMALL, "-o", folder, "-q")
    assert (done.code, done.err) == (0, "")
    for name in ("report.html", "curves.png", "alerts.csv"):
        assert str(folder / name) in done.out
        assert (folder / name).stat().st_size > 10_000
    lines = map(str.strip, done.out.splitlines())
    commands = [line for line in lines if re.match(r"\S*aucmax (train|predict) '", line)]
    assert len(commands) == 6
    for command in commands:
        found = run(*shlex.split(command)[1:])
        assert found.code == 0, (command, found.err)
    assert len((folder / "scores.csv").read_text().splitlines()) > 1000


def test_commands_can_be_typed_as_they_are_shown(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", "")
    assert program() == "aucmax"
    (tmp_path / "bin" / "aucmax").touch(mode=0o755)
    assert program() == "bin/aucmax"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert program() == "aucmax"


def test_a_folder_that_cannot_be_made_is_one_line(run, tmp_path):
    (tmp_path / "file").write_text("")
    done = run("demo", "-o", tmp_path / "file")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "cannot be made a folder" in done.err


def test_payments():
    payments = make_payments(50_000, 0, 90, np.random.default_rng(0))
    assert sum(kind.share for kind in HONEST) == pytest.approx(1.0)
    assert sum(kind.share for kind in FRAUDS) == pytest.approx(1.0)
    times = payments["time"].to_numpy()
    assert (np.diff(times.astype("datetime64[s]").astype(int)) >= 0).all()
    assert 0.008 < is_fraud(payments).mean() < 0.012
    assert 0.4 < payments["ip_risk"].null_count / 50_000 < 0.8
    amount = payments["amount"].to_numpy()
    assert amount.max() > 100 * np.median(amount)  # heavy tails
    late = in_reporting_order(payments, np.random.default_rng(1))
    assert sorted(late["payment"].to_pylist()) == payments["payment"].to_pylist()
    weeks = 2000
    assert is_fraud(late)[:weeks].mean() < 0.5 * is_fraud(payments)[:weeks].mean()
    alerts = find_alerts(payments)
    assert 0.05 < alerts.num_rows / 50_000 < 0.12
    assert is_fraud(alerts).mean() > 3 * is_fraud(payments).mean()
