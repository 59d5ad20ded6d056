"""What a verbose fit shows."""

import sys

import pytest

from aucmax.distributed import DaskAUCClassifier
from aucmax.distributed.dask_engine import watch_rounds
from oracles.distributed import problem, spread


def test_a_terminal_shows_the_round(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with watch_rounds("Model", 1) as watch:
        watch(7)
    assert "Model: round 7" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [False, True])
def test_nothing_without_a_terminal_or_rich(missing, monkeypatch, capsys):
    if missing:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setitem(sys.modules, "rich.console", None)
    with watch_rounds("Model", 1) as watch:
        watch(7)
    assert capsys.readouterr().err == ""


def test_a_line_for_each_step(capsys):
    X, y, _ = problem()
    model = DaskAUCClassifier(verbose=1).fit(*spread(X, y))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ + 1
    assert lines[-1].startswith(f"[DaskAUCClassifier] iteration {model.n_iter_}: objective ")
