"""Reasons for cells that differ, and parameters at the ends of grids: from the columns of a row alone."""

import json

import pytest

from aucmax.reproduction.experiments.tables import TABLES
from aucmax.reproduction.page.agreement import count_agreement, describe_edges, explain_cells
from aucmax.reproduction.page.comparison import Cell

SOLAM, SAUC = TABLES[0], TABLES[3]


def row(data, start, exact, **cells):
    """The cells of a data set; start and exact are the AUC of the mean difference and of B-LS-SVM."""
    found = [
        Cell(data, name.replace("_", " "), (ours, 0.01), (paper, 0.01))
        for name, (ours, paper) in cells.items()
    ]
    references = {"mean difference": start, "B-LS-SVM": exact, "AUCClassifierCV": exact + 0.02}
    return found + [Cell(data, name, (value, 0.01), None) for name, value in references.items()]


@pytest.mark.parametrize(
    ("ours", "paper", "reason"),
    [
        (0.90, 0.95, "the paper's is above the exact optimum of the squared loss, .9000."),
        (
            0.85,
            0.90,
            "the exact optimum of the squared loss, .9000, reaches the paper's; ours has not come there.",
        ),
        (0.80, 0.88, "ours has not come there, and ours at the mean difference of the classes, .8000."),
        (
            0.90,
            0.85,
            "between the mean difference of the classes, .8000, where a method starts, and the exact ",
        ),
        (0.90, 0.75, "the paper's is below the mean difference of the classes, .8000."),
    ],
)
def test_reasons(ours, paper, reason):
    text = explain_cells(SOLAM, [row("a9a", 0.80, 0.90, SOLAM=(ours, paper))], {})
    assert text.startswith("- **a9a**, SOLAM (")
    assert reason in text


def test_cells_that_are_close_need_no_reason():
    assert explain_cells(SOLAM, [row("a9a", 0.80, 0.90, SOLAM=(0.90, 0.89))], {}) == ""


def test_random_halves_explain_what_they_span():
    cells = [row("usps", 0.80, 0.90, SOLAM=(0.90, 0.95), OPAUC=(0.90, 0.99))]
    text = explain_cells(SOLAM, cells, {("usps", "unit"): [0.86, 0.96]})
    assert "SOLAM (-5.0 sd): another half of the classes. Over random halves the exact optimum ranges" in text
    assert "from .8600 to .9600." in text
    assert (
        "OPAUC (-9.0 sd): the paper's is above the exact optimum of the squared loss, .9000, and of any half"
        in text
    )


def test_other_losses_are_compared_with_the_best_exact_optimum():
    text = explain_cells(SOLAM, [row("a9a", 0.80, 0.90, OAMseq=(0.85, 0.95))], {})
    assert "the paper's is above the exact optimum of any loss here, .9200." in text


def test_agreement_counts_both_sides():
    cells = [Cell("a", "SOLAM", (value, 0.01), (0.90, 0.01)) for value in (0.90, 0.89, 0.93, 0.94, 0.80)]
    text = count_agreement(cells)
    assert text.startswith("2 of 5 cells of the paper's columns (40 %)")
    assert text.endswith("2 are above and 1 below.")


def test_edges_of_a_tables_own_grid():
    records = [
        {"method": "SOLAM", "params": json.dumps({"radius": radius, "step_size": 1.0})}
        for radius in (0.01, 0.1, 100.0, 100.0)
    ]
    assert "SOLAM radius 0.01 (1 of 4), SOLAM radius 100 (2 of 4)" in describe_edges(SAUC, records)
    assert (
        describe_edges(SOLAM, [{"method": "SOLAM", "params": json.dumps({"radius": 1.0, "step_size": 10.0})}])
        == ""
    )
