"""How well a model ranks rows: over folds, on test rows, and by scores alone."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..io.columns.options import ReadOptions
from ..io.reading.reader import Chunk, Table
from ..io.storage.models import Scorer
from .baseline import linear_weights, logistic_regression
from .scoring import linear_scores, score_labelled_rows
from .table_scaling import scale_numbers

FRACTIONS = (0.01, 0.05, 0.1)  # of the rows, those with the highest scores
MAX_FPR = 0.05
TOP = FRACTIONS[0]


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

    ``positive`` is the positive label, by default the second. ``after_fit`` is called with each fitted model.
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
            found.append(measure(*positives_and_scores(model, X[test], y[test], positive), max_fpr))
            if after_fit is not None:
                after_fit(model)
    std = np.std([fold["auc"] for fold in found], ddof=1)
    return fold_intervals(found, n, max_fpr) | {"std": std, "seconds": np.mean(seconds)}


def positives_and_scores(model: Any, X: Any, y: Any, positive: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have the positive label, by default the second, and scores by which they rank high."""
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
    result: dict[str, Any] = {name: found[name] for name in kept}
    result["how"] = f"by {len(splits)}-fold cross-validation"
    if not baseline:
        return result, None
    weights: list[np.ndarray] = []

    def keep_weights(fitted: Any) -> None:
        weights.append(linear_weights(fitted))

    logistic = logistic_regression(X, y, max_fpr=max_fpr)
    found = cross_validate(logistic, X, y, splits, max_fpr or MAX_FPR, after_fit=keep_weights)
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


def evaluate_on_rows(
    model: Any, table: Any, positive: Any, baseline: np.ndarray | None, max_fpr: float | None
) -> dict[str, Any]:
    """AUC on rows that were kept for the test, beside that of the weights of logistic regression if given."""
    is_positive, score = positives_and_scores(model, table.X, table.y, positive)
    other = None if baseline is None else table.X @ baseline
    result = compare_scores(is_positive, score, other, max_fpr)
    return result | {"how": f"on {len(score):,} rows kept for the test"}


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
    scorer = Scorer.from_attributes(fitted, {"summary": {"reading": {"label": reading.label}}})
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


def describe_ranking(positive: np.ndarray, score: np.ndarray, max_fpr: float) -> dict[str, Any]:
    """AUC and partial AUC with intervals, average precision, and rates among the highest scores."""
    from ..metrics import average_precision, top

    return {
        **describe_auc(positive, score, max_fpr),
        "average_precision": average_precision(positive, score),
        "top": [
            {
                name: value._asdict() if hasattr(value, "_asdict") else value
                for name, value in row._asdict().items()
            }
            for row in top(positive, score, FRACTIONS)
        ],
    }


def compare_scores(
    positive: np.ndarray, score: np.ndarray, other: np.ndarray | None, max_fpr: float | None
) -> dict[str, Any]:
    """AUC, and partial AUC if given; those of logistic regression if its scores are given; the difference."""
    from ..metrics import auc_difference

    result = describe_auc(positive, score, max_fpr)
    if other is None:
        return result
    difference = auc_difference(positive, score, other)._asdict()
    if max_fpr is not None:
        partial = auc_difference(positive, score, other, max_fpr=max_fpr, standardized=True)
        difference["partial_auc"] = partial._asdict()
    return result | {"logistic_regression": describe_auc(positive, other, max_fpr), "difference": difference}


def describe_auc(positive: np.ndarray, score: np.ndarray, max_fpr: float | None) -> dict[str, Any]:
    """AUC with its interval and, where there is a largest rate, the standardized partial AUC with its own."""
    from ..metrics import auc_interval, partial_auc_interval

    result: dict[str, Any] = auc_interval(positive, score)._asdict()
    if max_fpr is not None:
        found = partial_auc_interval(positive, score, max_fpr, standardized=True)
        partial = {"max_fpr": max_fpr, "value": found.auc, "low": found.low, "high": found.high}
        result["partial_auc"] = partial
    return result


def measure(positive: np.ndarray, score: np.ndarray, max_fpr: float) -> dict[str, float]:
    """The measures that `compare` shows, of one fold; each is between 0 and 1, not yet standardized."""
    from ..metrics import auc, average_precision, partial_auc, top

    return {
        "auc": auc(positive, score),
        "partial_auc": partial_auc(positive, score, max_fpr) / max_fpr,
        "average_precision": average_precision(positive, score),
        "top_recall": top(positive, score, TOP)[0].recall.value,
    }


def fold_intervals(found: list[dict[str, float]], n: tuple[int, int], max_fpr: float) -> dict[str, Any]:
    """Mean and interval of each measure over the folds of a sample with ``n`` positive and negative rows."""
    from ..metrics.partial import Region

    up_to_rate = max(1, min(n[0], int(n[1] * max_fpr)))  # independent pairs with negative rows up to the rate
    pairs = dict.fromkeys(found[0], min(n)) | {"partial_auc": up_to_rate}
    intervals = {
        name: fold_interval(np.array([fold[name] for fold in found]), pairs[name]) for name in found[0]
    }
    auc = intervals.pop("auc")
    region, part = Region(max_fpr, 0.0), intervals["partial_auc"]
    intervals["partial_auc"] = {end: region.standardize(max_fpr * part[end]) for end in part}
    intervals["partial_auc"]["max_fpr"] = max_fpr
    intervals["top_recall"]["fraction"] = TOP
    return {"auc": auc["value"], "low": auc["low"], "high": auc["high"], **intervals}


def fold_interval(scores: np.ndarray, pairs: int) -> dict[str, float]:
    """Mean of the folds with the 95 % interval of Student's t.

    If all folds have the same value, most often 1, the standard deviation is 0. Then the interval is the one
    of ``auc_interval`` for so many independent pairs: the rows of the rarer class.
    """
    from scipy import stats

    from ..metrics.delong import chernoff_interval

    mean, n_folds = float(np.mean(scores)), len(scores)
    if np.ptp(scores) == 0.0:
        low, high = chernoff_interval(mean, pairs, 0.025)
        return {"value": mean, "low": low, "high": high}
    half = float(stats.t.isf(0.025, n_folds - 1) * np.std(scores, ddof=1) / np.sqrt(n_folds))
    return {"value": mean, "low": max(mean - half, 0.0), "high": min(mean + half, 1.0)}
