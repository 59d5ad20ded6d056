"""The page with every table beside the paper's and every figure, made from the records alone."""

from pathlib import Path
from typing import NamedTuple

from ...validation.errors import DataError
from ..experiments.class_partitions import PARTITIONS
from ..experiments.figure import Figure
from ..experiments.figures import FIGURES
from ..experiments.job import Experiment
from ..experiments.skin_settings import EXACT, SKIN_SETTINGS
from ..experiments.tables import TABLES, Table
from ..methods import MAX_TUNING_VALUES
from ..protocol import FEWER_SPLITS, INNER_FOLDS, SLOW_TUNING_ROWS
from ..records import Records, mean_and_spread
from ..runner import record_file
from .agreement import HalfAUCs, count_agreement, describe_edges, explain_cells, paper_cells
from .comparison import Cell, Result, best_mean, compare, format_auc, format_result, group_aucs
from .data_sets import data_section
from .drawing import draw
from .figure_findings import describe
from .markdown import TEXTS, markdown_table


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
    sections = [_agreement_section(source), *(_table_section(table, source, partitions) for table in TABLES)]
    sections += [
        _partitions_section(partitions),
        _skin_section(source),
        *(_figure_section(figure, source) for figure in FIGURES),
    ]
    sections.append(data_section(source.records) if any(sections) else "")
    if not any(sections):
        which = f"records of {'quick' if quick else 'full'} runs with seed {seed}"
        raise DataError(f"There are no {which} in {folder}", remedy="run an experiment first")
    return "\n\n".join([TEXTS["opening"], *filter(None, sections)]) + "\n"


def _agreement_section(source: Source) -> str:
    """The share of all tables' cells that are close to the papers'."""
    cells = []
    for table in TABLES:
        cells += paper_cells(table, compare(table, source.records(table).all))
    return f"All four tables: {count_agreement(cells)}" if cells else ""


def _table_section(table: Table, source: Source, partitions: HalfAUCs) -> str:
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
        count_agreement(paper_cells(table, rows)),
        explain_cells(table, rows, partitions),
        describe_edges(table, records.all),
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
        f" Evaluated on {FEWER_SPLITS} splits: {slow}; tuned on at most {SLOW_TUNING_ROWS:,} rows there: "
        f"{' and '.join(table.slow_cells())}."
        if slow
        else ""
    )
    all_rows = " and ".join(f"{method} on {data}" for data, method in table.tuned_on_all_rows)
    everywhere = f" (all of them for {all_rows})" if all_rows else ""
    return (
        f"{how}; {grids} by {INNER_FOLDS}-fold cross-validation on the training rows, {when}, with at most "
        f"as many rows as hold {MAX_TUNING_VALUES:,} values{everywhere}.{fewer} Tuning and fits took "
        f"{_total_minutes(records):.0f} minutes in all; {records.versions()}."
    )


def _total_minutes(records: Records) -> float:
    """The time of all fits of a table, those of the searches included."""
    return sum(record["seconds"] + record["tuning_seconds"] for record in records.all) / 60.0


def _cell_texts(row: list[Cell]) -> list[str]:
    """Ours, the paper's, and the difference in its standard deviations; the best of the row in bold."""
    ours, papers = best_mean(cell.ours for cell in row), best_mean(cell.paper for cell in row)
    texts = []
    for cell in row:
        paper = f"paper {_in_bold_if(cell.paper, papers)}" if cell.paper and cell.ours else ""
        texts.append("<br>".join(filter(None, [_in_bold_if(cell.ours, ours), paper, cell.difference])))
    return texts


def _in_bold_if(result: Result, best: float) -> str:
    text = format_result(result)
    return f"**{text}**" if result is not None and round(result[0], 4) == best else text


def _partitions_section(partitions: HalfAUCs) -> str:
    rows = []
    for (data, scaling), aucs in partitions.items():
        mean_text = format_result(mean_and_spread(aucs))
        rows.append([data, scaling, format_auc(min(aucs)), mean_text, format_auc(max(aucs))])
    if not rows:
        return ""
    table = markdown_table(["data", "rows", "lowest", "mean ± sd", "highest"], rows)
    command = f"`aucmax reproduce {PARTITIONS.name}`"
    return "\n\n".join([f"## {PARTITIONS.title}", command, table, TEXTS[PARTITIONS.name]])


def _skin_section(source: Source) -> str:
    """The best AUC for each degree and radius, and what is exact."""
    records = source.records(SKIN_SETTINGS).all
    if len(records) < sum(job.n_records for job in SKIN_SETTINGS.jobs(source.quick)):
        return ""
    best: dict[str, dict[str, float]] = {}
    exact = []
    for record in records:
        setting, method, auc = record["setting"], record["method"], record["auc"]
        if method.startswith("degree"):
            row, radius = best.setdefault(method, {}), setting.partition(",")[0]
            row[radius] = max(row.get(radius, 0.0), auc)
        else:
            norm = f"{record['norm']:.3g}" if method == EXACT else "-"
            exact.append([method, setting, norm, format_auc(auc)])
    radii = list(next(iter(best.values())))
    table = markdown_table(
        ["SAUC-H", *radii],
        [[name, *(format_auc(row[radius]) for radius in radii)] for name, row in best.items()],
    )
    others = markdown_table(["", "setting", "norm", "AUC"], exact)
    command = f"`aucmax reproduce {SKIN_SETTINGS.name}`"
    return "\n\n".join([f"## {SKIN_SETTINGS.title}", command, table, others, TEXTS[SKIN_SETTINGS.name]])


def _figure_section(figure: Figure, source: Source) -> str:
    records = source.records(figure)
    if not records.all:
        return ""
    done, total = len(records.all), sum(job.n_records for job in figure.jobs(source.quick))
    if done < total:
        return f"## {figure.title}\n\n{done:,} of {total:,} points so far; run it again for the others."
    picture = draw(figure, records.all, source.folder)
    minutes = max(round(records.minutes()), 1)
    how = f"`aucmax reproduce {figure.name}`: about {minutes} minute{'s' if minutes > 1 else ''}."
    image = f"![{figure.title}]({source.folder.name}/{picture.name})"
    return "\n\n".join([f"## {figure.title}", how, image, describe(figure, records.all)])
