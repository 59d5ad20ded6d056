"""How a method is tuned and evaluated: cross-validation on the training rows, then AUC on held-out rows."""

import itertools
import time
import warnings
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    train_test_split,
)

from ..batch.classifier import AUCClassifier
from ..batch.cv import AUCClassifierCV
from ..batch.defaults import within_class_variance
from ..batch.products import Products
from ..batch.scaling import Columns
from ..kernels.rows import as_rows
from ..metrics import auc
from .methods import WIDE, Method

INNER_FOLDS = 5
FEWER_SPLITS = 5  # for data sets and methods that take long
SLOW_TUNING_ROWS = 2_000  # largest number of rows used to tune a slow method
SCREENING_KEEPS_ONE_IN = 3  # parameters of a grid

Split = tuple[np.ndarray, np.ndarray]  # training and test rows


class Protocol(NamedTuple):
    """Stratified k-fold, ``repeats`` times; where ``folds`` is 0, ``repeats`` random splits of 80 % and 20 %.

    Parameters are tuned for every split if it has at most ``tune_each_split_up_to`` training rows; otherwise
    for the first split only.
    """

    repeats: int
    folds: int
    tune_each_split_up_to: int = 4000

    def n_splits(self, fewer: bool = False) -> int:
        """The number of splits, or ``FEWER_SPLITS``."""
        return FEWER_SPLITS if fewer else self.repeats * max(self.folds, 1)

    def splits(self, y: np.ndarray, seed: int, fewer: bool = False) -> list[Split]:
        """Training and test rows of each split."""
        splitter = (
            RepeatedStratifiedKFold(n_splits=self.folds, n_repeats=self.repeats, random_state=seed)
            if self.folds
            else StratifiedShuffleSplit(self.repeats, test_size=0.2, random_state=seed)
        )
        return list(itertools.islice(splitter.split(np.zeros((len(y), 1)), y), self.n_splits(fewer)))


class Evaluation(NamedTuple):
    """A method's result on one split."""

    split: int
    params: dict[str, Any]
    auc: float
    seconds: float
    tuning_seconds: float


def evaluate_splits(
    method: Method,
    X: Any,
    y: np.ndarray,
    splits: list[Split],
    finished: dict[int, dict[str, Any]],
    seed: int,
    tune_each_split_up_to: int = 0,
    wanted: Collection[int] = (),
) -> Iterator[Evaluation]:
    """Tune and evaluate a method on every ``wanted`` split, or every split, that is not ``finished``.

    ``finished`` maps splits to their parameters. For more than ``tune_each_split_up_to`` training rows,
    parameters are tuned on the first split and used for all.
    """
    first = finished.get(0)
    for number, (train, test) in enumerate(splits):
        if number in finished or (wanted and number not in wanted):
            continue
        X_train, y_train = X[train], y[train]
        began = time.perf_counter()
        if len(y_train) <= tune_each_split_up_to:
            params = tune(method, X_train, y_train, seed)
        else:
            rows = splits[0][0]
            params = first = first if first is not None else tune(method, X[rows], y[rows], seed)
        tuned = time.perf_counter()
        model = fit_quietly(method.make(X.shape[1]).set_params(**params), X_train, y_train)
        fitted = time.perf_counter()
        yield Evaluation(number, params, _test_auc(model, X[test], y[test]), fitted - tuned, tuned - began)


def tune(method: Method, X: Any, y: np.ndarray, seed: int) -> dict[str, Any]:
    """The parameters of the grid with the best mean AUC over inner folds."""
    if method.grid == {}:
        return {}
    n_features = X.shape[1]
    few_rows = method.is_slow(n_features)
    max_rows = SLOW_TUNING_ROWS if few_rows else method.max_tuning_values * len(y) // X.size
    kept = sample_rows(y, max_rows, seed)
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    model = method.make(n_features)
    if method.grid is None:
        return {"l2": best_l2(model, X[kept], y[kept], folds)}
    return _search(model, _screen(method, X[kept], y[kept], folds), X[kept], y[kept], folds).best_params_


def _screen(method: Method, X: Any, y: np.ndarray, folds: StratifiedKFold) -> Any:
    """The grid, or the part of it that is best on one fold with the parameters of a screening."""
    n_features = X.shape[1]
    if not method.screening or n_features < WIDE or len(y) <= SLOW_TUNING_ROWS:
        return method.grid
    model = method.make(n_features).set_params(**method.screening)
    found = _search(model, method.grid, X, y, [next(folds.split(X, y))]).cv_results_
    best = np.argsort(-found["mean_test_score"], kind="stable")[
        : -(-len(found["params"]) // SCREENING_KEEPS_ONE_IN)
    ]
    return [{name: [value] for name, value in found["params"][k].items()} for k in sorted(best)]


def _search(model: Any, grid: Any, X: Any, y: np.ndarray, folds: Any) -> GridSearchCV:
    """A finished search; parameters with which a fit diverges score 0."""
    return fit_quietly(
        GridSearchCV(model, grid, scoring=_test_auc, cv=folds, refit=False, error_score=0.0), X, y
    )


def best_l2(model: AUCClassifier, X: Any, y: np.ndarray, folds: StratifiedKFold) -> float:
    """The value of ``l2_path`` with the best mean AUC over the folds; among equals the largest."""
    settings = {"standardize": model.standardize, "cv": folds, "n_jobs": 1}
    search = fit_quietly(AUCClassifierCV(model.loss, l2s=l2_path(X, y), **settings), X, y)
    mean = search.scores_.mean(axis=1)
    return float(search.l2s_[mean == mean.max()].max())


def l2_path(X: Any, y: np.ndarray) -> np.ndarray:
    """Six decades of ``l2`` up to the mean squared distance of a row from the mean of its class."""
    columns = Columns.of(Products(as_rows(X), X.shape[1]), np.where(y == 1, 1.0, -1.0))
    return within_class_variance(columns.moments) * np.logspace(-6.0, 0.0, 13)


def _test_auc(model: Any, X: Any, y: np.ndarray) -> float:
    return auc(y, model.decision_function(X))


def sample_rows(y: np.ndarray, max_rows: int, seed: int) -> np.ndarray:
    """All rows, or ``max_rows`` of them drawn at random with the same share of each class."""
    rows = np.arange(len(y))
    if len(y) <= max_rows:
        return rows
    return np.sort(train_test_split(rows, train_size=max_rows, stratify=y, random_state=seed)[0])


def fit_quietly(model: Any, X: Any, y: np.ndarray) -> Any:
    """Fit without the warnings that extreme values of a grid and few passes cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)
