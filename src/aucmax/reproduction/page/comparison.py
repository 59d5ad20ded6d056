"""Our results beside the paper's, with the difference in the paper's standard deviations."""

from collections import defaultdict
from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from ..experiments.job import Record
from ..experiments.tables import Table
from ..methods import METHODS, OURS
from ..records import mean_and_spread

MAX_DEVIATIONS_BELOW = 2.0  # results that are lower, in the paper's standard deviations, are explained

Result = tuple[float, float] | None  # mean and standard deviation of AUC


class Cell(NamedTuple):
    """One method on one data set, here and in the paper."""

    data: str
    method: str
    ours: Result
    paper: Result

    @property
    def deviations(self) -> float | None:
        """How far ours is above the paper's, in the paper's standard deviations; None without both."""
        if self.ours is None or self.paper is None:
            return None
        difference, spread = self.ours[0] - self.paper[0], self.paper[1]
        if spread == 0.0:  # papers print four digits
            return 0.0 if difference >= -5e-5 else float("-inf")
        return difference / spread

    @property
    def is_below(self) -> bool:
        """Whether ours is more than ``MAX_DEVIATIONS_BELOW`` below the paper's."""
        return self.deviations is not None and self.deviations < -MAX_DEVIATIONS_BELOW


def _read_published() -> dict[str, dict[str, dict[str, Result]]]:
    """Results by table, data set and method, from ``paper_results.txt``: a block of lines for each table."""
    text = files(__package__).joinpath("paper_results.txt").read_text("utf-8")
    published: dict[str, dict[str, dict[str, Result]]] = {}
    for line in filter(None, text.splitlines()):
        if ": " in line:
            table, methods = line.split(": ")
            rows = published[table] = {}
        elif not line.startswith("#"):
            data, *cells = line.split()
            rows[data] = dict(zip(methods.split(", "), map(_read_result, cells), strict=True))
    return published


def _read_result(text: str) -> Result:
    if text == "-":
        return None
    mean, spread = text.split("±")
    return float(mean), float(spread)


PUBLISHED = _read_published()


def group_aucs(records: Iterable[Record]) -> dict[tuple[str, str], list[float]]:
    """The recorded values of AUC by data set and method."""
    aucs = defaultdict(list)
    for record in records:
        aucs[record["data"], record["method"]].append(record["auc"])
    return aucs


def compare(table: Table, records: Iterable[Record]) -> list[list[Cell]]:
    """The cells of a table: a list for each data set that both the paper and the table have."""
    ours = {key: mean_and_spread(aucs) for key, aucs in group_aucs(records).items()}
    available = {problem.name for problem in table.problems}
    return [
        [Cell(data, name, ours.get((data, name)), paper.get(name)) for name in (*table.columns, *OURS)]
        for data, paper in PUBLISHED[table.name].items()
        if data in available
    ]


def squared_loss_cells(rows: list[list[Cell]]) -> list[Cell]:
    """The comparable cells of methods that minimise the squared loss."""
    cells = [cell for row in rows for cell in row]
    return [cell for cell in cells if cell.deviations is not None and METHODS[cell.method].squared]


def best_mean(results: Iterable[Result]) -> float:
    """The highest mean, to the four digits that are shown."""
    return max((round(result[0], 4) for result in results if result is not None), default=float("nan"))
