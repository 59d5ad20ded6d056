"""``aucmax reproduce``: a table or figure of the papers, run, kept and put beside the printed one."""

import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from ...io.storage.atomic import atomic_write
from .. import rendering
from ..options import Debug, Json, Seed
from ..stop import Stopped

EPILOG = (
    "\b\nExamples:\n  aucmax reproduce list\n  aucmax reproduce vrspam-table1 --quick\n"
    "  aucmax reproduce all -o docs/reproduction"
)
LINE_SECONDS = 30.0

Names = Annotated[
    list[str], typer.Argument(metavar="EXPERIMENT...", help="Names, or: list, all, report (the page alone).")
]
Folder = Annotated[
    Path,
    typer.Option(
        "-o",
        "--out",
        metavar="FOLDER",
        help="Of records and pictures; the page is FOLDER.md; quick: FOLDER-quick.",
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
    debug: Debug = False,
) -> None:
    """Run experiments of the papers, going on where a stopped run was, and write the page that compares."""
    from ...reproduction.experiment import record_file
    from ...reproduction.experiment import run as run_experiment
    from ...reproduction.records import Records
    from ...reproduction.registry import EXPERIMENTS

    if experiments == ["list"]:
        titles = [{"name": name, "title": each.title} for name, each in EXPERIMENTS.items()]
        rendering.emit({"experiments": titles}, json, _show_list, None)
        return
    done = []
    folder = out if out.name else out.resolve()  # the folder "." has no name to give to the page
    folder = folder.with_name(folder.name + "-quick") if quick else folder
    for name in _chosen(experiments, list(EXPERIMENTS)):
        records = Records(record_file(folder, EXPERIMENTS[name]))
        try:
            with Bar(name) as bar:
                run_experiment(
                    EXPERIMENTS[name], records, quick=quick, seed=seed, processes=jobs, progress=bar.show
                )
        except KeyboardInterrupt:
            kept = f"stopped; {len(records.all):,} records are kept, and the same command goes on from there"
            raise Stopped(signal.SIGINT, kept) from None
        done.append({"name": name, "records": len(records.all), "minutes": records.minutes()})
    page = _write_page(folder, quick, seed)
    rendering.emit({"experiments": done, "page": str(page)}, json, _show, None)


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
    from ...reproduction.report import page

    target = folder.with_name(folder.name + ".md")
    text = page(folder, quick, seed)
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


class Bar:
    """How far an experiment is: a bar on a terminal, now and then a line in a log; on standard error."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack = ExitStack()
        self._update: Callable[[int, int, str], None] | None = None
        self._shown = time.monotonic()

    def __enter__(self) -> "Bar":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = TextColumn(self._name), BarColumn(30), MofNCompleteColumn(), TimeRemainingColumn()
            bar = self._stack.enter_context(
                Progress(
                    *columns, TextColumn("{task.description}"), console=Console(stderr=True), transient=True
                )
            )
            task = bar.add_task("starting")
            self._update = lambda done, total, doing: bar.update(
                task, completed=done, total=total, description=doing
            )
        return self

    def __exit__(self, *_: Any) -> None:
        with suppress(Exception):
            self._stack.close()

    def show(self, done: int, total: int, doing: str) -> None:
        """So many records of so many, and what the last one was."""
        if self._update is not None:
            self._update(done, total, doing)
        elif time.monotonic() - self._shown > LINE_SECONDS:
            self._shown = time.monotonic()
            print(f"{self._name}: {done} of {total}  {doing}", file=sys.stderr, flush=True)
