"""``aucmax predict``: a score for each row."""

import json as jsonlib
import sys
from typing import Annotated, Any

import typer

from .. import rendering
from ..options import (
    Categorical,
    Data,
    Debug,
    Json,
    Label,
    Missing,
    ModelIn,
    NFeatures,
    OnBadRows,
    check_output,
    read_options,
)
from ..scoring import ScoredRows

EPILOG = "\b\nExample:\n  aucmax predict model.auc new.csv -o scores.txt"

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
]
Labels = Annotated[bool, typer.Option("--labels", help="Write the predicted labels, not the scores.")]


def run(
    model: ModelIn,
    data: Data,
    output: Output = "-",
    labels: Labels = False,
    label: Label = None,
    n_features: NFeatures = None,
    categorical: Categorical = None,
    missing: Missing = None,
    on_bad_rows: OnBadRows = "error",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the score of each row, one a line: the higher, the likelier positive.

    Columns are found by name where the model knows names; the file is read as the training data were, unless
    options say otherwise. With --json each line is an object with the score and the label.
    """
    from ...io.storage.atomic import atomic_write
    from ...io.storage.models import load_scorer

    check_output("--output", output, model, data)
    scorer = load_scorer(model)
    options = read_options(label, n_features, categorical, missing, on_bad_rows)
    names = scorer.classes.tolist()
    rows = ScoredRows(scorer, data, options)
    with atomic_write(output) as file:
        for _, score in rows:
            file.write("".join(_lines(score.tolist(), names, labels, json)).encode())
    if rows.skipped:  # or who puts rows and scores side by side would be misled
        happened = "was skipped and has" if rows.skipped == 1 else "were skipped and have"
        said = f"{rendering.pluralize(rows.skipped, 'bad row')} of {data} {happened} no line."
        print("aucmax: warning:", said, file=sys.stderr)


def _lines(scores: list[float], names: list[Any], labels: bool, json: bool) -> list[str]:
    if json:
        pairs = ({"score": score, "label": names[score > 0]} for score in scores)
        return [jsonlib.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs]
    return [f"{names[score > 0] if labels else repr(score)}\n" for score in scores]
