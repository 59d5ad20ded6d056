"""``aucmax reproduce``: run experiments of the papers and compare the results with the published ones."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...io.storage.atomic import atomic_write
from ..given import check_effect
from ..options import Json, Seed, text_option, whole_option
from ..progress import ProgressBar
from ..rendering import print_result
from ..stop import Stopped

if TYPE_CHECKING:
    from ...reproduction.experiments.job import Experiment

EPILOG = (
    "\b\nExamples:\n  aucmax reproduce list\n  aucmax reproduce vrspam-table1 --quick\n"
    "  aucmax reproduce solam-table3 --data a9a --method SOLAM\n"
    "  aucmax reproduce all -o docs/reproduction"
)

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="EXPERIMENT", help="Names of experiments, or list, all, report (only write the page)."
    ),
]
Folder = Annotated[
    Path,
    typer.Option(
        "-o",
        "--out",
        metavar="FOLDER",
        help="Folder for records and figures, FOLDER-quick with --quick; the page is FOLDER.md.",
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Small data, few splits, coarse grids: a minute or less.")
]
DataSets = Annotated[
    list[str] | None, typer.Option("--data", metavar="NAME", help="Only this data set; may be repeated.")
]
Methods = Annotated[
    list[str] | None, typer.Option("--method", metavar="NAME", help="Only this method; may be repeated.")
]
Splits = Annotated[
    str | None,
    text_option("LIST", "Only these splits of a table, such as 0-4,17; 0 is the first."),
]
Again = Annotated[bool, typer.Option("--again", help="Compute again what is recorded.")]
Jobs = Annotated[int | None, whole_option(1, "Number of processes; default: all cores.")]


def run(
    experiments: Names,
    out: Folder = Path("reproduction"),
    data_sets: DataSets = None,
    method: Methods = None,
    splits: Splits = None,
    again: Again = False,
    quick: Quick = False,
    jobs: Jobs = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run or continue experiments of the papers, and write a page that compares the results."""
    from ...reproduction.experiments import EXPERIMENTS
    from ...reproduction.experiments.job import Selection
    from ...reproduction.page.document import make_page

    if experiments in (["list"], ["report"]):
        run_options = {"data_sets", "method", "splits", "again", "jobs"}
        unused = run_options | ({"out", "quick", "seed"} if experiments == ["list"] else set())
        check_effect(unused, f"with {experiments[0]}")
    if experiments == ["list"]:
        titles = [{"name": name, "title": each.title} for name, each in EXPERIMENTS.items()]
        print_result({"experiments": titles}, json, _show_list)
        return
    folder = out if out.name else out.resolve()  # the page is named after the folder, and "." has no name
    folder = folder.with_name(folder.name + "-quick") if quick else folder
    names = {"report": [], "all": list(EXPERIMENTS)}.get(" ".join(experiments), experiments)
    for name in names:
        if name not in EXPERIMENTS:
            hint = "`aucmax reproduce list` prints their names"
            raise typer.BadParameter(f"there is no experiment {name!r}; {hint}.")
    selection = Selection(tuple(data_sets or ()), tuple(method or ()), _parse_splits(splits))
    for name in names:
        selection.jobs_of(EXPERIMENTS[name], quick)  # checks all names before the first run
    settings: dict[str, Any] = {"quick": quick, "seed": seed, "selection": selection, "processes": jobs}
    done = [_run_experiment(EXPERIMENTS[name], folder, again, settings) for name in names]
    page = folder.with_name(folder.name + ".md")
    text = make_page(folder, quick, seed)
    with atomic_write(page) as file:
        file.write(text.encode())
    print_result({"experiments": done, "page": str(page)}, json, _show)


def _parse_splits(text: str | None) -> tuple[int, ...]:
    """The numbers in a list such as 0-4,17."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() if dash else True)):
            raise typer.BadParameter(f"--splits must be like 0-4,17; got {text!r}.")
        found.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def _run_experiment(
    experiment: "Experiment", folder: Path, again: bool, settings: dict[str, Any]
) -> dict[str, Any]:
    from ...reproduction.experiments.tables import Table
    from ...reproduction.page.comparison import summarise
    from ...reproduction.records import Records
    from ...reproduction.runner import record_file
    from ...reproduction.runner import run as run_experiment

    records = Records(record_file(folder, experiment))
    run_settings = {name: settings[name] for name in ("quick", "seed")}
    selected = settings["selection"].jobs_of(experiment, settings["quick"])
    if again:
        records.discard(
            lambda record: (
                all(record[name] == value for name, value in run_settings.items())
                and any(job.includes(record) for job in selected)
            )
        )
    with ProgressBar() as bar:

        def show(done: int, total: int, step: str) -> None:
            bar.update(f"{experiment.name}: {done} of {total}  {step}", done, total)

        try:
            run_experiment(experiment, records, **settings, progress=show)
        except KeyboardInterrupt:
            saved = f"stopped; {len(records.all):,} records are saved; the same command continues from there"
            raise Stopped(signal.SIGINT, saved) from None
    cells = (
        summarise(experiment, selected, records.where(**run_settings))
        if isinstance(experiment, Table)
        else []
    )
    found = {"name": experiment.name, "records": len(records.all), "minutes": records.minutes()}
    return found | {"cells": cells}


def _show_list(result: dict[str, Any]) -> Iterator[str]:
    for each in result["experiments"]:
        yield f"{each['name']:16}{each['title']}"


def _show(result: dict[str, Any]) -> Iterator[str]:
    for each in result["experiments"]:
        for cell in each["cells"]:
            yield f"{cell['data']} {cell['method']}: {cell['text']}"
        yield f"{each['name']}: {each['records']:,} records, {each['minutes']:.1f} minutes"
    yield f"wrote {result['page']}"
