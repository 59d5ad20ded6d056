"""The texts of the page belong to experiments that exist."""

from aucmax.reproduction.experiments import EXPERIMENTS
from aucmax.reproduction.experiments.figures import FIGURES
from aucmax.reproduction.experiments.tables import TABLES
from aucmax.reproduction.page.markdown import TEXTS


def test_every_figure_has_a_claim_and_every_table_a_text():
    assert {f"{figure.name} claim" for figure in FIGURES} <= set(TEXTS)
    assert {*(table.name for table in TABLES), "partitions", "opening"} <= set(TEXTS)
    assert all(TEXTS.values())


def test_every_note_is_about_a_data_set_of_its_table():
    for table in TABLES:
        notes = {key.split()[1] for key in TEXTS if key.startswith(f"{table.name} ")}
        assert notes <= {problem.name for problem in table.problems}
    named = {key.split()[0] for key in TEXTS if "-" in key}
    assert named <= set(EXPERIMENTS)
