"""How a column is tuned and judged: by cross-validation on the training rows, then on rows held out."""

import itertools
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import (
    ParameterGrid,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from ..batch.cv import AUCClassifierCV
from ..metrics import auc
from .methods import Method

INNER_FOLDS = 5
FEW = 5  # splits for methods that are slow on wide data
TUNING_NUMBERS = 2_000_000  # stored in the rows, drawn from a larger training part, that tuning sees
SLOW_TUNING_ROWS = 2_000


class Protocol(NamedTuple):
    """So many repeats of so many folds; for 0 folds, repeats of 80 % against 20 %.

    Up to ``tuned_rows`` rows every training part is tuned anew; beyond, the first one's choice stays.
    """

    repeats: int
    folds: int
    tuned_rows: int = 4000

    def count(self, slow: bool) -> int:
        """How many splits there are; ``FEW`` for slow methods."""
        return FEW if slow else self.repeats * max(self.folds, 1)

    def splits(self, y: np.ndarray, slow: bool, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of each split."""
        if self.folds:
            maker: Any = RepeatedStratifiedKFold(
                n_splits=self.folds, n_repeats=self.repeats, random_state=seed
            )
        else:
            maker = StratifiedShuffleSplit(self.repeats, test_size=0.2, random_state=seed)
        return list(itertools.islice(maker.split(np.zeros((len(y), 1)), y), self.count(slow)))


class Fit(NamedTuple):
    """What a method did on one split."""

    split: int
    params: dict[str, Any]
    auc: float
    seconds: float
    tuning_seconds: float


def judged(
    method: Method,
    X: Any,
    y: np.ndarray,
    splits: list,
    known: dict[int, dict],
    seed: int,
    tuned_rows: int = 0,
) -> Iterator[Fit]:
    """Tune and judge a method on every split that is not among the ``known`` ones.

    ``known`` maps the splits done to their parameters: the first one's are used again for training parts
    of more than ``tuned_rows`` rows.
    """
    params = known.get(0)
    for k, (train, test) in enumerate(splits):
        if k in known:
            continue
        A, b = X[train], y[train]
        began = time.perf_counter()
        if params is None or len(b) <= tuned_rows:
            params = tuned(method, A, b, seed)
        chosen = time.perf_counter()
        model = quiet_fit(method.make(X.shape[1]).set_params(**params), A, b)
        done = time.perf_counter()
        value = auc(y[test], model.decision_function(X[test]))
        yield Fit(k, params, value, done - chosen, chosen - began)


def tuned(method: Method, X: Any, y: np.ndarray, seed: int) -> dict[str, Any]:
    """The parameters of the grid with the best mean AUC over inner folds."""
    model = method.make(X.shape[1])
    if method.grid == {}:
        return {}
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    most = SLOW_TUNING_ROWS if X.shape[1] >= method.slow_from else TUNING_NUMBERS * len(y) // X.size
    kept = some_rows(y, most, seed)
    X, y = X[kept], y[kept]
    if method.grid is None:
        path = AUCClassifierCV(model.loss, cv=folds, n_jobs=1)
        return {"l2": quiet_fit(path, X, y).l2_}
    parts = [(X[a], y[a], X[b], y[b]) for a, b in folds.split(np.zeros((len(y), 1)), y)]
    grid = list(ParameterGrid(dict(method.grid)))
    means = [np.mean([_inner(clone(model).set_params(**params), *part) for part in parts]) for params in grid]
    return grid[int(np.argmax(means))]


def some_rows(y: np.ndarray, most: int, seed: int) -> np.ndarray:
    """All rows, or ``most`` drawn at random with each class's share."""
    if len(y) <= most:
        return np.arange(len(y))
    drawn = StratifiedShuffleSplit(1, train_size=most, random_state=seed)
    return np.sort(next(drawn.split(np.zeros((len(y), 1)), y))[0])


def _inner(model: Any, X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> float:
    try:
        return auc(y_test, quiet_fit(model, X, y).decision_function(X_test))
    except ValueError:  # it diverged: no choice
        return 0.0


def quiet_fit(model: Any, X: Any, y: np.ndarray) -> Any:
    """Fit without the warnings of grids' extremes and of few passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)
