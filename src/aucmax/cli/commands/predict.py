"""``aucmax predict``: score, probability and label of each row."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ...io.columns.options import ReadOptions
from ...io.storage.models import Scorer, load_scorer
from ...validation.errors import DataError
from ..data import data_name
from ..messages import print_warning
from ..options import Data, Json, ModelFile, check_output, output_option
from ..outputs import Columns, open_output
from ..progress import announce, compile_notice, set_quiet
from ..rendering import pluralize
from ..scoring import ScoredRows
from ..thresholds import (
    Goal,
    Threshold,
    ThresholdOption,
    choose_threshold,
    stored_threshold,
    threshold_for_alerts,
)

OUTPUT = ("score", "probability", "label")

EPILOG = """\b
Examples:
  aucmax predict model.auc new.csv --id customer -o scores.csv
  aucmax predict model.auc new.csv --threshold recall=0.9 -o scores.parquet
  tail -f events.csv | aucmax predict model.auc - | grep ',fraud$'"""

Output = Annotated[
    str, output_option("FILE", "CSV, or Parquet if it ends in .parquet; - is standard output.")
]


def run(
    model: ModelFile,
    data: Data,
    reading: ReadOptions,
    output: Output = "-",
    threshold: ThresholdOption = None,
    json: Json = False,
) -> None:
    """Write a table of scores: higher ones are more likely positive.

    Its columns are the ID, if --id names its column here or did in training or one was found there, the
    score, the probability of the positive class if the model has probabilities, and the label: the positive
    one from the threshold on. Without --threshold that is the one kept in the model file, or else where both
    classes are equally likely. Goals other than alerts, which are the highest scores of this file, are judged
    by rows held out in training.

    Columns are found by name if the model has feature names; labels are not read, whatever they are. The file
    is read with the options of the training, where no others are given, and scored as it comes. With --json
    each row is an object.
    """
    check_output("--output", output, model, data)
    if json and Path(output).suffix.lower() == ".parquet":
        raise typer.BadParameter("--json does not go with a Parquet file; give another --output.")
    if output == "-" and sys.stdout.isatty():
        set_quiet(True)  # a bar would stand among the rows
    scorer = load_scorer(model)
    rows = ScoredRows(scorer, data, reading, labels=False)
    with compile_notice(json):
        chosen, parts = choose(threshold, scorer, model, ((chunk.ids, score) for chunk, score in rows))
        with open_output(output, json) as file:
            for ids, score in parts:
                file.write(name_rows(rows.id_column, ids) | table_of(scorer, score, chosen))
    trained_id = scorer.summary.get("reading", {}).get("id")
    if rows.id_column is not None and reading.id is None and trained_id is None:
        announce(f"rows are named by {rows.id_column!r}, an identifier found in training; --id names another")
    if rows.skipped:  # the lines of the output no longer match those of the file
        verbs = "was skipped and has" if rows.skipped == 1 else "were skipped and have"
        print_warning(
            f"{pluralize(rows.skipped, 'bad row')} of {data_name(data)} {verbs} no line in the output."
        )


def choose(
    goal: Goal | None, scorer: Scorer, model: str, parts: Iterator[tuple[Any, np.ndarray]]
) -> tuple[Threshold, Iterator[tuple[Any, np.ndarray]]]:
    """The threshold, and IDs and scores, which are all read first where they decide."""
    if goal is None:
        return stored_threshold(scorer), parts
    if goal.name != "alerts":
        return choose_threshold(goal, scorer, model), parts
    known = list(parts)
    return threshold_for_alerts(goal, [score for _, score in known]), iter(known)


def name_rows(column: str | None, ids: Any) -> Columns:
    """The column of the IDs, if there is one."""
    if column is None or ids is None:
        return {}
    if column in OUTPUT:
        raise DataError(f"the column of IDs is called {column!r}, as one of the output", remedy="rename it")
    return {column: ids.to_pylist()}


def table_of(scorer: Scorer, score: np.ndarray, threshold: Threshold) -> Columns:
    """The columns of the output for some rows."""
    columns: Columns = {"score": score}
    if scorer.calibration is not None:
        columns["probability"] = scorer.probability(score)
    return columns | {"label": scorer.classes[(score >= threshold.value).astype(int)].tolist()}
