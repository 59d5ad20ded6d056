"""Folds for cross-validation: check them, and draw them several times where rows are few."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.metadata_routing import process_routing

from ..validation.errors import ParameterError, SettingWarning, warn_caller
from ..validation.parameters import Rule, is_whole
from .folds import Split

MAX_REPEATS = 5
ENOUGH_ROWS = 500  # of the rarer class: from this number on folds are drawn once
MAX_CHEAP_SIZE = 2**22  # rows times columns up to which extra fits cost little time
# In the partial area of a fold: with fewer, which setting has the highest partial AUC is mostly chance.
ENOUGH_NEGATIVES = 10


cv_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else hasattr(value, "split") or np.iterable(value),
    "a whole number of at least 2, a splitter or an iterable of splits",
)


def is_cheap(rows: np.ndarray, n_features: int) -> bool:
    """Whether extra fits of the folds cost little time."""
    return len(rows) * n_features <= MAX_CHEAP_SIZE


def n_repeats(rarer_rows: int, cheap: bool) -> int:
    """How often folds are drawn: the more often, the fewer rows the rarer class has; once if not cheap."""
    return min(MAX_REPEATS, -(-ENOUGH_ROWS // rarer_rows)) if cheap else 1


def split_arguments(estimator: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Arguments for ``cv.split``: ``groups`` or, with metadata routing, those that the splitter requests."""
    if get_config()["enable_metadata_routing"] and params:
        return process_routing(estimator, "fit", **params).splitter.split
    others = [name for name in params if name != "groups"]
    if others:
        raise TypeError(f"{type(estimator).__name__}.fit() got an unexpected keyword argument {others[0]!r}")
    if params.get("groups") is None:
        return {}
    if not hasattr(estimator.cv, "split"):
        allowed = "a splitter that keeps groups together, such as StratifiedGroupKFold(5), to use groups"
        raise ParameterError(type(estimator).__name__, "cv", allowed, estimator.cv)
    return params


def draw_splits(cv: Any, signed: np.ndarray, n_features: int, arguments: dict[str, Any]) -> list[Split]:
    """Rows of each fold with a weight above zero; training and test rows must hold both classes.

    With few rows of a class held-out AUC is noisy, so folds are drawn several times. ``signed`` holds
    weights, negative for rows of the negative class; ``arguments`` are passed to the splitter.
    """
    labels = (~np.signbit(signed)).astype(int)
    splitters, rows = [cv], np.arange(len(signed))
    if isinstance(cv, Integral):
        rows = np.flatnonzero(signed)  # rows of weight zero must not change which fold another row is in
        rarest = int(np.bincount(labels[rows]).min())
        if rarest < 2:
            raise ValueError(
                f"AUCClassifierCV: cv={cv} folds need two rows of each class, and one has {rarest}; give "
                "more rows of it, or use AUCClassifier, which needs no folds."
            )
        if int(cv) > rarest:
            reason = f"the rarer class has {rarest} rows"
            warn_caller(f"AUCClassifierCV: only {rarest} folds are drawn, not {cv}, because {reason}.")
        n_folds, repeats = min(int(cv), rarest), n_repeats(rarest, is_cheap(rows, n_features))
        repeated = [StratifiedKFold(n_folds, shuffle=True, random_state=seed) for seed in range(1, repeats)]
        splitters = [n_folds, *repeated]
    try:
        splitters = [check_cv(splitter, labels[rows], classifier=True) for splitter in splitters]
        splits = [
            Split(rows[train], rows[test], kept=splitter is splitters[0])
            for splitter in splitters
            for train, test in splitter.split(np.zeros((len(rows), 1)), labels[rows], **arguments)
        ]
    except ValueError as error:
        raise ValueError(f"AUCClassifierCV: cv={cv!r} does not split the rows: {error}") from error
    weighted = [split.of_rows(signed != 0.0) for split in splits]
    if any(len(np.unique(labels[rows])) < 2 for split in weighted for rows in (split.train, split.test)):
        raise ValueError(
            "AUCClassifierCV: a fold holds rows of one class only; give fewer folds, or more rows."
        )
    return weighted


def jackknife_error(variances: np.ndarray, splits: list[Split]) -> np.ndarray:
    """Standard errors of estimates by the jackknife, from the variances of the estimates among the folds.

    If each fold leaves out d of n rows, the variance is (n - d) / d times that among the folds: for k folds,
    k - 1 times.
    """
    ratio = np.mean([len(split.train) / len(split.test) for split in splits])
    return np.sqrt(ratio * variances)


def selection_max_fpr(max_fpr: float, fewest_negatives: int, estimator_name: str) -> float:
    """The ``max_fpr`` by which settings are chosen: a higher one where too few negatives are below it.

    ``fewest_negatives`` is the smallest number of negatives in a fold. A partial AUC over a handful of
    negatives is noise; settings chosen by a wider one do better on new rows.
    """
    if max_fpr * fewest_negatives >= ENOUGH_NEGATIVES:
        return float(max_fpr)
    wider = min(1.0, ENOUGH_NEGATIVES / fewest_negatives)
    warn_caller(
        SettingWarning(
            f"{estimator_name}: a fold holds {fewest_negatives} negatives, too few to judge settings up to "
            f"{{max_fpr={max_fpr:g}}}: they are judged up to {wider:.2g}; more rows make the choice safer."
        )
    )
    return wider
