"""How far a table agrees with the paper's, and why cells differ: sentences made from the records."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..experiments.job import Record
from ..experiments.tables import Table
from ..methods import METHODS
from .comparison import MAX_DEVIATIONS, Cell, format_auc
from .markdown import TEXTS

EXACT = ("B-LS-SVM", "B-SVM-OR", "AUCClassifierCV", "LogisticRegression")  # exact minimisers of their losses
# AUC over random halves of the classes, by data set and scaling of rows.
HalfAUCs = Mapping[tuple[str, str], Sequence[float]]


def paper_cells(table: Table, rows: Iterable[list[Cell]]) -> list[Cell]:
    """The cells of the paper's columns that can be compared."""
    cells = (cell for row in rows for cell in row)
    return [cell for cell in cells if cell.method in table.columns and cell.deviations is not None]


def count_agreement(cells: Sequence[Cell]) -> str:
    """How many cells are close to the paper's, and how many above and below."""
    if not cells:
        return ""
    above = sum(cell.is_outside and cell.deviations > 0 for cell in cells)  # type: ignore[operator]
    below = sum(cell.is_outside for cell in cells) - above
    close = len(cells) - above - below
    return (
        f"{close} of {len(cells)} cells of the paper's columns ({100 * close / len(cells):.0f} %) are within "
        f"{MAX_DEVIATIONS:.0f} of its standard deviations, {above} are above and {below} below."
    )


def explain_cells(table: Table, rows: Iterable[list[Cell]], halves: HalfAUCs) -> str:
    """A line for each data set and reason, with the cells that differ."""
    lines = []
    for row in rows:
        by_reason: dict[str, list[Cell]] = {}
        for cell in row:
            if cell.is_outside:
                by_reason.setdefault(_reason(table, cell, row, halves), []).append(cell)
        for reason, cells in by_reason.items():
            listed = ", ".join(f"{cell.method} ({cell.difference})" for cell in cells)
            lines.append(f"- **{row[0].data}**, {listed}: {reason}")
        if by_reason and (note := TEXTS.get(f"{table.name} {row[0].data}")):
            lines.append(f"  {note}")
    return "\n".join(lines)


def _reason(table: Table, cell: Cell, row: list[Cell], halves: HalfAUCs) -> str:
    """Why a cell differs, by the exact optima and the mean difference of the same row."""
    assert cell.ours is not None
    assert cell.paper is not None
    ours, paper, slack = cell.ours[0], cell.paper[0], MAX_DEVIATIONS * cell.paper[1]
    found = {each.method: each.ours[0] for each in row if each.ours is not None}
    exact = {name: found[name] for name in EXACT if name in found}
    if not exact or "mean difference" not in found:
        return "run the whole row to see why."
    start, squared = found["mean difference"], METHODS[cell.method].squared
    best = found.get("B-LS-SVM", 0.0) if squared else max(exact.values())
    aucs = halves.get((cell.data, table.problem(cell.data).rows), ()) if _depends_on_half(table, cell) else ()
    if aucs and min(aucs) - slack <= paper <= max(aucs) + slack:
        return (
            "another half of the classes. Over random halves the exact optimum ranges from "
            f"{format_auc(min(aucs))} to {format_auc(max(aucs))}."
        )
    kind = "the squared loss" if squared else "any loss here"
    if paper > best + slack:
        half = f", and of any half of the classes drawn, {format_auc(max(aucs))}" if aucs else ""
        return f"the paper's is above the exact optimum of {kind}, {format_auc(best)}{half}."
    if ours < paper:
        where = f", and ours at the mean difference of the classes, {format_auc(start)}"
        return (
            f"the exact optimum of {kind}, {format_auc(best)}, reaches the paper's; ours has not come "
            f"there{where if abs(ours - start) < slack + 0.001 else ''}."
        )
    if paper < start - slack:
        return f"the paper's is below the mean difference of the classes, {format_auc(start)}."
    return (
        f"the paper's is between the mean difference of the classes, {format_auc(start)}, where a method "
        f"starts, and the exact optimum, {format_auc(best)}: ours has come further."
    )


def _depends_on_half(table: Table, cell: Cell) -> bool:
    classes = table.problem(cell.data).classes
    return classes == "halves" or (classes == "parity" and cell.method in table.from_random_halves)


def describe_edges(table: Table, records: Iterable[Record]) -> str:
    """The parameters that were chosen at an end of their grid, and in how many of the fits."""
    fits: Counter[str] = Counter()
    edges: Counter[tuple[str, str, float]] = Counter()
    for record in records:
        method, grid = record["method"], table.grid(record["method"]) or {}
        fits[method] += 1
        for name, value in json.loads(record["params"]).items():
            if len(grid.get(name, ())) > 1 and value in (min(grid[name]), max(grid[name])):
                edges[method, name, value] += 1
    listed = [
        f"{method} {name} {value:g} ({count} of {fits[method]})"
        for (method, name, value), count in sorted(edges.items())
    ]
    return f"Fits whose parameter is at an end of its grid: {', '.join(listed)}." if listed else ""
