"""``aucmax demo``: a bank's fraud alerts and a stream of payments, from raw tables to models and a report."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ...io.columns.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import load_scorer
from ..evaluation import MAX_FPR
from ..options import Json, Seed, output_option, whole_option
from ..progress import Step, announce, compile_notice
from ..rendering import format_table, print_result
from . import report
from .demo_models import PLAIN, READING, STREAM, TOP, compare, draw, rank_alerts, rank_stream

EPILOG = "\b\nExamples:\n  aucmax demo\n  aucmax demo --rows 200000 -o /tmp/demo"
DAYS, LATER_DAYS = 90, 45  # of the stream, and of the payments after it
ABOUT = """\
Made-up card payments of nine kinds, honest and fraudulent, each with typical values of its own. Labels are
not computed from the columns, and some are wrong. The columns are raw: euros, counts, kilometres, times,
texts and missing values."""
READ = f"""\
AUC judges the whole list, AUC to {MAX_FPR} its top; 0.5 is chance. Difference and p: against logistic
regression on the same rows, by DeLong's paired test. The best model of the whole list is often worse at
the top. If only the top is looked at, train for it with --max-fpr."""

Rows = Annotated[int, whole_option(20_000, "Payments in the stream.")]
Output = Annotated[str, output_option("FOLDER", "Folder to write to.")]


class Files(NamedTuple):
    """Files in the folder of the demo."""

    payments: str = "payments.parquet"  # a stream, in the order in which the labels became known
    later: str = "later.parquet"  # payments of the weeks after it
    alerts: str = "alerts.csv"  # payments that the bank's rules stopped
    new_alerts: str = "new_alerts.csv"
    model: str = "model.auc"
    top: str = "top.auc"
    stream: str = "stream.auc"
    report: str = "report.html"
    picture: str = "curves.png"
    curves: str = "curves.auc"  # this and the rest are made by the commands to try next
    scores: str = "scores.csv"
    checkpoint: str = "run.ckpt"


def run(rows: Rows = 1_000_000, output: Output = "aucmax-demo", seed: Seed = 1, json: Json = False) -> None:
    """Train on a bank's fraud alerts and on a stream of payments, beside logistic regression.

    The data are made up and need no download; the models are those of `aucmax train`. Data, models, a report
    and a picture are written to a folder, to try further commands on.
    """
    files = open_folder(output)
    with compile_notice(json):
        announce(f"1/4 making {rows:,} payments, and those of the weeks after them")
        with Step("making payments"):
            counts = write_data(files, rows, seed)
        announce("2/4 training on alerts, for the whole list and for its top")
        alerts = rank_alerts(files.alerts, files.new_alerts, files.model, files.top, seed)
        announce("3/4 training on the stream, in one pass")
        stream = rank_stream(files.payments, files.later, files.stream, seed)
        announce("4/4 writing the report and the picture")
        with Step("drawing"):
            draw(files.picture, alerts, stream)
            scorer = load_scorer(files.model)
            page = report.gather(scorer, files.model, files.new_alerts, ReadOptions(), None, None)
            report.write(page, files.report)
    trained, to_try = commands(files)
    result = {
        "rows": counts,
        "alerts": {"lines": compare(alerts), "seconds": alerts.seconds},
        "stream": {"lines": compare(stream), "seconds": stream.seconds},
        "files": files._asdict(),
        "commands": trained,
        "next": to_try,
    }
    print_result(result, json, show)


def open_folder(folder: str) -> Files:
    """The files in a folder, which is made if it is not there."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        raise typer.BadParameter(f"--output {folder} cannot be made a folder.") from None
    return Files(*(str(Path(folder) / name) for name in Files()))


def write_data(files: Files, rows: int, seed: int) -> dict[str, dict[str, int]]:
    """Write the payments and the alerts among them; return the numbers of rows and frauds."""
    from pyarrow import csv, parquet

    from ..payments import find_alerts, in_reporting_order, is_fraud, make_payments

    rng = np.random.default_rng(seed)
    payments = make_payments(rows, 0, DAYS, rng)
    later = make_payments(rows * LATER_DAYS // DAYS, DAYS, LATER_DAYS, rng)
    tables = {
        "payments": in_reporting_order(payments, rng),
        "later": later,
        "alerts": find_alerts(payments.slice(rows // 2)),
        "new_alerts": find_alerts(later),
    }
    for name, table in tables.items():
        path = getattr(files, name)
        with atomic_write(path) as file:
            (parquet.write_table if path.endswith(".parquet") else csv.write_csv)(table, file)
    return {
        name: {"rows": table.num_rows, "frauds": int(is_fraud(table).sum())} for name, table in tables.items()
    }


def commands(files: Files) -> tuple[dict[str, str], dict[str, str]]:
    """What was trained, and what to try next, as commands by what they show."""
    name = program()

    def join(*words: Any) -> str:
        return shlex.join([name, *map(str, words)])

    options = "--label", READING.label, "--id", READING.id
    table = "train", files.alerts, *options, "--test", files.new_alerts
    stream = "train", files.payments, *options, "--stream"
    alerts = "predict", files.top, files.new_alerts, "--threshold", "alerts=100"
    return {
        PLAIN: join(*table, "-o", files.model),
        TOP: join(*table, "--max-fpr", MAX_FPR, "-o", files.top),
        STREAM: join(*stream, "--test", files.later, "-o", files.stream),
    }, {
        "the hundred alerts to look at first": join(*alerts, "-o", files.scores),
        "curves instead of straight lines": join(*table, "--curves", "-o", files.curves),
        "stop it with Ctrl-C and start it again: the same model": join(
            *stream, "--checkpoint", files.checkpoint, "--resume", "-o", files.stream
        ),
    }


def program() -> str:
    """What to type to run aucmax: in an environment that is not activated, its path."""
    if shutil.which("aucmax") is not None:
        return "aucmax"
    beside = Path(sys.executable).parent / "aucmax"
    if not beside.exists():
        return "aucmax"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    size = {
        name: f"{found['rows']:,} ({100 * found['frauds'] / found['rows']:.1f} % fraud)"
        for name, found in result["rows"].items()
    }
    heads = {
        "alerts": f"Alerts of a bank's rules: {size['alerts']};\n"
        f"judged on {size['new_alerts']} of later weeks",
        "stream": f"All payments, in one pass: {size['payments']}; a fraud is learnt when it is reported;\n"
        f"judged on {size['later']} of later weeks",
    }
    yield ABOUT
    for part, head in heads.items():
        yield f"\n{head}"
        yield format_lines(result[part])
    yield f"\n{READ}\n\nThe commands that train these models:"
    for command in result["commands"].values():
        yield f"  {command}"
    files = result["files"]
    yield f"\nOpen {files['report']} in a browser; the curves are in {files['picture']}."
    yield "\nTry next:"
    for why, command in result["next"].items():
        yield f"  # {why}\n  {command}"


def format_lines(found: dict[str, Any]) -> str:
    """A table with a line for each measure and model."""
    cells = []
    for line in found["lines"]:
        test = [f"{line['difference']:+.4f}", f"{line['p_value']:.2g}"] if "p_value" in line else ["-", "-"]
        seconds = found["seconds"].get(line["model"])
        time = "-" if seconds is None else f"{seconds:.1f}"
        interval = f"{line['low']:.4f} - {line['high']:.4f}"
        cells.append([line["model"], line["measure"], f"{line['value']:.4f}", interval, *test, time])
    head = ["model", "measure", "value", "95 % interval", "difference", "p", "seconds"]
    return format_table(head, cells)
