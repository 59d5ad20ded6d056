"""``aucmax reproduce``: run experiments of the papers and compare the results with the printed ones."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...io.storage.atomic import atomic_write
from ..options import Json, Seed
from ..progress import ProgressBar
from ..rendering import print_result
from ..stop import Stopped

if TYPE_CHECKING:
    from ...reproduction.experiments.job import Experiment

EPILOG = (
    "\b\nExamples:\n  aucmax reproduce list\n  aucmax reproduce vrspam-table1 --quick\n"
    "  aucmax reproduce all -o docs/reproduction"
)

Names = Annotated[
    list[str], typer.Argument(metavar="EXPERIMENT...", help="Names, or: list, all, report (the page alone).")
]
Folder = Annotated[
    Path,
    typer.Option(
        "-o",
        "--out",
        metavar="FOLDER",
        help="Folder of records and figures; the page is FOLDER.md. With --quick: FOLDER-quick.",
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Small data, few splits, coarse grids: a minute or less.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes; default: all cores.")
]


def run(
    experiments: Names,
    out: Folder = Path("reproduction"),
    quick: Quick = False,
    jobs: Jobs = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run experiments of the papers, or continue a stopped run, and write a page of paper against run."""
    from ...reproduction.experiments import EXPERIMENTS

    if experiments == ["list"]:
        titles = [{"name": name, "title": each.title} for name, each in EXPERIMENTS.items()]
        print_result({"experiments": titles}, json, _show_list)
        return
    folder = out if out.name else out.resolve()  # the page has the name of the folder, and "." has none
    folder = folder.with_name(folder.name + "-quick") if quick else folder
    names = _chosen(experiments, list(EXPERIMENTS))
    done = [_run_experiment(EXPERIMENTS[name], folder, quick, seed, jobs) for name in names]
    page = _write_page(folder, quick, seed)
    print_result({"experiments": done, "page": str(page)}, json, _show)


def _run_experiment(
    experiment: "Experiment", folder: Path, quick: bool, seed: int, jobs: int | None
) -> dict[str, Any]:
    from ...reproduction.records import Records
    from ...reproduction.runner import record_file
    from ...reproduction.runner import run as run_experiment

    records = Records(record_file(folder, experiment))
    with ProgressBar() as bar:

        def show(done: int, total: int, step: str) -> None:
            bar.update(f"{experiment.name}: {done} of {total}  {step}", done, total)

        try:
            run_experiment(experiment, records, quick=quick, seed=seed, processes=jobs, progress=show)
        except KeyboardInterrupt:
            saved = f"stopped; {len(records.all):,} records are saved; the same command continues from there"
            raise Stopped(signal.SIGINT, saved) from None
    return {"name": experiment.name, "records": len(records.all), "minutes": records.minutes()}


def _chosen(given: list[str], known: list[str]) -> list[str]:
    if given == ["report"]:
        return []
    if given == ["all"]:
        return known
    for name in given:
        if name not in known:
            raise typer.BadParameter(f"there is no experiment {name!r}; `aucmax reproduce list` names them.")
    return given


def _write_page(folder: Path, quick: bool, seed: int) -> Path:
    from ...reproduction.page.document import make_page

    target = folder.with_name(folder.name + ".md")
    text = make_page(folder, quick, seed)
    with atomic_write(target) as file:
        file.write(text.encode())
    return target


def _show_list(result: dict[str, Any], stream: Any) -> None:
    for each in result["experiments"]:
        print(f"{each['name']:16}{each['title']}", file=stream)


def _show(result: dict[str, Any], stream: Any) -> None:
    for each in result["experiments"]:
        print(f"{each['name']}: {each['records']:,} records, {each['minutes']:.1f} minutes", file=stream)
    print(f"wrote {result['page']}", file=stream)
