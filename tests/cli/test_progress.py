"""Progress lines where standard error is no terminal."""

from aucmax.cli import progress


def test_a_line_has_the_time_left(capsys, monkeypatch):
    clock = iter([0.0, 1.0, 5.0, 21.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.ProgressBar() as bar:
        bar.update("100 rows", 10, 100)  # too soon, and what was done before took no time
        bar.update("200 rows", 15, 100)  # too soon
        bar.update("300 rows", 30, 100)
    assert capsys.readouterr().err == "300 rows  1:10 left\n"
