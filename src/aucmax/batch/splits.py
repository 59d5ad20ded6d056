"""Folds for cross-validation: drawn several times where rows are few, and checked."""

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
ENOUGH_ROWS = 500  # of the rarer class, for which folds are drawn once
SMALL_CELLS = 2**22  # rows times columns up to which further fits of the folds cost little
ENOUGH_NEGATIVES = 10  # of a fold in the partial area: by fewer, a choice is mostly chance


cv_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else hasattr(value, "split") or np.iterable(value),
    "a whole number of at least 2, a splitter or an iterable of splits",
)


def is_small(signed: np.ndarray, n_features: int) -> bool:
    """Whether further fits of the folds cost little."""
    return len(signed) * n_features <= SMALL_CELLS


def n_repeats(rarer_rows: int, small: bool) -> int:
    """How often the folds are drawn: more often for fewer rows of the rarer class, while X is small."""
    return min(MAX_REPEATS, -(-ENOUGH_ROWS // rarer_rows)) if small else 1


def split_arguments(estimator: Any, params: dict[str, Any]) -> dict[str, Any]:
    """What a fit passes on to ``cv.split``: ``groups`` or, with metadata routing, all that it requests."""
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

    Where rows of a class are few, held-out AUC is noisy: the folds are drawn several times. ``signed`` holds
    weights, negative for rows of the negative class; ``arguments`` are those of a splitter, such as groups.
    """
    labels = (~np.signbit(signed)).astype(int)
    splitters = [cv]
    if isinstance(cv, Integral):
        rarest = int(np.bincount(labels).min())
        if rarest < 2:
            raise ValueError(
                f"AUCClassifierCV: cv={cv} folds need two rows of each class, and one has {rarest}; give "
                "more rows of it, or use AUCClassifier, which needs no folds."
            )
        if int(cv) > rarest:
            reason = f"the rarer class has {rarest} rows"
            warn_caller(f"AUCClassifierCV: only {rarest} folds are drawn, not {cv}, because {reason}.")
        n_folds, repeats = min(int(cv), rarest), n_repeats(rarest, is_small(signed, n_features))
        drawn = [StratifiedKFold(n_folds, shuffle=True, random_state=seed) for seed in range(1, repeats)]
        splitters = [n_folds, *drawn]
    try:
        splitters = [check_cv(splitter, labels, classifier=True) for splitter in splitters]
        rows = np.zeros((len(labels), 1))
        splits = [
            Split(train, test, kept=splitter is splitters[0])
            for splitter in splitters
            for train, test in splitter.split(rows, labels, **arguments)
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
    """Standard errors of estimates, from their variances among folds, each of which leaves some rows out.

    The jackknife that deletes d of n rows: the variance is (n - d) / d times that among the folds, which is
    the usual factor of k - 1 for k folds.
    """
    ratio = np.mean([len(split.train) / len(split.test) for split in splits])
    return np.sqrt(ratio * variances)


def judged_range(max_fpr: float, fewest: int, owner: str) -> float:
    """The false positive rate up to which folds are judged: wider where few of their negatives lie below.

    ``fewest`` is the smallest number of negatives of a fold. The area over a handful of negatives is noise,
    and choices by a wider one do better on other rows.
    """
    if max_fpr * fewest >= ENOUGH_NEGATIVES:
        return float(max_fpr)
    wider = min(1.0, ENOUGH_NEGATIVES / fewest)
    warn_caller(
        SettingWarning(
            f"{owner}: a fold holds {fewest} negatives, too few to judge settings up to "
            f"{{max_fpr={max_fpr:g}}}: they are judged up to {wider:.2g}; more rows make the choice safer."
        )
    )
    return wider
