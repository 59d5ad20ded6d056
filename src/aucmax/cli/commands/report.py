"""``aucmax report``: a page about how well a model ranks, by which columns, and about thresholds."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...io.columns.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import Scorer, load_scorer
from ...report.effects import find_curves, summarise_effects
from ...validation.errors import DataError
from ..data import DataPath, file_name
from ..options import Json, ModelFile, check_output, output_option, text_option
from ..progress import Step, compile_notice
from ..rendering import output_name, print_result
from ..scoring import rows_to_evaluate
from ..thresholds import Goal, ThresholdOption, find_point

if TYPE_CHECKING:
    from ...report.contents import Report

EPILOG = """\b
Examples:
  aucmax report model.auc -o report.html
  aucmax report model.auc test.csv --threshold recall=0.9 -o report.html"""

OptionalData = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DATA...]", help="Labelled rows; by default those held out in training.", show_default=False
    ),
]
Output = Annotated[str, output_option("FILE", "The page to write (.html).")]
Title = Annotated[str | None, text_option("TEXT", "Title of the page.")]


def run(
    model: ModelFile,
    data: OptionalData = None,
    *,
    reading: ReadOptions,
    output: Output = "report.html",
    threshold: ThresholdOption = None,
    title: Title = None,
    json: Json = False,
) -> None:
    """Write a page about a model: AUC, also of logistic regression, curves, thresholds, effects of columns.

    The page is one file without scripts or links to other files. Training rows are recognised: they
    are evaluated by their scores from when they were held out or, with --test-size, only those held out for
    the test are.
    """
    check_output("--output", output, model, data)
    scorer = load_scorer(model)
    if not data and scorer.held_out is None:
        problem = f"{scorer.estimator} has no scores of rows held out in training"
        raise DataError(problem, remedy="give labelled rows", file=model)
    with compile_notice(json):
        contents = gather(scorer, model, data, reading, threshold, title)
        with Step("drawing"):
            write(contents, output)
    interval = contents.comparison.model
    result = {"report": output, "auc": interval.auc, "low": interval.low, "high": interval.high}
    print_result(result | {"warnings": contents.warnings}, json, show, output)


def gather(
    scorer: Scorer,
    model: str,
    data: DataPath | None,
    reading: ReadOptions,
    goal: Goal | None,
    title: str | None,
) -> "Report":
    """The contents of the page."""
    from ...report.contents import Report, compare, find_warnings

    rows, kind = rows_to_evaluate(scorer, data, reading)
    threshold, point = find_point(goal, scorer, rows.positive, rows.score, f"on {rows.what}")
    rows_named = f" {file_name(data)}" if data else ""
    return Report(
        title=title or f"How well {Path(model).name} ranks{rows_named}",
        scorer=scorer,
        rows=rows,
        comparison=compare(rows, scorer.summary, kind == "held out"),
        point=point._replace(threshold=threshold.shown),
        goal=threshold.goal,
        effects=summarise_effects(scorer, rows.spread),
        curves=find_curves(scorer),
        warnings=find_warnings(scorer, rows, kind == "learnt"),
    )


def write(contents: "Report", output: str) -> None:
    """Write the page."""
    from ...report.page import make_page

    page = make_page(contents)
    with atomic_write(output) as file:
        file.write(page.encode())


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    yield f"AUC {result['auc']:.4f}, 95 % interval {result['low']:.4f} - {result['high']:.4f}"
    for text in result["warnings"]:
        yield f"note: {text}"
    yield f"wrote {output_name(result['report'])}"
