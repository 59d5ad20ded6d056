"""Figures: quick runs on real data, runs that continue, and what the curves show."""

import json
import pickle
from xml.etree import ElementTree

import pytest

from aucmax.reproduction.experiments.figures import FIGURES
from aucmax.reproduction.page.drawing import draw
from aucmax.reproduction.page.figure_findings import describe

BY_NAME = {figure.name: figure for figure in FIGURES}


def without_times(records):
    return [{key: value for key, value in record.items() if key != "seconds"} for record in records]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_quick_run(figure, real, run_quick, tmp_path):
    records = run_quick(pickle.loads(pickle.dumps(figure)))
    assert all(type(value) in (str, int, float, bool) for record in records for value in record.values())
    assert all(0.6 < record["auc"] < 0.9 for record in records if record["point"] > 1 and "auc" in record)
    assert json.loads(json.dumps(records)) == records
    path = draw(figure, records, tmp_path)
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert all(method in describe(figure, records) for method in figure.methods)


@pytest.mark.parametrize("name", ["spdam-figure1", "vrspam-figure1", "sauc-figure2", "optimum", "rates"])
def test_an_interrupted_run_continues(generated_problems, run_quick, name):
    figure = BY_NAME[name]
    whole = run_quick(figure)
    rest = run_quick(figure, done=whole[::2])
    assert without_times(rest) == without_times(whole[1::2])
    assert run_quick(figure, done=whole) == []


def test_distance_to_the_optimum_falls_with_passes(generated_problems, run_quick):
    records = run_quick(BY_NAME["optimum"])
    for method in ("SPDAM", "SPAM", "SOLAM", "OPAUC"):
        found = [record["distance"] for record in records if record["method"] == method]
        assert found[0] > 2 * found[-1] > 0


def test_vrspam_reduces_the_variance(generated_problems, run_quick):
    records = run_quick(BY_NAME["vrspam-figure1"])
    last = {record["method"]: record["variance"] for record in records if "variance" in record}
    assert last["VRSPAM"] < 0.05 * last["SPAM"]
