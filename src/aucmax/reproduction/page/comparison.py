"""Our results beside the paper's, with the difference in the paper's standard deviations."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from ..experiments.job import Job, Record
from ..experiments.tables import Table
from ..records import mean_and_spread

MAX_DEVIATIONS = 2.0  # results that are farther off, in the paper's standard deviations, are explained

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
    def difference(self) -> str:
        """``deviations`` in words; empty without both results."""
        if self.deviations is None:
            return ""
        if math.isinf(self.deviations):
            return "below; the paper has no spread"
        return f"{self.deviations:+.1f} sd"

    @property
    def is_outside(self) -> bool:
        """Whether ours is more than ``MAX_DEVIATIONS`` above or below the paper's."""
        return self.deviations is not None and abs(self.deviations) > MAX_DEVIATIONS


def read_printed(name: str, separator: str) -> dict[str, dict[str, dict[str, Result]]]:
    """Pairs of numbers that papers print, by table, data set and column; None where there is a dash.

    A file has a block of lines for each table, the first of which names it and its columns.
    """
    printed: dict[str, dict[str, dict[str, Result]]] = {}
    for line in filter(None, files(__package__).joinpath(name).read_text("utf-8").splitlines()):
        if ": " in line:
            table, columns = line.split(": ")
            rows = printed[table] = {}
        elif not line.startswith("#"):
            data, *cells = line.split()
            pairs = (None if cell == "-" else tuple(map(float, cell.split(separator))) for cell in cells)
            rows[data] = dict(zip(columns.split(", "), pairs, strict=True))  # type: ignore[arg-type]
    return printed


PUBLISHED = read_printed("paper_results.txt", "±")


def group_aucs(records: Iterable[Record]) -> dict[tuple[str, str], list[float]]:
    """The recorded values of AUC by data set and method."""
    aucs = defaultdict(list)
    for record in records:
        aucs[record["data"], record["method"]].append(record["auc"])
    return aucs


def compare(table: Table, records: Iterable[Record]) -> list[list[Cell]]:
    """The cells of a table: a list for each data set that both the paper and the table have."""
    ours = {key: mean_and_spread(aucs) for key, aucs in group_aucs(records).items()}
    available, variants = {problem.name for problem in table.problems}, dict(table.variants)
    return [
        [
            Cell(data, name, ours.get((data, name)), paper.get(variants.get(name, name)))
            for name in table.all_columns
        ]
        for data, paper in PUBLISHED[table.name].items()
        if data in available
    ]


def summarise(table: Table, jobs: Sequence[Job], records: Sequence[Record]) -> list[dict[str, Any]]:
    """The cells of some jobs: mean and standard deviation here and in the paper, and the same in words."""
    found = {(cell.data, cell.method): cell for row in compare(table, records) for cell in row}
    summary = []
    for job in jobs:
        mine = [record for record in records if job.includes(record)]
        cell = found[job.data, job.method]._replace(ours=mean_and_spread([record["auc"] for record in mine]))
        paper = f"; paper {format_result(cell.paper)}, {cell.difference}" if cell.paper else ""
        text = f"{format_result(cell.ours)} over {len(mine)} splits{paper}"
        values = {"ours": cell.ours, "paper": cell.paper, "splits": len(mine), "text": text}
        summary.append({"data": job.data, "method": job.method, **values})
    return summary


def format_result(result: Result) -> str:
    """Mean ± standard deviation, to four digits."""
    return "-" if result is None else " ± ".join(map(format_auc, result))


def format_auc(value: float) -> str:
    """Four digits, without the zero before the point."""
    return f"{value:.4f}".removeprefix("0")


def best_mean(results: Iterable[Result]) -> float:
    """The highest mean, to the four digits that are shown."""
    return max((round(result[0], 4) for result in results if result is not None), default=float("nan"))
