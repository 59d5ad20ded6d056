"""``aucmax predict``: a score for each row."""

import json as jsonlib
import sys
from typing import Annotated, Any

import typer

from ...io.reading.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import load_scorer
from ..options import Data, Json, ModelIn, check_output
from ..rendering import pluralize
from ..scoring import ScoredRows

EPILOG = "\b\nExample:\n  aucmax predict model.auc new.csv -o scores.txt"

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
]
Labels = Annotated[bool, typer.Option("--labels", help="Write the predicted labels, not the scores.")]


def run(
    model: ModelIn,
    data: Data,
    reading: ReadOptions,
    output: Output = "-",
    labels: Labels = False,
    json: Json = False,
) -> None:
    """Write the score of each row, one per line; higher scores are more likely positive.

    Columns are found by name if the model has feature names. The file is read with the options of the
    training, where no others are given. With --json each line is an object with the score and the label.
    """
    check_output("--output", output, model, data)
    scorer = load_scorer(model)
    names = scorer.classes.tolist()
    rows = ScoredRows(scorer, data, reading)
    with atomic_write(output) as file:
        for _, score in rows:
            file.write("".join(_lines(score.tolist(), names, labels, json)).encode())
    if rows.skipped:  # the lines of the output no longer match those of the file
        verbs = "was skipped and has" if rows.skipped == 1 else "were skipped and have"
        text = f"{pluralize(rows.skipped, 'bad row')} of {data} {verbs} no line in the output."
        print("aucmax: warning:", text, file=sys.stderr)


def _lines(scores: list[float], names: list[Any], labels: bool, json: bool) -> list[str]:
    if json:
        pairs = ({"score": score, "label": names[score > 0]} for score in scores)
        return [jsonlib.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs]
    return [f"{names[score > 0] if labels else repr(score)}\n" for score in scores]
