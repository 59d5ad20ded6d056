"""Progress lines where standard error is no terminal; where it is one, the notice that code is compiled."""

import sys

import pytest

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
