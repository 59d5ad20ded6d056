"""The page with every table beside the paper's and every figure, made from the records alone."""

from pathlib import Path
from typing import NamedTuple

from ...validation.errors import DataError
from ..experiments.class_partitions import PARTITIONS
from ..experiments.figure import Figure
from ..experiments.figures import FIGURES
from ..experiments.job import Experiment
from ..experiments.tables import TABLES, Table
from ..methods import MAX_TUNING_VALUES
from ..protocol import FEWER_SPLITS, INNER_FOLDS, SLOW_TUNING_ROWS
from ..records import Records, mean_and_spread
from ..runner import record_file
from .comparison import (
    MAX_DEVIATIONS_BELOW,
    Cell,
    Result,
    best_mean,
    compare,
    format_auc,
    format_result,
    group_aucs,
    squared_loss_cells,
)
from .drawing import draw
from .figure_findings import describe
from .markdown import TEXTS, markdown_table

PartitionAUCs = dict[tuple[str, str], list[float]]  # AUC over random halves, by data set and scaling of rows


class Source(NamedTuple):
    """Selects the records in a folder that come from quick, or from full, runs with a given seed."""

    folder: Path
    quick: bool
    seed: int

    def records(self, experiment: Experiment) -> Records:
        """The selected records of an experiment."""
        found = Records(record_file(self.folder, experiment))
        found.all = found.where(quick=self.quick, seed=self.seed)
        return found


def make_page(folder: Path, quick: bool = False, seed: int = 0) -> str:
    """The page as Markdown, from the records in the folder; draws the figures beside them."""
    source = Source(folder, quick, seed)
    partitions = group_aucs(source.records(PARTITIONS).all)
    sections = [_table_section(table, source, partitions) for table in TABLES]
    sections += [_partitions_section(partitions), *(_figure_section(figure, source) for figure in FIGURES)]
    if not any(sections):
        which = f"records of {'quick' if quick else 'full'} runs with seed {seed}"
        raise DataError(f"There are no {which} in {folder}", remedy="run an experiment first")
    return "\n\n".join([TEXTS["opening"], *filter(None, sections)]) + "\n"


def _table_section(table: Table, source: Source, partitions: PartitionAUCs) -> str:
    records = source.records(table)
    if not records.all:
        return ""
    rows = compare(table, records.all)
    body = [[row[0].data, *_cell_texts(row)] for row in rows]
    done, total = len(records.all), sum(job.n_records for job in table.jobs(source.quick))
    complete = done >= total
    missing = f"{done:,} of {total:,} records so far; run it again for the others."
    parts = [
        f"## {table.title}",
        f"`aucmax reproduce {table.name}`: {_describe_protocol(table, records, source.quick)}",
        markdown_table(["data", *(cell.method for cell in rows[0])], body),
        _count_agreement(rows),
        _explain_cells_below(table, rows, partitions),
        TEXTS[table.name] if complete else missing,
    ]
    return "\n\n".join(filter(None, parts))


def _describe_protocol(table: Table, records: Records, quick: bool) -> str:
    protocol = table.protocol_for(quick)
    how = (
        f"{protocol.repeats} x {protocol.folds}-fold" if protocol.folds else f"{protocol.repeats} times 80/20"
    )
    if table.fewer_splits and not quick:
        how += f" ({FEWER_SPLITS} splits for {', '.join(table.fewer_splits)})"
    when = (
        f"for each split up to {protocol.tune_each_split_up_to:,} rows, beyond only once, on the first split"
    )
    if not protocol.tune_each_split_up_to:
        when = "once, on the first split, as in the authors' program"
    grids = "every third value of the grids" if quick else "parameters"
    slow = "; ".join(f"{method} on {' and '.join(data)}" for method, data in table.slow_cells().items())
    fewer = (
        f" Tuned on at most {SLOW_TUNING_ROWS:,} rows and evaluated on {FEWER_SPLITS} splits: {slow}."
        if slow
        else ""
    )
    return (
        f"{how}; {grids} by {INNER_FOLDS}-fold cross-validation on the training rows, {when}, with at most "
        f"as many rows as hold {MAX_TUNING_VALUES:,} values.{fewer} About {records.minutes():.0f} minutes; "
        f"{records.all[-1]['versions']}."
    )


def _cell_texts(row: list[Cell]) -> list[str]:
    """Ours, the paper's, and the difference in its standard deviations; the best of the row in bold."""
    ours, papers = best_mean(cell.ours for cell in row), best_mean(cell.paper for cell in row)
    texts = []
    for cell in row:
        paper = f"paper {_in_bold_if(cell.paper, papers)}" if cell.paper else ""
        texts.append("<br>".join(filter(None, [_in_bold_if(cell.ours, ours), paper, cell.difference])))
    return texts


def _in_bold_if(result: Result, best: float) -> str:
    text = format_result(result)
    return f"**{text}**" if result is not None and round(result[0], 4) == best else text


def _count_agreement(rows: list[list[Cell]]) -> str:
    cells = squared_loss_cells(rows)
    if not cells:
        return ""
    good = sum(not cell.is_below for cell in cells)
    share = f"{good} of {len(cells)} cells ({100 * good / len(cells):.0f} %)"
    return (
        f"Methods that minimise the squared loss: {share} are above the paper's or at most "
        f"{MAX_DEVIATIONS_BELOW:.0f} of its standard deviations below."
    )


def _explain_cells_below(table: Table, rows: list[list[Cell]], partitions: PartitionAUCs) -> str:
    """A line for each data set with cells below the paper's, and the reason."""
    lines = []
    for row in rows:
        below = ", ".join(f"{cell.method} ({cell.difference})" for cell in row if cell.is_below)
        if not below:
            continue
        problem = table.problem(row[0].data)
        reason = TEXTS.get(f"{table.name} {problem.name}", "Not explained.")
        if problem.classes == "halves" and (aucs := partitions.get((problem.name, problem.rows))):
            low, high = format_auc(min(aucs)), format_auc(max(aucs))
            reason += f" Over random halves of the classes the exact optimum ranges from {low} to {high}."
        lines.append(f"- **{problem.name}**, {below}: {reason}")
    return "\n".join(lines)


def _partitions_section(partitions: PartitionAUCs) -> str:
    rows = []
    for (data, scaling), aucs in partitions.items():
        mean_text = format_result(mean_and_spread(aucs))
        rows.append([data, scaling, format_auc(min(aucs)), mean_text, format_auc(max(aucs))])
    if not rows:
        return ""
    table = markdown_table(["data", "rows", "lowest", "mean ± sd", "highest"], rows)
    command = f"`aucmax reproduce {PARTITIONS.name}`"
    return "\n\n".join([f"## {PARTITIONS.title}", command, table, TEXTS[PARTITIONS.name]])


def _figure_section(figure: Figure, source: Source) -> str:
    records = source.records(figure)
    if not records.all:
        return ""
    done, total = len(records.all), sum(job.n_records for job in figure.jobs(source.quick))
    if done < total:
        return f"## {figure.title}\n\n{done:,} of {total:,} points so far; run it again for the others."
    picture = draw(figure, records.all, source.folder)
    how = f"`aucmax reproduce {figure.name}`: about {max(records.minutes(), 1):.0f} minutes."
    image = f"![{figure.title}]({source.folder.name}/{picture.name})"
    return "\n\n".join([f"## {figure.title}", how, image, describe(figure, records.all)])
