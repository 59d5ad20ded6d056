"""A table of ours beside the paper's: each cell's difference in the paper's standard deviations."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from .methods import METHODS, OURS
from .printed import PRINTED, Cell
from .records import mean_and_spread
from .tables import Table

ENOUGH = 2.0  # standard deviations of the paper that a cell may stay below it


class Compared(NamedTuple):
    """One method on one data set, here and in the paper."""

    data: str
    method: str
    ours: Cell
    paper: Cell

    @property
    def deviations(self) -> float | None:
        """How far ours is above the paper's, in the paper's standard deviations; None without both."""
        if self.ours is None or self.paper is None:
            return None
        difference, spread = self.ours[0] - self.paper[0], self.paper[1]
        if spread == 0.0:
            return 0.0 if difference >= -5e-5 else float("-inf")
        return difference / spread

    @property
    def short(self) -> bool:
        """Whether ours is clearly below the paper's."""
        return self.deviations is not None and self.deviations < -ENOUGH


def compared(table: Table, records: Iterable[dict[str, Any]]) -> list[list[Compared]]:
    """The cells of a table, a list for each data set that has records or stands in the paper."""
    found: dict[tuple[str, str], list[float]] = {}
    for record in records:
        found.setdefault((record["data"], record["method"]), []).append(record["auc"])
    printed = PRINTED[table.paper]
    named = {problem.name for problem in table.problems}
    return [
        [
            Compared(data, method, _ours(found.get((data, method))), printed[data].get(method))
            for method in (*table.columns, *OURS)
        ]
        for data in printed
        if data in named
    ]


def _ours(values: list[float] | None) -> Cell:
    return mean_and_spread(values) if values else None


def squared_cells(rows: list[list[Compared]]) -> list[Compared]:
    """The cells that can be compared, of methods that minimise the squared loss."""
    cells = [cell for row in rows for cell in row]
    return [cell for cell in cells if cell.deviations is not None and METHODS[cell.method].squared]


def best(cells: Iterable[Cell]) -> float:
    """The highest mean, to the four digits that are shown."""
    return max((round(cell[0], 4) for cell in cells if cell is not None), default=float("nan"))
