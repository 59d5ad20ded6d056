"""``aucmax compare``: every method on the same folds, beside logistic regression."""

import time
import warnings
from pathlib import Path
from typing import Any, TextIO

from ...validation.errors import DataError
from .. import rendering
from ..data import load, positive_index, swap_classes, two_classes
from ..evaluation import logistic_regression
from ..options import Bad, BadRows, Data, Debug, Gaps, Json, Label, Positive, Reading, Seed, Width, Words
from ..progress import spinner
from .train_batch import stratified

EPILOG = """\b
Examples:
  aucmax compare patients.csv --label ill
  aucmax compare payments.csv --label kind --positive fraud"""


def run(
    data: Data,
    label: Label = None,
    positive: Positive = None,
    n_features: Width = None,
    categorical: Words = None,
    missing: Gaps = None,
    on_bad_rows: Bad = BadRows.error,
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Cross-validate all methods, with their defaults and scaled features; print AUC and seconds of a fit."""
    import numpy as np

    table = load(data, Reading.of(label, n_features, categorical, missing, on_bad_rows))
    y = two_classes(table, data)
    folds = list(stratified(y, seed).split(np.zeros((len(y), 1)), y))
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
    for name, method in methods(table.X, seed).items():
        with spinner(f"{name} ..."):
            result["methods"].append({"method": name, **measured(method, table.X, y, folds)})
    result["methods"].sort(key=lambda row: -row.get("auc", -1.0))
    rendering.emit(result, json, show, None)
    if not any("auc" in row for row in result["methods"]):
        raise DataError(f"no method could be fitted to {data}.")


def methods(X: Any, seed: int) -> dict[str, Any]:
    """Every public estimator that suits the shape of the data, each behind the same scaler."""
    from scipy import sparse
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import aucmax

    found = {"logistic regression": logistic_regression(X)}
    for name in aucmax.__all__:
        public = getattr(aucmax, name)
        if not hasattr(public, "decision_function"):
            continue
        method = public()
        if "random_state" in method.get_params():
            method.set_params(random_state=seed)
        found[name] = make_pipeline(StandardScaler(with_mean=not sparse.issparse(X)), method)
    return found


def measured(method: Any, X: Any, y: Any, folds: list) -> dict[str, Any]:
    """Mean and standard deviation of the folds' AUC and the mean seconds of a fit, or why there are none."""
    import numpy as np

    from ...metrics import auc

    scores, seconds = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            method.fit(X[folds[0][0]], y[folds[0][0]])  # compiles what is not compiled yet, off the clock
            for train, test in folds:
                start = time.perf_counter()
                method.fit(X[train], y[train])
                seconds.append(time.perf_counter() - start)
                scores.append(auc(y[test], method.decision_function(X[test])))
        except (ValueError, MemoryError) as error:
            return {"failed": str(error) or "does not fit in memory"}
    return {"auc": np.mean(scores), "std": np.std(scores, ddof=1), "seconds": np.mean(seconds)}


def show(result: dict[str, Any], stream: TextIO) -> None:
    """The result for people."""
    print(rendering.described(result), file=stream)
    done = [row for row in result["methods"] if "auc" in row]
    lines = [[row["method"], f"{row['auc']:.4f} ± {row['std']:.4f}", f"{row['seconds']:.3f}"] for row in done]
    rendering.table(["", "AUC", "seconds"], lines, stream)
    for row in result["methods"]:
        if "failed" in row:
            print(f"{row['method']} failed: {row['failed']}", file=stream)
    print(
        f"mean ± standard deviation over {result['folds']} folds; scaled features, default parameters",
        file=stream,
    )
