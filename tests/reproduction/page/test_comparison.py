"""Our results beside the papers'."""

import json
import math
import os
from pathlib import Path

import pytest

from aucmax.reproduction.experiments.tables import TABLES
from aucmax.reproduction.methods import METHODS, REFERENCES
from aucmax.reproduction.page.agreement import paper_cells
from aucmax.reproduction.page.comparison import PUBLISHED, Cell, best_mean, compare


def test_deviations_are_in_the_papers_standard_deviations():
    assert Cell("a", "SOLAM", (0.90, 0.01), (0.88, 0.01)).deviations == pytest.approx(2.0)
    low = Cell("a", "SOLAM", (0.85, 0.01), (0.88, 0.01))
    assert low.deviations == pytest.approx(-3.0)
    assert low.is_outside
    assert Cell("a", "SOLAM", (0.91, 0.01), (0.88, 0.01)).is_outside
    assert not Cell("a", "SOLAM", (0.861, 0.01), (0.88, 0.01)).is_outside
    assert not Cell("a", "SOLAM", None, (0.88, 0.01)).is_outside
    assert Cell("a", "SOLAM", None, (0.88, 0.01)).deviations is None
    assert Cell("a", "SOLAM", (0.88, 0.01), None).deviations is None


def test_a_paper_without_spread_must_be_reached():
    assert Cell("leu", "SAUC-H", (1.0, 0.0), (1.0, 0.0)).deviations == 0.0
    below = Cell("leu", "SAUC-H", (0.98, 0.0), (1.0, 0.0))
    assert below.deviations == -math.inf
    assert below.is_outside


def test_cells_are_means_over_splits():
    table = TABLES[0]
    records = [{"data": "diabetes", "method": "SOLAM", "auc": value} for value in (0.8, 0.9)]
    rows = compare(table, records)
    assert [row[0].data for row in rows] == [problem.name for problem in table.problems]
    first = rows[0][0]
    assert first.ours == pytest.approx((0.85, 0.05 * 2**0.5))
    assert first.paper == (0.8253, 0.0314)
    others = [name for name in REFERENCES if name not in table.columns]
    assert [cell.method for cell in rows[0]] == [*table.columns, *others]
    variant = next(cell for cell in compare(TABLES[2], [])[0] if cell.method == "SOLAM")
    assert variant.paper == (0.8128, 0.0304)  # of the paper's column that it is a variant of
    assert paper_cells(table, rows) == [first]
    assert best_mean(cell.paper for cell in rows[0]) == 0.8326


def test_every_column_is_a_method_and_every_problem_is_published():
    for table in TABLES:
        for problem in table.problems:
            assert set(table.columns) == set(PUBLISHED[table.name][problem.name])
        assert set(table.columns) <= set(METHODS)
    missing = {data for name in PUBLISHED for data in PUBLISHED[name]}
    assert missing - {problem.name for table in TABLES for problem in table.problems} == {"acoustic"}


def test_published_results_are_those_of_the_papers():
    folder = os.environ.get("AUCMAX_DATA")
    path = Path(folder or "") / "paper_tables.json"
    if not path.exists():
        pytest.skip("the papers' tables are missing: set AUCMAX_DATA to their folder")
    published = {name.split("-")[0].upper(): rows for name, rows in PUBLISHED.items()}
    for key, rows in json.loads(path.read_text()).items():
        paper = key.split("_")[1]
        for data, cells in rows.items():
            if paper == "VRSPAM":  # printed the other way round
                data = {"usps": "letter", "letter": "usps"}.get(data, data)
            for method, cell in cells.items():
                name = {"SAUC SPAM": "SPAM-L2", "VRSPAM SOLAM": "regSOLAM"}.get(f"{paper} {method}", method)
                assert published[paper][data][name] == (cell and tuple(cell))
