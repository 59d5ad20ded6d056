"""The page that puts every table beside the paper's and shows every figure, from the records alone."""

import math
from pathlib import Path
from typing import Any, NamedTuple

from ..validation.errors import DataError
from .compare import ENOUGH, Compared, best, compared, squared_cells
from .draw import draw
from .experiment import Experiment, record_file
from .figures import FIGURES
from .notes import OPENING, PARAGRAPHS, reason
from .printed import Cell
from .protocol import FEW, INNER_FOLDS, SLOW_TUNING_ROWS, TUNING_NUMBERS
from .records import Records, mean_and_spread
from .summaries import summary
from .tables import PARTITIONS, TABLES, Table


class Source(NamedTuple):
    """Which records count: those in a folder, of quick runs or full ones, of one seed."""

    folder: Path
    quick: bool
    seed: int

    def records(self, experiment: Experiment) -> Records:
        """An experiment's."""
        found = Records(record_file(self.folder, experiment))
        found.all = found.where(quick=self.quick, seed=self.seed)
        return found


def page(folder: Path, quick: bool = False, seed: int = 0) -> str:
    """All that the records in the folder hold, as Markdown; draws the figures beside them."""
    source = Source(folder, quick, seed)
    sections = [_table_section(table, source) for table in TABLES]
    sections += [_partitions_section(source), *(_figure_section(each, source) for each in FIGURES)]
    sections = [section.strip() for section in sections if section]
    if not sections:
        raise DataError(f"There are no such records in {folder}; run an experiment first.")
    return "\n\n".join([OPENING.strip(), *sections]) + "\n"


def _table_section(table: Table, source: Source) -> str:
    records = source.records(table)
    if not records.all:
        return ""
    rows = compared(table, records.all)
    parts = [
        f"## {table.title}",
        f"`aucmax reproduce {table.name}`: {_protocol(table, records, source.quick)}",
        "\n".join(_grid(rows)),
        _count(rows),
        "\n".join(_exceptions(table, rows, _ranges(source))),
        PARAGRAPHS.get(table.name, "").strip(),
    ]
    return "\n\n".join(filter(None, parts))


def _protocol(table: Table, records: Records, quick: bool) -> str:
    """How the table was made."""
    repeats, folds, anew = table.splitting(quick)
    how = f"{repeats} x {folds}-fold" if folds else f"{repeats} times 80/20"
    how += f" ({FEW} splits for {', '.join(table.few)})" if table.few and not quick else ""
    when = f"anew for each split up to {anew:,} rows, and once, on the first split's, beyond"
    if not anew:
        when = "once, on the first split's, as the authors' program does"
    grids = "every third value of the grids" if quick else "parameters"
    slow = "; ".join(f"{method} on {' and '.join(data)}" for method, data in table.slow_ones().items())
    fewer = f" On {SLOW_TUNING_ROWS:,} rows at most, and judged on {FEW} splits: {slow}." if slow else ""
    return (
        f"{how}; {grids} by {INNER_FOLDS}-fold cross-validation on the training rows, {when}: on at most so "
        f"many rows as hold {TUNING_NUMBERS:,} numbers.{fewer} About {records.minutes():.0f} minutes; "
        f"{records.all[-1]['versions']}."
    )


def _grid(rows: list[list[Compared]]) -> list[str]:
    """Ours, under it the paper's and the difference in its standard deviations; the best in bold."""
    methods = [cell.method for cell in rows[0]]
    lines = ["| | " + " | ".join(methods) + " |", "|---" * (len(methods) + 1) + "|"]
    for row in rows:
        tops = best(cell.ours for cell in row), best(cell.paper for cell in row)
        lines.append(f"| {row[0].data} | " + " | ".join(_cell(cell, *tops) for cell in row) + " |")
    return lines


def _cell(cell: Compared, top: float, printed_top: float) -> str:
    parts = [_number(cell.ours, top)]
    if cell.paper is not None:
        parts.append(f"paper {_number(cell.paper, printed_top)}")
    return "<br>".join([*parts, *filter(None, [_difference(cell)])])


def _difference(cell: Compared) -> str:
    if cell.deviations is None:
        return ""
    return (
        f"{cell.deviations:+.1f} sd" if math.isfinite(cell.deviations) else "below; the paper has no spread"
    )


def _number(cell: Cell, top: float) -> str:
    if cell is None:
        return "-"
    text = f"{_digits(cell[0])} ± {_digits(cell[1])}"
    return f"**{text}**" if round(cell[0], 4) == top else text


def _digits(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")


def _count(rows: list[list[Compared]]) -> str:
    cells = squared_cells(rows)
    if not cells:
        return ""
    good = sum(not cell.short for cell in cells)
    share = f"{good} of {len(cells)} cells ({100 * good / len(cells):.0f} %)"
    return (
        f"Methods that minimise the squared loss: {share} are above the paper's or at most "
        f"{ENOUGH:.0f} of its standard deviations below."
    )


def _ranges(source: Source) -> dict[tuple[str, str], tuple[float, float]]:
    """The lowest and highest AUC over random halves of the classes, by data set and scaling of rows."""
    found: dict[tuple[str, str], list[float]] = {}
    for record in source.records(PARTITIONS).all:
        found.setdefault((record["data"], record["method"]), []).append(record["auc"])
    return {key: (min(values), max(values)) for key, values in found.items()}


def _exceptions(table: Table, rows: list[list[Compared]], ranges: dict) -> list[str]:
    """The cells further below, each data set with the reason."""
    lines = []
    for row in rows:
        short = [cell for cell in row if cell.short]
        if not short:
            continue
        who = ", ".join(f"{cell.method} ({_difference(cell)})" for cell in short)
        problem = table.problem(row[0].data)
        why = reason(table.name, row[0].data)
        if problem.classes == "halves" and (span := ranges.get((problem.name, problem.rows))):
            low, high = map(_digits, span)
            why += f" Over random halves of the classes the exact optimum runs from {low} to {high}."
        lines.append(f"- **{row[0].data}**, {who}: {why.strip()}")
    return lines


def _partitions_section(source: Source) -> str:
    records = source.records(PARTITIONS)
    if not records.all:
        return ""
    lines = ["| data | rows | lowest | mean ± sd | highest |", "|---|---|---|---|---|"]
    for (data, rows), (low, high) in _ranges(source).items():
        values = [record["auc"] for record in records.where(data=data, method=rows)]
        mean, spread = mean_and_spread(values)
        lines.append(
            f"| {data} | {rows} | {_digits(low)} | {_digits(mean)} ± {_digits(spread)} | {_digits(high)} |"
        )
    return "\n\n".join(
        [
            f"## {PARTITIONS.title}",
            f"`aucmax reproduce {PARTITIONS.name}`",
            "\n".join(lines),
            PARAGRAPHS[PARTITIONS.name].strip(),
        ]
    )


def _figure_section(figure: Any, source: Source) -> str:
    records = source.records(figure)
    if not records.all:
        return ""
    steps = sum(job.steps for job in figure.jobs(source.quick))
    if len(records.all) < steps:
        return f"## {figure.title}\n\n{len(records.all):,} of {steps:,} points so far: run it to the end."
    drawn = draw(figure, records.all, source.folder)
    pictures = [f"![{figure.title}]({source.folder.name}/{path.name})" for path in drawn]
    how = f"`aucmax reproduce {figure.name}`: about {max(records.minutes(), 1):.0f} minutes."
    return "\n\n".join([f"## {figure.title}", how, *pictures, summary(figure, records.all)])
