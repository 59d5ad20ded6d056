"""Drawings: the same records give the same file, and every curve has its own style."""

from xml.etree import ElementTree

import pytest

from aucmax.reproduction.experiments import EXPERIMENTS
from aucmax.reproduction.experiments.figures import FIGURES
from aucmax.reproduction.page.drawing import STYLES, draw


@pytest.mark.parametrize("name", ["spdam-figure1", "sauc-figure2", "optimum", "rates"])
def test_drawings_depend_only_on_the_records(generated_problems, run_quick, tmp_path, name):
    figure = EXPERIMENTS[name]
    records = run_quick(figure)
    first = draw(figure, records, tmp_path / "first")
    again = draw(figure, records[::-1], tmp_path / "again")
    assert first.name == f"{name}.svg"
    assert first.read_bytes() == again.read_bytes()
    tag = "{http://www.w3.org/2000/svg}"
    panels = [g for g in ElementTree.parse(first).iter(f"{tag}g") if g.get("id", "").startswith("axes_")]
    assert len(panels) == len(figure.axes)
    records[-1] = {**records[-1], "auc": 0.7, "distance": 0.123, "value": 0.456}
    other = draw(figure, records, tmp_path / "other")
    assert other.read_bytes() != first.read_bytes()


def test_every_curve_has_its_own_style():
    for figure in FIGURES:
        assert len({STYLES[method] for method in figure.methods}) == len(figure.methods)
