"""``aucmax compare``: every method on the same folds, beside logistic regression."""

from pathlib import Path
from typing import Any, TextIO

from ...io.reading.options import ReadOptions
from ...validation.errors import DataError
from ..data import load, positive_index, swap_classes, two_classes
from ..evaluation import cross_validate, logistic_regression, stratified_folds, with_scaler
from ..options import Data, Json, Positive, Seed
from ..progress import spinner
from ..rendering import describe_rows, print_result, print_table

EPILOG = """\b
Examples:
  aucmax compare patients.csv --label ill
  aucmax compare payments.csv --label kind --positive fraud"""


def run(
    data: Data,
    reading: ReadOptions,
    positive: Positive = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cross-validate every method with default parameters, and print its AUC and its time to fit."""
    import numpy as np

    table = load(data, reading)
    y = two_classes(table, data)
    folds = list(stratified_folds(y, seed).split(np.zeros((len(y), 1)), y))
    classes = np.unique(y)
    result = {
        "data": Path(data).name,
        "rows": len(y),
        "features": table.X.shape[1],
        "positives": int(np.sum(y == classes[-1])),
        "skipped": table.skipped,
        "classes": classes.tolist(),
        "folds": len(folds),
        "methods": [],
    }
    if positive_index(positive, classes, data) == 0:  # AUC is the same for either class
        result |= swap_classes(result)
    for name, model in make_models(table.X, seed).items():
        with spinner(f"{name} ..."):
            result["methods"].append({"method": name, **cross_validate(model, table.X, y, folds)})
    result["methods"].sort(key=lambda row: -row.get("auc", -1.0))
    print_result(result, json, show)
    if not any("auc" in row for row in result["methods"]):
        raise DataError(f"no method could be fitted to {data}.")


def make_models(X: Any, seed: int) -> dict[str, Any]:
    """Logistic regression and every public estimator, with default parameters and scaled features."""
    import aucmax

    models = {"logistic regression": logistic_regression(X)}
    for name in aucmax.__all__:
        public = getattr(aucmax, name)
        if not hasattr(public, "decision_function"):
            continue
        model = public()
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        models[name] = with_scaler(model, X)
    return models


def show(result: dict[str, Any], stream: TextIO) -> None:
    """Print the result as text."""
    print(describe_rows(result), file=stream)
    rows = [
        [row["method"], f"{row['auc']:.4f} ± {row['std']:.4f}", f"{row['seconds']:.3f}"]
        for row in result["methods"]
        if "auc" in row
    ]
    print_table(["", "AUC", "seconds"], rows, stream)
    for row in result["methods"]:
        if "failed" in row:
            print(f"{row['method']} failed: {row['failed']}", file=stream)
    folds = f"mean ± standard deviation over {result['folds']} folds"
    print(f"{folds}; scaled features, default parameters", file=stream)
