"""``aucmax inspect``: what is in a model file."""

import math
from collections.abc import Iterator
from typing import Annotated, Any

from ...io.storage.models import Scorer, load_scorer
from ...report.decisions import format_thresholds
from ...report.effects import Effect, find_effects, find_spread, summarise_effects
from ..given import check_effect
from ..options import Json, ModelFile, check_output, text_option, whole_option
from ..outputs import open_output
from ..rendering import (
    describe_penalty,
    describe_rows,
    format_percent,
    format_table,
    interval_cells,
    measure_name,
    print_result,
    rate_cell,
)
from ..thresholds import stored_threshold

EPILOG = """\b
Examples:
  aucmax inspect model.auc --top 10
  aucmax inspect model.auc --csv weights.csv"""

# Entries of the summary that are arrays, or that other parts of the result show.
NOT_SHOWN = ("baseline", "means", "spread", "curve_spreads", "training_scores", "threshold", "decisions")
PRINTABLE = (bool, int, float, str, type(None))

Top = Annotated[int, whole_option(0, "How many of the largest effects to show.")]
Csv = Annotated[
    str | None,
    text_option("FILE", "Write all weights as CSV; - is standard output."),
]


def run(model: ModelFile, top: Top = 20, csv: Csv = None, json: Json = False) -> None:
    """Show how a model was trained, what its columns do, and thresholds for some goals.

    Columns are in the order of their effect, weight times spread: how far the score moves with a typical
    change of the column; where the file does not have the spread, in that of the weights. Intervals (95 %)
    are by the jackknife over the folds of the training. Alerts, recall and precision of thresholds are
    measured on rows held out in training.
    """
    if csv is not None:
        check_output("--csv", csv, model)
    if csv == "-":
        check_effect(("top", "json"), "with --csv -")
    scorer = load_scorer(model)
    effects, knows_spread = summarise_effects(scorer), find_spread(scorer) is not None
    if csv is not None:
        write_weights(csv, scorer, find_effects(scorer))
        if csv == "-":
            return
    result = {
        "model": model,
        "estimator": scorer.estimator,
        "library": scorer.library,
        "classes": scorer.classes.tolist(),
        "features": len(scorer.coef),
        "non_zero": int((scorer.coef != 0).sum()),
        "intercept": scorer.intercept,
        "probabilities": scorer.calibration is not None,
        "parameters": {
            key: value if isinstance(value, PRINTABLE) else repr(value)
            for key, value in scorer.parameters.items()
        },
        "training": {key: value for key, value in scorer.summary.items() if key not in NOT_SHOWN},
        "weights": [known_parts(effect, knows_spread) for effect in effects[:top]],
        "order": "effect" if knows_spread else "weight",
        "threshold": stored_threshold(scorer)._asdict() | {"value": stored_threshold(scorer).shown},
        "thresholds": scorer.summary.get("decisions", []),
    }
    print_result(result | ({} if csv is None else {"csv": csv}), json, show)


def known_parts(effect: Effect, knows_spread: bool) -> dict[str, Any]:
    """What is known of an effect: without the spread of its column, the weight alone."""
    return effect._asdict() | ({} if knows_spread or math.isnan(effect.weight) else {"effect": None})


def write_weights(path: str, scorer: Scorer, effects: list[Effect]) -> None:
    """Write all weights and the intercept, the largest effect first."""
    knows_spread = find_spread(scorer) is not None
    rows = [tuple(known_parts(effect, knows_spread).values()) for effect in effects]
    rows.append(("(intercept)", scorer.intercept, None, None, None, scorer.intercept))
    names = ("feature", "weight", "low", "high", "spread", "effect")
    with open_output(path, as_json=False) as file:
        file.write(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def show(result: dict[str, Any]) -> Iterator[str]:
    """The result as lines of text."""
    yield from show_training(result)
    yield f"{result['non_zero']:,} of {result['features']:,} weights are not 0; the largest:\n"
    rows = [
        [
            row["feature"],
            effect_cell(row),
            "-" if math.isnan(row["weight"]) else f"{row['weight']:+.6g}",
            "-" if row["low"] is None else f"{row['low']:+.3g} to {row['high']:+.3g}",
            "-" if row["spread"] is None else f"{row['spread']:.4g}",
        ]
        for row in result["weights"]
    ]
    rows.append(["(intercept)", "", f"{result['intercept']:+.6g}", "", ""])
    yield format_table(["feature", "effect", "weight", "95 % interval", "spread"], rows)
    if result["order"] == "weight":
        yield "\nin the order of the weights alone: the file does not have the spread of the columns"
    if result["thresholds"]:
        yield "\nthresholds, by the rows held out in training:\n"
        thresholds = format_thresholds([row["threshold"] for row in result["thresholds"]])
        rows = [
            [
                row["goal"],
                threshold,
                format_percent(round(row["fraction"], 4)),
                rate_cell(row["recall"]),
                rate_cell(row["precision"]),
            ]
            for row, threshold in zip(result["thresholds"], thresholds, strict=True)
        ]
        yield format_table(["goal", "score", "alerts", "recall", "precision"], rows)
    if "csv" in result:
        yield f"\nwrote {result['csv']}"


def effect_cell(row: dict[str, Any]) -> str:
    """An effect, without a sign for a curve; a dash where it is not known."""
    if row["effect"] is None:
        return "-"
    return f"±{row['effect']:.4g}" if math.isnan(row["weight"]) else f"{row['effect']:+.4g}"


def show_training(result: dict[str, Any]) -> Iterator[str]:
    """How the model was trained, as lines of text."""
    negative, positive = result["classes"]
    parameters = ", ".join(f"{key}={value}" for key, value in result["parameters"].items())
    yield f"{result['estimator']}({parameters})"
    yield f"written by aucmax {result['library']}; positive class {positive}, negative class {negative}"
    training = result["training"]
    if "rows" in training:
        yield f"trained on {describe_rows(training)}"
    if "auc" in training:
        measures = [measure for measure in ("auc", "partial_auc") if measure in training]
        values = [
            f"{measure_name(training, measure)} {interval_cells(training, measure)[0]}"
            for measure in measures
        ]
        yield f"{', '.join(values)} {training['how']}"
    if "l2" in training:
        yield describe_penalty(training)
    yield "it has probabilities" if result["probabilities"] else "it has no probabilities"
    threshold = result["threshold"]
    if threshold["goal"] is not None:
        yield f"threshold {threshold['value']:.6g} for {threshold['goal']}, {threshold['how']}"
