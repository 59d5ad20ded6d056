"""Every example of the gallery runs without a warning and ends in a picture."""

import ast
import re
from pathlib import Path
from runpy import run_path

import matplotlib
import pytest
from matplotlib import pyplot as plt

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
MAX_LINES = 75  # of code: short enough to read at once


@pytest.fixture
def pictures(monkeypatch):
    """Figures are drawn off the screen, as where the site is built, and closed at the end."""
    monkeypatch.delenv("DISPLAY", raising=False)
    before = matplotlib.get_backend()
    plt.switch_backend("Agg")
    yield plt
    plt.close("all")
    plt.switch_backend(before)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_a_picture(path, pictures, monkeypatch):
    monkeypatch.chdir(path.parent)  # where the site runs it
    run_path(str(path), run_name="__main__")
    numbers = pictures.get_fignums()
    assert numbers
    for number in numbers:
        figure = pictures.figure(number)
        assert all(ax.get_xlabel() for ax in figure.axes)
        figure.canvas.draw()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_the_form_of_the_gallery(path):
    text = path.read_text()
    title, underline, empty, *description = ast.get_docstring(ast.parse(text)).splitlines()
    assert underline == "=" * len(title)
    assert empty == ""
    assert 2 <= len(description) <= 7
    assert text.endswith("plt.show()\n")
    assert re.search(r"^# %%\n# \w", text, re.M)  # explained between the blocks of code
    code = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert len(code) <= MAX_LINES
    for page in re.findall(r":doc:`/([^`]*)`", text):
        assert (ROOT / "docs" / f"{page}.md").exists()


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 12
