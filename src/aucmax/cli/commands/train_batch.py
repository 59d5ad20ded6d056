"""Training on rows that are all in memory."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import load, positive_index, two_classes
from ..evaluation import evaluate_by_folds, evaluate_on_test, stratified_folds
from ..options import Reading
from ..timing import Timer

if TYPE_CHECKING:
    import numpy as np

    from ...io.reading.options import Table


def train(
    data: str,
    reading: Reading,
    loss: str,
    l2: float | None,
    seed: int,
    test: str | None,
    baseline: bool,
    positive: str | None,
) -> tuple[Any, dict[str, Any]]:
    """Read all rows, choose the penalty by cross-validation, fit; the model and what is to be told of it.

    Columns are divided by their standard deviations, in place, so that one penalty suits all.
    """
    import numpy as np
    from sklearn.preprocessing import StandardScaler

    import aucmax

    timer = Timer()
    table = load(data, reading)
    reading = reading._replace(zero_based=table.zero_based, means=column_means(table))
    y = two_classes(table, data)
    positive_index(positive, np.unique(y), data)  # better to know before the work than after it
    timer.record("reading")
    folds, scaler = stratified_folds(y, seed), StandardScaler(copy=False, with_mean=False)
    scaled = table._replace(X=scaler.fit_transform(table.X))
    model = aucmax.AUCClassifierCV(loss, l2s=13 if l2 is None else [l2], cv=folds).fit(scaled.X, y)
    timer.record("fitting")
    result = {
        "estimator": type(model).__name__,
        "data": Path(data).name,
        "rows": len(y),
        "features": table.X.shape[1],
        "positives": int(np.sum(y == model.classes_[1])),
        "skipped": table.skipped,
        "classes": model.classes_.tolist(),
        "loss": loss,
        "l2": model.l2_,
        "seed": seed,
    }
    if test is None:
        result |= evaluate_by_folds(model, scaled, folds, baseline)
    else:
        result |= evaluate_on_test(model, scaled, scaler, test, reading, baseline)
    timer.record("judging")
    model.coef_ = model.coef_ / scaler.scale_  # the weights of the columns as they come
    model.set_params(cv=folds.n_splits)  # the splitter is no part of the model
    if table.feature_names is not None:
        model.feature_names_in_ = np.array(table.feature_names, dtype=object)
    return model, result | {"reading": reading._asdict(), "seconds": timer.seconds}


def column_means(table: "Table") -> "np.ndarray | None":
    """What stands for missing values in data that follow; LIBSVM text, which is zero there, has none."""
    import numpy as np

    if table.zero_based is not None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return np.nan_to_num(table.X.mean(axis=0))
