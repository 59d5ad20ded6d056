"""The AUC of a model and of logistic regression: on test rows, or by cross-validation."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..io.columns.options import ReadOptions
from .baseline import linear_weights, logistic_regression
from .data import check_labels, labels, load
from .measures import MAX_FPR, describe_partial_auc, fold_interval, fold_intervals, measure
from .progress import working
from .scoring import errors_about_model, score_labelled_rows
from .table_scaling import Scaling


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
    """Mean and interval of each measure over the folds and mean seconds of a fit, or why a fit failed.

    ``positive`` is the label that ranks high, by default the second. ``after_fit`` is called with the model
    fitted to each fold.
    """
    classes, counts = np.unique(y, return_counts=True)
    n = tuple(counts[::-1] if positive in (None, classes[1]) else counts)
    found, seconds = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X[folds[0][0]], y[folds[0][0]])  # compiles before the time is measured
            for train, test in folds:
                start = time.perf_counter()
                model.fit(X[train], y[train])
                seconds.append(time.perf_counter() - start)
                found.append(measure(*ranked_high(model, X[test], y[test], positive), max_fpr))
                if after_fit is not None:
                    after_fit(model)
        except (ValueError, MemoryError) as error:
            return {"failed": str(error) or "does not fit in memory"}
    std = np.std([fold["auc"] for fold in found], ddof=1)
    return fold_intervals(found, n, max_fpr) | {"std": std, "seconds": np.mean(seconds)}


def ranked_high(model: Any, X: Any, y: np.ndarray, positive: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have the label that ranks high, and scores by which they do."""
    label = model.classes_[1] if positive is None else positive
    score = model.decision_function(X)
    return y == label, score if label == model.classes_[1] else -score


@working("evaluating")
def evaluate_by_folds(
    model: Any, table: Any, folds: Any, baseline: bool, max_fpr: float | None = None
) -> dict[str, Any]:
    """AUC, and partial AUC if given, on the folds of the search, and those of logistic regression."""
    from sklearn.model_selection import cross_validate

    scaling = Scaling.of(table)
    rows = scaling.apply(table)
    X, y = rows.X, table.y
    if max_fpr is not None:
        result = evaluate_top_by_folds(model, rows, folds, baseline, max_fpr)
    else:
        best = int(abs(model.l2s_ - model.l2_).argmin())
        n_rarer = int(np.unique(y, return_counts=True)[1].min())
        result = auc_by_folds(model.scores_[best], n_rarer)
        result["how"] = f"by {model.scores_.shape[1]}-fold cross-validation"
        if baseline:
            options = {"cv": folds, "scoring": "roc_auc", "error_score": "raise", "return_estimator": True}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = cross_validate(logistic_regression(X, y), X, y, **options)
            result["logistic_regression"] = auc_by_folds(found["test_score"], n_rarer)
            result["baseline"] = np.mean([linear_weights(each) for each in found["estimator"]], axis=0)
    if baseline:
        scaling.undo_weights(result["baseline"])
    return result


def auc_by_folds(scores: np.ndarray, n_rarer: int) -> dict[str, Any]:
    """Mean AUC of the folds and its interval."""
    found = fold_interval(scores, n_rarer)
    return {"auc": found["value"], "low": found["low"], "high": found["high"]}


def evaluate_top_by_folds(
    model: Any, table: Any, folds: Any, baseline: bool, max_fpr: float
) -> dict[str, Any]:
    """AUC and partial AUC of the settings chosen, fitted again to each fold, and of logistic regression."""
    import aucmax

    X, y = table.X, table.y
    splits = list(folds.split(X, y))
    settings = {"l2": model.l2_, "push": model.push_, "standardize": model.standardize_}
    models = {"": aucmax.AUCClassifier(model.loss_, **settings)}
    if baseline:
        models["logistic_regression"] = logistic_regression(X, y, max_fpr=max_fpr)
    result: dict[str, Any] = {"how": f"by {len(splits)}-fold cross-validation"}
    weights: list[np.ndarray] = []
    for name, each in models.items():
        keep = (lambda fitted: weights.append(linear_weights(fitted))) if name else None
        found = cross_validate(each, X, y, splits, max_fpr, after_fit=keep)
        kept = {key: found[key] for key in ("auc", "low", "high", "partial_auc")}
        result |= {name: kept} if name else kept
    return result | ({"baseline": sum(weights) / len(weights)} if weights else {})


def evaluate_on_test(
    model: Any,
    table: Any,
    test: str,
    options: ReadOptions,
    baseline: bool,
    max_fpr: float | None = None,
    positive: Any = None,
) -> dict[str, Any]:
    """AUC on the rows of another file, and partial AUC if given."""
    options = test_options(options, table.encoding, table.X.shape[1])
    with errors_about_model():
        unseen = load(test, options)
    y = labels(unseen, test)
    check_labels(y, test, model.classes_)
    check_labels(np.unique(y), test)
    result = evaluate_on_rows(model, table, unseen, baseline, max_fpr, positive)
    return result | {"how": f"on the {len(y):,} rows of {test}"}


@working("evaluating")
def evaluate_on_rows(
    model: Any, table: Any, unseen: Any, baseline: bool, max_fpr: float | None, positive: Any
) -> dict[str, Any]:
    """AUC on other rows than those of the training, with DeLong's interval and test of the difference."""
    from ..metrics import auc_difference

    high, score = ranked_high(model, unseen.X, unseen.y, positive)
    result = evaluate_scores(high, score, max_fpr)
    if baseline:
        weights = fit_baseline(table, max_fpr)
        other = unseen.X @ (weights if positive in (None, model.classes_[1]) else -weights)
        result["logistic_regression"] = evaluate_scores(high, other, max_fpr)
        result["baseline"] = weights
        result["difference"] = auc_difference(high, score, other)._asdict()
        if max_fpr is not None:
            partial = auc_difference(high, score, other, max_fpr=max_fpr, standardized=True)
            result["difference"]["partial_auc"] = partial._asdict()
    return result


def fit_baseline(table: Any, max_fpr: float | None) -> np.ndarray:
    """The weights of logistic regression on the columns of a table."""
    scaling = Scaling.of(table)
    rows = scaling.apply(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = logistic_regression(rows.X, table.y, max_fpr=max_fpr).fit(rows.X, table.y)
    weights = linear_weights(fitted)
    scaling.undo_weights(weights)
    return weights


def test_options(options: ReadOptions, encoding: Any, n_features: int) -> ReadOptions:
    """The options of the training, to read test rows alike."""
    if encoding is None:
        return options if options.n_features is not None else options._replace(n_features=n_features)
    return options.for_encoding(encoding)


def evaluate_scores(positive: np.ndarray, score: np.ndarray, max_fpr: float | None) -> dict[str, Any]:
    """AUC with its interval, and partial AUC where there is a largest false positive rate."""
    from ..metrics import auc_interval

    result: dict[str, Any] = auc_interval(positive, score)._asdict()
    if max_fpr is not None:
        result["partial_auc"] = describe_partial_auc(positive, score, max_fpr)
    return result


def evaluate_on_stream(model: Any, test: str, options: ReadOptions) -> dict[str, Any]:
    """AUC on test rows that are read by chunks; only their scores are kept in memory."""
    from ..io.storage.models import Scorer
    from ..metrics import auc_interval

    fitted = vars(model) | {"coef_": model.coef_, "intercept_": model.intercept_}  # computed when first read
    if options.encoding is not None:
        options = options.for_encoding(options.encoding)
    positive, score, _ = score_labelled_rows(Scorer.from_attributes(fitted), test, options)
    return auc_interval(positive, score)._asdict() | {"how": f"on the {len(score):,} rows of {test}"}
