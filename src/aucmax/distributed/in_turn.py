"""One pass of an online model over the partitions of Dask collections, in their order."""

import copy
from typing import Any, TypeVar

from dask.delayed import delayed

from .dask_engine import compute
from .inputs import DaskCollection, align_partitions, check_collections, check_table, naming_partition
from .labels import sum_class_weights

M = TypeVar("M")

AHEAD = 8  # partitions that may be read while the model learns from one


def fit_in_turn(
    model: M, X: DaskCollection, y: DaskCollection, sample_weight: DaskCollection | None = None
) -> M:
    """Let an online model learn from one partition after the other, and return it; one pass.

    The model goes from worker to worker, not the rows. Partitions are read ahead, eight at a time, and not
    kept. Any cut into partitions gives the same bits, those of ``partial_fit`` on all rows.

    Parameters
    ----------
    model : estimator with partial_fit
        Such as :class:`aucmax.OnlineAUCClassifier`. It is not changed.
    X : dask array of shape (n_samples, n_features) or dask data frame
    y : dask array or series of shape (n_samples,)
        Two labels; they are read first.
    sample_weight : dask array or series of shape (n_samples,), optional

    Returns
    -------
    The model after the last partition.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import OnlineAUCClassifier
    >>> from aucmax.distributed import fit_in_turn
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> parts = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    >>> model = fit_in_turn(OnlineAUCClassifier(random_state=0), *parts)
    >>> print(f"{model.score(X, y):.3f}")
    0.99...
    """
    check_collections("partial_fit", X=X, y=y, sample_weight=sample_weight)
    check_table(X)
    (classes, *_), _ = sum_class_weights(align_partitions(False, y=y, sample_weight=sample_weight))
    partitions, model = align_partitions(False, X=X, y=y, sample_weight=sample_weight), copy.copy(model)
    learn = delayed(learn_partition, pure=False)
    for start in range(0, len(partitions), AHEAD):
        state: Any = delayed(model, pure=False, traverse=False)
        for k, part in enumerate(partitions[start : start + AHEAD], start):
            state = learn(k, state, classes, *part)
        (model,) = compute([state])
    return model


def learn_partition(k: int, model: Any, classes: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """A copy of the model after partition ``k``: a task that is run again must find the model unchanged."""
    if not len(y):
        return model
    with naming_partition(k):
        return copy.copy(model).partial_fit(X, y, classes=classes, sample_weight=sample_weight)
