"""The page that puts every table beside the paper's and shows every figure, from the records alone."""

from pathlib import Path
from typing import Any

from .compare import ENOUGH, Compared, best, compared, squared_cells
from .draw import draw, summary
from .experiment import record_file
from .figures import FIGURES
from .notes import OPENING, PARAGRAPHS, reason
from .printed import Cell
from .protocol import EACH_SPLIT, FEW, INNER_FOLDS, SLOW_TUNING_ROWS, TUNING_NUMBERS
from .records import Records, mean_and_spread
from .tables import PARTITIONS, TABLES, Table


def page(folder: Path, quick: bool = False) -> str:
    """All that the records in the folder hold, as Markdown; draws the figures beside them."""
    parts = [OPENING, *(_table_section(table, folder, quick) for table in TABLES)]
    parts += [_partitions_section(folder, quick), *(_figure_section(each, folder, quick) for each in FIGURES)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _kept(experiment: Any, folder: Path, quick: bool) -> Records | None:
    """An experiment's records of that kind, if there are any."""
    records = Records(record_file(folder, experiment))
    records.all = records.where(quick=quick)
    return records if records.all else None


def _table_section(table: Table, folder: Path, quick: bool) -> str:
    records = _kept(table, folder, quick)
    if records is None:
        return ""
    rows = compared(table, records.all)
    return "\n\n".join(
        [
            f"## {table.title}",
            f"`aucmax reproduce {table.name}`: {_protocol(table, records)}",
            "\n".join(_grid(rows)),
            _count(rows),
            "\n".join(_exceptions(table, rows, _ranges(folder, quick))),
            PARAGRAPHS.get(table.name, ""),
        ]
    )


def _protocol(table: Table, records: Records) -> str:
    folds = table.protocol.folds
    how = f"{table.protocol.repeats} x {folds}-fold" if folds else f"{table.protocol.repeats} times 80/20"
    return (
        f"{how}; parameters by {INNER_FOLDS}-fold cross-validation on the training rows, anew for each "
        f"split up to {EACH_SPLIT:,} rows and once, on the first split's, beyond (on rows of "
        f"{TUNING_NUMBERS:,} numbers at most; OPAUC, FSAUC and B-SVM-OR on text on {SLOW_TUNING_ROWS:,} "
        f"rows, judged on {FEW} splits). "
        f"{records.minutes():.0f} minutes in all; {records.all[-1]['versions']}."
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
    if cell.deviations is not None:
        parts.append(f"{cell.deviations:+.1f} sd")
    return "<br>".join(parts)


def _number(cell: Cell, top: float) -> str:
    if cell is None:
        return "-"
    text = f"{_digits(cell[0])} ± {_digits(cell[1])}"
    return f"**{text}**" if round(cell[0], 4) == top else text


def _digits(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")


def _count(rows: list[list[Compared]]) -> str:
    cells = squared_cells(rows)
    good = sum(not cell.short for cell in cells)
    share = f"{good} of {len(cells)} cells ({100 * good / len(cells):.0f} %)"
    return (
        f"Methods that minimise the squared loss: {share} are above the paper's or at most "
        f"{ENOUGH:.0f} of its standard deviations below."
    )


def _ranges(folder: Path, quick: bool) -> dict[tuple[str, str], tuple[float, float]]:
    """The lowest and highest AUC over random halves of the classes, by data set and scaling of rows."""
    records = _kept(PARTITIONS, folder, quick)
    found: dict[tuple[str, str], list[float]] = {}
    for record in records.all if records else []:
        found.setdefault((record["data"], record["method"]), []).append(record["auc"])
    return {key: (min(values), max(values)) for key, values in found.items()}


def _exceptions(table: Table, rows: list[list[Compared]], ranges: dict) -> list[str]:
    """The cells further below, each data set with the reason."""
    lines = []
    for row in rows:
        short = [cell for cell in row if cell.short]
        if not short:
            continue
        who = ", ".join(f"{cell.method} ({cell.deviations:+.1f} sd)" for cell in short)
        problem = table.problem(row[0].data)
        why = reason(table.name, row[0].data)
        if problem.classes == "halves" and (span := ranges.get((problem.name, problem.rows))):
            low, high = map(_digits, span)
            why += f" Over random halves of the classes the exact optimum runs from {low} to {high}."
        lines.append(f"- **{row[0].data}**, {who}: {why.strip()}")
    return lines


def _partitions_section(folder: Path, quick: bool) -> str:
    records = _kept(PARTITIONS, folder, quick)
    if records is None:
        return ""
    lines = ["| data | rows | lowest | mean ± sd | highest |", "|---|---|---|---|---|"]
    for (data, rows), (low, high) in _ranges(folder, quick).items():
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
            PARAGRAPHS["partitions"],
        ]
    )


def _figure_section(figure: Any, folder: Path, quick: bool) -> str:
    records = _kept(figure, folder, quick)
    if records is None:
        return ""
    pictures = [f"![{figure.title}]({folder.name}/{path.name})" for path in draw(figure, records.all, folder)]
    how = f"`aucmax reproduce {figure.name}`: {records.minutes():.0f} minutes."
    return "\n\n".join([f"## {figure.title}", how, *pictures, summary(figure, records.all)])
