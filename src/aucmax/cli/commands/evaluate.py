"""``aucmax evaluate``: how well a model ranks the rows of a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ...io.columns.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import Scorer, load_scorer
from ...io.storage.summary import add_to_summary
from ..data import data_name, file_name
from ..evaluation import MAX_FPR, describe_ranking
from ..options import Data, Json, ModelFile, check_output, share_option, text_option
from ..progress import compile_notice
from ..rendering import describe_rows, format_percent, format_table, interval_cells, print_result, rate_cell
from ..scoring import are_training_rows, score_labelled_rows
from ..thresholds import (
    Threshold,
    ThresholdOption,
    describe_point,
    find_point,
    show_point,
    warn_of_extreme,
)

EPILOG = """\b
Examples:
  aucmax evaluate model.auc test.csv --plot curves.png
  aucmax evaluate model.auc test.csv --max-fpr 0.01
  aucmax evaluate model.auc test.csv --threshold cost=1:20 --save"""

Plot = Annotated[str | None, text_option("FILE", "Draw ROC curve, top and calibration (png, svg or pdf).")]
MaxFpr = Annotated[
    float | None,
    share_option(
        "X",
        "Largest false positive rate of the partial AUC; default: that of the training, or 0.05.",
        up_to_1=True,
    ),
]
LEARNT = "the model has learnt from these rows; expect less on others"
Save = Annotated[bool, typer.Option("--save", help="Keep the threshold in the model file, for predict.")]


def run(
    model: ModelFile,
    data: Data,
    reading: ReadOptions,
    max_fpr: MaxFpr = None,
    threshold: ThresholdOption = None,
    save: Save = False,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Print AUC, partial AUC, average precision, and what alerts on the highest scores find.

    Partial AUC is the area under the ROC curve up to a false positive rate, on a scale where 0.5 is chance
    and 1 the best. Rates among the top come with 95 % intervals. A threshold for a recall, a precision, a
    number of alerts or costs of false positives and false negatives is chosen by these rows; by default the
    threshold is that of predict.
    """
    if save and (threshold is None or model == "-"):
        raise typer.BadParameter("--save needs --threshold, and a model file to keep it in.")
    if plot is not None:
        if Path(plot).suffix.lower() not in (".png", ".svg", ".pdf"):
            raise typer.BadParameter(f"--plot {plot}: the name must end in .png, .svg or .pdf.")
        check_output("--plot", plot, model, data)
    scorer = load_scorer(model)
    with compile_notice(json):
        positive, score, skipped = score_labelled_rows(scorer, data, reading)
        ranking = describe_ranking(positive, score, max_fpr or scorer.summary.get("max_fpr") or MAX_FPR)
        where = f"by the {len(score):,} rows of {file_name(data)}"
        chosen, point = find_point(threshold, scorer, positive, score, where)
    warn_of_extreme(threshold, point)
    result = {
        "model": model,
        "data": data_name(data),
        "rows": len(score),
        "positives": int(positive.sum()),
        "skipped": skipped,
        "classes": scorer.classes.tolist(),
        **ranking,
        "threshold": describe_point(chosen, point),
        "warnings": [LEARNT] * are_training_rows(scorer, data, positive, score),
    }
    if plot is not None:
        draw(plot, scorer, positive, score, max_fpr, chosen)
        result["plot"] = plot
    if save:
        add_to_summary(model, {"threshold": result["threshold"]})
        result["saved"] = model
    print_result(result, json, show)


def draw(
    path: str,
    scorer: Scorer,
    positive: np.ndarray,
    score: np.ndarray,
    max_fpr: float | None,
    threshold: Threshold,
) -> None:
    """Write a picture: the ROC curve, the top and, if the model has probabilities, their calibration.

    The point on the ROC curve is the threshold.
    """
    from matplotlib.figure import Figure

    from ... import plot

    n_plots = 2 if scorer.calibration is None else 3
    figure = Figure(figsize=(4.6 * n_plots, 4.4), dpi=150, layout="constrained")
    axes = figure.subplots(1, n_plots)
    plot.roc(positive, score, axes[0], max_fpr=max_fpr, threshold=threshold.shown)
    plot.top(positive, score, axes[1])
    if scorer.calibration is not None:
        plot.calibration(positive, scorer.probability(score), axes[2])
    with atomic_write(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())  # type: ignore[arg-type]


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    from ...metrics.top import format_count

    yield describe_rows(result)
    for text in result["warnings"]:
        yield f"note: {text}"
    auc, interval = interval_cells(result)
    yield f"AUC {auc}, 95 % interval {interval}"
    partial, interval = interval_cells(result, "partial_auc")
    rate = f"{result['partial_auc']['max_fpr']:g}"
    yield f"partial AUC to {rate}: {partial}, 95 % interval {interval} (0.5 is chance)"
    chance = result["positives"] / result["rows"]
    yield f"average precision {result['average_precision']:.4f} ({chance:.4f} is chance)\n"
    rows = [
        [
            f"top {format_percent(row['fraction'])}",
            format_count(row["alerts"]),
            f"{row['threshold']:.6g}",
            rate_cell(row["recall"]),
            rate_cell(row["precision"]),
            f"{row['lift']['value']:.3g}",
        ]
        for row in result["top"]
    ]
    yield format_table(["alert on", "rows", "threshold", "recall", "precision", "lift"], rows)
    yield f"\n{show_point(result['threshold'])}"
    if "saved" in result:
        yield f"kept in {result['saved']}"
    if "plot" in result:
        yield f"wrote {result['plot']}"
