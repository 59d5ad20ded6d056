"""``aucmax predict``: a score for each row."""

import json as jsonlib
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from ...io.reading.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import Scorer, load_scorer
from ...validation.errors import DataError
from ..options import Data, Json, ModelIn, check_output
from ..progress import compile_notice
from ..rendering import pluralize
from ..scoring import ScoredRows

if TYPE_CHECKING:
    import numpy as np

EPILOG = """\b
Examples:
  aucmax predict model.auc new.csv -o scores.txt
  aucmax predict model.auc new.csv --probabilities -o scores.csv"""

HOW_TO_CALIBRATE = "train it with aucmax train, or with AUCClassifierCV or OnlineAUCClassifier in Python"

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
]
Labels = Annotated[bool, typer.Option("--labels", help="Write the predicted labels, not the scores.")]
Probabilities = Annotated[
    bool, typer.Option("--probabilities", help="Write the probability after each score, and a comma between.")
]


def run(
    model: ModelIn,
    data: Data,
    reading: ReadOptions,
    output: Output = "-",
    labels: Labels = False,
    probabilities: Probabilities = False,
    json: Json = False,
) -> None:
    """Write the score of each row, one per line; higher scores are more likely positive.

    Columns are found by name if the model has feature names. The file is read with the options of the
    training, where no others are given. With --json each line is an object with the score, the label and, if
    the model has it, the probability of the positive class.
    """
    check_output("--output", output, model, data)
    if labels and probabilities:
        raise typer.BadParameter("--labels and --probabilities exclude each other; --json writes both.")
    scorer = load_scorer(model)
    if probabilities and scorer.calibration is None:
        raise DataError(f"{scorer.estimator} has no probabilities", remedy=HOW_TO_CALIBRATE, file=model)
    write = _json_lines if json else _labels if labels else _probabilities if probabilities else _scores
    rows = ScoredRows(scorer, data, reading)
    with compile_notice(json), atomic_write(output) as file:
        for _, score in rows:
            file.write("".join(f"{line}\n" for line in write(scorer, score)).encode())
    if rows.skipped:  # the lines of the output no longer match those of the file
        verbs = "was skipped and has" if rows.skipped == 1 else "were skipped and have"
        text = f"{pluralize(rows.skipped, 'bad row')} of {data} {verbs} no line in the output."
        print("aucmax: warning:", text, file=sys.stderr)


def _scores(scorer: Scorer, score: "np.ndarray") -> Iterable[str]:
    return map(repr, score.tolist())


def _labels(scorer: Scorer, score: "np.ndarray") -> Iterable[str]:
    return map(str, scorer.classes[(score > 0).astype(int)].tolist())


def _probabilities(scorer: Scorer, score: "np.ndarray") -> Iterable[str]:
    pairs = zip(score.tolist(), scorer.probability(score).tolist(), strict=True)
    return (f"{value!r},{probability!r}" for value, probability in pairs)


def _json_lines(scorer: Scorer, score: "np.ndarray") -> Iterable[str]:
    columns = {"score": score.tolist(), "label": scorer.classes[(score > 0).astype(int)].tolist()}
    if scorer.calibration is not None:
        columns["probability"] = scorer.probability(score).tolist()
    for row in zip(*columns.values(), strict=True):
        yield jsonlib.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False)
