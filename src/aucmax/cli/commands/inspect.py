"""``aucmax inspect``: what is in a model file."""

from typing import Annotated, Any, TextIO

import typer

from ..options import Json, ModelIn
from ..rendering import describe_rows, interval_cells, measure_name, print_result, print_table

EPILOG = "\b\nExample:\n  aucmax inspect model.auc --top 10"

Top = Annotated[int, typer.Option(metavar="N", min=0, help="How many of the largest weights to show.")]


def run(model: ModelIn, top: Top = 20, json: Json = False) -> None:
    """Show how a model was trained, and its largest weights."""
    import numpy as np

    from ...io.storage.models import load_scorer

    scorer = load_scorer(model)
    first = 0 if scorer.summary.get("reading", {}).get("zero_based") else 1  # number of the first feature
    names = scorer.feature_names or [f"feature {k}" for k in range(first, first + len(scorer.coef))]
    largest = np.argsort(-abs(scorer.coef), kind="stable")[:top]
    simple = (bool, int, float, str, type(None))
    result = {
        "model": model,
        "estimator": scorer.estimator,
        "library": scorer.library,
        "classes": scorer.classes.tolist(),
        "features": len(scorer.coef),
        "non_zero": int(np.count_nonzero(scorer.coef)),
        "intercept": scorer.intercept,
        "probabilities": scorer.calibration is not None,
        "parameters": {
            key: value if isinstance(value, simple) else repr(value)
            for key, value in scorer.parameters.items()
        },
        "training": scorer.summary,
        "weights": [
            {"feature": names[k], "weight": float(scorer.coef[k])} for k in largest if scorer.coef[k]
        ],
    }
    print_result(result, json, show)


def show(result: dict[str, Any], stream: TextIO) -> None:
    """Print the result as text."""
    negative, positive = result["classes"]
    parameters = ", ".join(f"{key}={value}" for key, value in result["parameters"].items())
    print(f"{result['estimator']}({parameters})", file=stream)
    print(
        f"written by aucmax {result['library']}; positive class {positive}, negative class {negative}",
        file=stream,
    )
    training = result["training"]
    if "rows" in training:
        print(f"trained on {describe_rows(training)}", file=stream)
    if "auc" in training:
        kinds = [kind for kind in ("auc", "partial_auc") if kind in training]
        values = [f"{measure_name(training, kind)} {interval_cells(training, kind)[0]}" for kind in kinds]
        print(f"{', '.join(values)} {training['how']}", file=stream)
    if "l2" in training:
        push = f", push = {training['push']:g}" if "push" in training else ""
        print(f"loss {training['loss']}, l2 = {training['l2']:.3g}{push}", file=stream)
    print("it has probabilities" if result["probabilities"] else "it has no probabilities", file=stream)
    print(f"{result['non_zero']:,} of {result['features']:,} weights are not 0; the largest:\n", file=stream)
    rows = [[row["feature"], f"{row['weight']:+.6g}"] for row in result["weights"]]
    print_table(["feature", "weight"], rows, stream)
