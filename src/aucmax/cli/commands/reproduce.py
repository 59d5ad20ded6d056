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
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", min=1, help="Number of processes; default: all cores.")
]


def run(
    experiments: Names,
    out: Folder = Path("reproduction"),
    quick: Quick = False,
    jobs: Jobs = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Run or continue experiments of the papers, and write a page that compares the results."""
    from ...reproduction.experiments import EXPERIMENTS
    from ...reproduction.page.document import make_page

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
    done = [_run_experiment(EXPERIMENTS[name], folder, quick, seed, jobs) for name in names]
    page = folder.with_name(folder.name + ".md")
    text = make_page(folder, quick, seed)
    with atomic_write(page) as file:
        file.write(text.encode())
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


def _show_list(result: dict[str, Any], stream: Any) -> None:
    for each in result["experiments"]:
        print(f"{each['name']:16}{each['title']}", file=stream)


def _show(result: dict[str, Any], stream: Any) -> None:
    for each in result["experiments"]:
        print(f"{each['name']}: {each['records']:,} records, {each['minutes']:.1f} minutes", file=stream)
    print(f"wrote {result['page']}", file=stream)
