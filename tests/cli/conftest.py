"""A small table in several formats, and commands run in this process or in one of their own."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from aucmax.cli import main

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """The table below has a constant column, of which a fit warns; labels in other tables are random."""
    expected = pytest.mark.filterwarnings("ignore:.*columns are constant", "ignore:.*no better than chance")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(expected)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """400 rows as CSV, as LIBSVM text, and without labels; the arrays themselves."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(3)
    X[:, 4] = 100.0  # a column that says next to nothing
    X[::50, 4] = 101.0
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0, 0.0] + rng.normal(size=400) > 1.5, "ill", "healthy")
    names = ["age", "dose", "weight", "noise", "constant"]
    lines = [",".join(map(str, row)) for row in X.tolist()]
    (folder / "all.csv").write_text(
        "\n".join([",".join([*names, "state"]), *map(",".join, zip(lines, y, strict=True))]) + "\n"
    )
    (folder / "new.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    pairs = [" ".join(f"{k}:{value}" for k, value in enumerate(row, 1)) for row in X.tolist()]
    signs = np.where(y == "ill", "+1", "-1")
    (folder / "all.svm").write_text("\n".join(map(" ".join, zip(signs, pairs, strict=True))) + "\n")
    return SimpleNamespace(
        csv=str(folder / "all.csv"),
        new=str(folder / "new.csv"),
        svm=str(folder / "all.svm"),
        X=X,
        y=y,
        names=names,
    )


@pytest.fixture
def run(capfd, monkeypatch):
    """Run a command here: ``run("predict", ...)`` gives its exit code, output and complaints."""
    monkeypatch.setattr("aucmax.cli.progress.LINE_SECONDS", 3600.0)  # no lines of progress on slow machines

    def command(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return SimpleNamespace(code=left.value.code, out=out, err=err)

    return command


@pytest.fixture(scope="session")
def start():
    """Start a command in a process of its own."""

    def command(*arguments, **options):
        return subprocess.Popen(
            [sys.executable, "-m", "aucmax", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    return command
