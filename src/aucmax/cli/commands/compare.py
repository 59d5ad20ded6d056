"""``aucmax compare``: several methods on the same folds, beside logistic regression."""

import itertools
import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer

from ...io.columns.options import ReadOptions
from ...validation.errors import DataError
from ..baseline import logistic_regression, stratified_folds, with_scaler
from ..data import check_two_rows_per_class, data_name, file_name, labels, load, positive_index, swap_classes
from ..evaluation import MAX_FPR, TOP, cross_validate
from ..memory import check_memory
from ..options import Data, Json, Positive, Seed, share_option
from ..progress import Step, compile_notice
from ..rendering import describe_rows, format_percent, format_table, print_result
from ..table_scaling import scale_numbers

EPILOG = """\b
Examples:
  aucmax compare patients.csv --label ill
  aucmax compare payments.csv --label kind --positive fraud --max-fpr 0.01
  aucmax compare patients.csv --label ill --papers"""


SHOWN = [("average_precision", "avg. prec."), ("top_recall", f"top {format_percent(TOP)}")]
FOR_THE_TOP = "AUCClassifierCV top"

MaxFpr = Annotated[float, share_option("X", "Largest false positive rate of the partial AUC.", up_to_1=True)]
Papers = Annotated[bool, typer.Option("--papers", help="Show the papers' methods too.")]


def run(
    data: Data,
    reading: ReadOptions,
    positive: Positive = None,
    max_fpr: MaxFpr = MAX_FPR,
    papers: Papers = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cross-validate the estimators with default parameters, beside logistic regression.

    Prints AUC, partial AUC up to a false positive rate, average precision and recall in the top 1 % of the
    rows, each with its 95 % interval over the folds, and the seconds of a fit.
    """
    check_memory(data, "give fewer rows")
    table = load(data, reading.for_training())
    X, _ = scale_numbers(table.X, table.encoding)
    y = check_two_rows_per_class(labels(table, data), data, reading)
    folds = list(stratified_folds(y, seed).split(np.zeros((len(y), 1)), y))
    classes = np.unique(y)
    high = positive_index(positive, classes, data)
    result = {
        "data": file_name(data),
        "rows": len(y),
        "features": X.shape[1],
        "positives": int(np.sum(y == classes[-1])),
        "skipped": table.skipped,
        "classes": classes.tolist(),
        "folds": len(folds),
        "max_fpr": max_fpr,
        "methods": [],
    }
    if high == 0:
        result |= swap_classes(result)
    with compile_notice(json):
        for name, model in make_models(X, y, seed, max_fpr, papers).items():
            found = evaluate_method(name, model, X, y, folds, max_fpr, classes[high])
            result["methods"].append({"method": name, **found})
    result["methods"].sort(key=lambda row: -row.get("auc", -1.0))
    print_result(result, json, show)
    if not any("auc" in row for row in result["methods"]):
        raise DataError(f"no method could be fitted to {data_name(data)}.")


def evaluate_method(
    name: str, model: Any, X: Any, y: Any, folds: list, max_fpr: float, positive: Any
) -> dict[str, Any]:
    """Cross-validate a method, and show how far it is; or say why a fit failed."""
    done = itertools.count(1)
    with Step(name) as step, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X[folds[0][0]], y[folds[0][0]])  # compiles before the time is measured
            return cross_validate(
                *(model, X, y, folds, max_fpr, positive),
                after_fit=lambda _: step.update(f"fold {next(done)} of {len(folds)}"),
            )
        except (ValueError, MemoryError) as error:
            return {"failed": str(error) or "does not fit in memory"}


def make_models(X: Any, y: Any, seed: int, max_fpr: float, papers: bool) -> dict[str, Any]:
    """Logistic regression, plain and balanced, with the best C, and the estimators with default parameters.

    The papers' methods are there if asked for: each takes a second or two to compile, and for most users they
    are no choice. `AUCClassifierCV` is there twice: choosing by AUC, and by partial AUC.
    Features are scaled, except for the batch estimators, whose penalty is in the units of the columns.
    """
    import aucmax

    models = {
        "logistic regression": logistic_regression(X, y),
        "logistic, balanced": logistic_regression(X, y, class_weight="balanced"),
    }
    for name in aucmax.__all__:
        public = getattr(aucmax, name)
        is_paper_method = public.__module__.startswith("aucmax.stochastic.")
        if not hasattr(public, "decision_function") or (is_paper_method and not papers):
            continue
        model = public()
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        models[name] = model if isinstance(model, aucmax.AUCClassifier) else with_scaler(model, X)
    models[FOR_THE_TOP] = aucmax.AUCClassifierCV(max_fpr=max_fpr)
    return models


def show(result: dict[str, Any]) -> Iterator[str]:
    """Print the result as text, at most 80 columns wide."""
    yield describe_rows(result)
    shown = [("auc", "AUC"), ("partial_auc", f"AUC to {result['max_fpr']:g}"), *SHOWN]
    rows = [
        [row["method"], *(cell(row, name) for name, _ in shown), f"{row['seconds']:.3g}"]
        for row in result["methods"]
        if "auc" in row
    ]
    yield format_table(["", *(head for _, head in shown), "seconds"], rows)
    for row in result["methods"]:
        if "failed" in row:
            yield f"{row['method']} failed: {row['failed']}"
    rate = f"{result['max_fpr']:g}"
    yield f"mean over {result['folds']} folds ± half of the 95 % interval; default parameters,"
    yield "features scaled where the method does not; logistic regression: best C, untimed"
    yield f"AUC to {rate}: only false positive rates up to {rate}; 0.5 is chance"
    yield f"{FOR_THE_TOP}: chosen by AUC to {rate}"
    yield f"avg. prec.: average precision; top {format_percent(TOP)}: recall among these rows"


def cell(row: dict[str, Any], name: str) -> str:
    """A mean and half of its interval, of which one end may have met 0 or 1."""
    found = row | {"value": row["auc"]} if name == "auc" else row[name]
    half = max(found["value"] - found["low"], found["high"] - found["value"])
    return f"{short(found['value'], 4)} ±{short(half, 3)}"


def short(value: float, digits: int) -> str:
    """A number up to 1 in a width of ``digits + 1``: ``.9876``, ``1.000``."""
    return f"{value:.{digits}f}".lstrip("0")[: digits + 1]
