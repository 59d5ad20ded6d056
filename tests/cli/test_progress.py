"""Progress lines where standard error is no terminal; where it is one, bars and the notice of compiling."""

import io
import os
import pty
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from aucmax import AUCClassifierCV
from aucmax.batch.reporting import listen
from aucmax.cli import progress


def test_a_line_has_the_time_left(capsys, monkeypatch):
    clock = iter([0.0, 1.0, 5.0, 21.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.ProgressBar() as bar:
        bar.update("100 rows", 10, 100)  # too soon, and what was done before took no time
        bar.update("200 rows", 15, 100)  # too soon
        bar.update("300 rows", 30, 100)
    assert capsys.readouterr().err == "300 rows  1:10 left\n"


@pytest.mark.parametrize(
    ("terminal", "json", "lines"), [(True, False, 1), (True, True, 0), (False, False, 0)]
)
def test_compiling_is_said_once_on_a_terminal(capsys, monkeypatch, terminal, json, lines):
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with progress.compile_notice(json):
        for _ in range(2):
            compiled = numba.njit(lambda x: x + x)  # in no cache
            compiled(1.0)
    numba.njit(lambda x: x - x)(1.0)
    if numba.config.DISABLE_JIT:
        lines = 0
    expected = "aucmax: compiling for this machine, once; aucmax warm-up does it ahead of time ...\n"
    assert capsys.readouterr().err == lines * expected


def test_a_step_is_a_line_now_and_then_in_a_log(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)
    with progress.Step("fitting") as step:
        time.sleep(0.12)
        step.update("fold 2 of 5")
        time.sleep(0.12)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "fitting  0:00"
    assert lines[-1] == "fitting: fold 2 of 5  0:00"
    time.sleep(0.12)
    assert capsys.readouterr().err == ""
    assert not [each for each in threading.enumerate() if each.name == "aucmax progress"]


def test_quiet_commands_show_nothing(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    progress.set_quiet(True)
    try:
        with progress.Step("fitting"):
            time.sleep(0.05)
        with progress.ProgressBar() as bar:
            time.sleep(0.05)
            bar.update("rows", 1, 2)
    finally:
        progress.set_quiet(False)
    assert capsys.readouterr().err == ""


def test_fits_report_folds_and_iterations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200) > 0
    texts = []
    with listen(texts.append):
        heard = AUCClassifierCV(cv=4, n_jobs=2).fit(X, y)
    assert any(text.startswith("fold 4 of ") for text in texts)
    assert any(text.startswith("iteration ") for text in texts)
    count = len(texts)
    alone = AUCClassifierCV(cv=4, n_jobs=2).fit(X, y)
    assert len(texts) == count
    np.testing.assert_array_equal(heard.coef_, alone.coef_)


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_lines_in_the_log_of_commands(run, files, tmp_path, monkeypatch, quiet):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.001)
    model, page = tmp_path / "m.auc", tmp_path / "page.html"
    lines = {
        ("train", files.csv, "--label", "state", "-o", model): ["fitting"],
        ("evaluate", model, files.csv): ["400 rows"],
        ("predict", model, files.csv, "-o", tmp_path / "scores"): ["400 rows"],
        ("report", model, "-o", page): ["drawing"],
    }
    for command, expected in lines.items():
        done = run(*command, *quiet)
        assert done.code == 0
        for text in expected:
            assert (text in done.err) == (not quiet), (command, text)
        assert not quiet or done.err == ""


def test_a_bar_on_a_terminal(files, tmp_path):
    """All commands in a terminal of their own: no live display within another, and none among the rows."""
    command = f"{sys.executable} -m aucmax"
    model = f"{tmp_path}/m.auc"
    steps = [f"train {files.csv} --label state -o {model}", f"predict {model} {files.csv}"]
    steps.append(f"report {model} -o {tmp_path}/page.html")
    script = " && ".join(f"{command} {step}" for step in steps)
    ours, theirs = pty.openpty()
    with subprocess.Popen(script, shell=True, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = io.BytesIO()
        while True:
            try:
                shown.write(os.read(ours, 4096))
            except OSError:  # how Linux ends a terminal
                break
    os.close(ours)
    text = shown.getvalue().decode()
    assert process.returncode == 0, text
    assert "reading" in text
    assert "score,probability,label\r\n" in text
    rows = text.partition("score,probability,label\r\n")[2].partition("AUC")[0]
    assert all(line.count(",") == 2 for line in rows.splitlines()[:400])
