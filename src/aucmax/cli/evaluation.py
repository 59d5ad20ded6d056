"""The AUC of a model and of logistic regression: on test rows, or by cross-validation."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..io.columns.options import ReadOptions
from ..io.reading.reader import Chunk, Table
from ..io.storage.models import Scorer
from .baseline import linear_weights, logistic_regression
from .measures import MAX_FPR, compare_scores, fold_interval, fold_intervals, measure
from .scoring import linear_scores, score_labelled_rows
from .table_scaling import scale_numbers


def draw_test(second: np.ndarray, test_size: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers for training and test with equal shares of each class; ``second``: of the second class."""
    from sklearn.model_selection import StratifiedShuffleSplit

    splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
    train, test = next(splitter.split(second, second))
    return np.sort(train), np.sort(test)


def cross_validate(
    model: Any,
    X: Any,
    y: np.ndarray,
    folds: list,
    max_fpr: float = MAX_FPR,
    positive: Any = None,
    after_fit: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Mean and interval of each measure over the folds, and mean seconds of a fit.

    ``positive`` is the label that ranks high, by default the second. ``after_fit`` is called with the model
    fitted to each fold.
    """
    classes, counts = np.unique(y, return_counts=True)
    n = tuple(counts[::-1] if positive in (None, classes[1]) else counts)
    found, seconds = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in folds:
            start = time.perf_counter()
            model.fit(X[train], y[train])
            seconds.append(time.perf_counter() - start)
            found.append(measure(*ranked_high(model, X[test], y[test], positive), max_fpr))
            if after_fit is not None:
                after_fit(model)
    std = np.std([fold["auc"] for fold in found], ddof=1)
    return fold_intervals(found, n, max_fpr) | {"std": std, "seconds": np.mean(seconds)}


def ranked_high(model: Any, X: Any, y: Any, positive: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have the label that ranks high, and scores by which they do."""
    label = model.classes_[1] if positive is None else positive
    score = model.decision_function(X)
    return y == label, score if label == model.classes_[1] else -score


def evaluate_by_folds(
    model: Any, table: Table, y: np.ndarray, folds: Any, baseline: bool, max_fpr: float | None
) -> tuple[dict[str, Any], np.ndarray | None]:
    """AUC, and partial AUC if given, by cross-validation, and those of logistic regression with its weights.

    The AUC is that of the search for the penalty; for the partial AUC the settings chosen are fitted again.
    """
    import aucmax

    X, scaling = scale_numbers(table.X, table.encoding)
    splits = list(folds.split(X, y))
    kept = ("auc", "low", "high", "partial_auc")[: 3 if max_fpr is None else 4]
    if max_fpr is None:
        found = fold_interval(chosen_scores(model), int(np.unique(y, return_counts=True)[1].min()))
        found["auc"] = found["value"]
    else:
        settings = {"l2": model.l2_, "push": model.push_, "standardize": model.standardize_}
        found = cross_validate(aucmax.AUCClassifier(model.loss_, **settings), X, y, splits, max_fpr)
    result: dict[str, Any] = {name: found[name] for name in kept} | {
        "how": f"by {len(splits)}-fold cross-validation"
    }
    if not baseline:
        return result, None
    weights: list[np.ndarray] = []
    found = cross_validate(
        *(logistic_regression(X, y, max_fpr=max_fpr), X, y, splits, max_fpr or MAX_FPR),
        after_fit=lambda fitted: weights.append(linear_weights(fitted)),
    )
    result["logistic_regression"] = {name: found[name] for name in kept}
    return result, scaling.undo_weights(np.mean(weights, axis=0))


def chosen_scores(model: Any) -> np.ndarray:
    """The AUC, or partial AUC, of each fold at the penalty that was chosen."""
    return model.scores_[int(abs(model.l2s_ - model.l2_).argmin())]


def fit_baseline(table: Table, y: np.ndarray, max_fpr: float | None) -> np.ndarray:
    """The weights of logistic regression on the columns of a table."""
    X, scaling = scale_numbers(table.X, table.encoding)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = logistic_regression(X, y, max_fpr=max_fpr).fit(X, y)
    return scaling.undo_weights(linear_weights(fitted))


def evaluate_on_test(
    model: Any,
    test: str,
    reading: ReadOptions,
    positive: Any = None,
    baseline: np.ndarray | None = None,
    max_fpr: float | None = None,
) -> dict[str, Any]:
    """AUC on the rows of another file, beside that of other weights; the rows are read by chunks."""
    fitted = vars(model) | {"coef_": model.coef_, "intercept_": model.intercept_}  # computed when first read
    scorer = Scorer.from_attributes(fitted)
    if positive == scorer.classes[0]:
        scorer = scorer.reversed()
    if reading.encoding is not None:
        reading = reading.for_encoding(reading.encoding)
    other: list[np.ndarray] = []

    def score_baseline(chunk: Chunk) -> None:
        if baseline is not None:
            other.append(linear_scores(chunk.X, baseline))

    high, score, _ = score_labelled_rows(scorer, test, reading, score_baseline)
    result = compare_scores(high, score, np.concatenate(other) if other else None, max_fpr)
    return result | {"how": f"on the {len(score):,} rows of {test}"}
