"""Snapshots of a model during training, with the rows, passes, iterations and seconds spent until then.

A mark is a number of rows or passes after which a snapshot is taken. Only training counts as time: memory
layout and compilation are done before.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .. import SPAM, VRSPAM
from .protocol import fit_quietly

WARM_UP_ROWS = 64  # of each class, enough to compile every kernel that a run calls
TRACED_BY_PASS = ("SPAM", "SPDAM", "VRSPAM")  # not by row, since they need all rows before the first update


class Snapshot(NamedTuple):
    """The cost of training up to a mark, and what was observed of the model there."""

    rows: int
    passes: float
    iterations: int
    seconds: float
    observed: Any

    def cost(self) -> dict[str, float]:
        """The cost as part of a record."""
        return {name: value for name, value in self._asdict().items() if name != "observed"}


Observe = Callable[[Any], Any]


def weights(model: Any) -> np.ndarray:
    """A copy of the model's coefficients."""
    return model.coef_[0].copy()


def log_spaced(first: float, last: float, count: int) -> list[int]:
    """Up to ``count`` whole numbers from ``first`` to ``last``, evenly spaced on a logarithmic scale."""
    return sorted({round(mark) for mark in np.geomspace(first, last, count)})


def training_marks(estimator: str, first: float, n_rows: int, passes: int, points: int) -> list[int]:
    """Marks over some passes: rows from the ``first`` on or, for estimators in ``TRACED_BY_PASS``, passes.

    Those of VRSPAM are stages, which read all rows twice.
    """
    if estimator not in TRACED_BY_PASS:
        return log_spaced(first, passes * n_rows, points)
    return log_spaced(1, max(passes // 2 - 1, 1) if estimator == "VRSPAM" else passes, points)


def row_order(n: int, length: int, seed: int, *, replace: bool = False) -> np.ndarray:
    """Indices of ``length`` rows out of ``n``: shuffled passes, or draws with replacement."""
    rng = np.random.default_rng(seed)
    if replace:
        return rng.integers(0, n, length)
    return np.concatenate([rng.permutation(n) for _ in range(-(-length // n))])[:length]


def trace(model: Any, X: Any, y: np.ndarray, marks: Sequence[int], seed: int) -> Iterable[Snapshot]:
    """Take snapshots of the weights; ``marks`` are rows, or passes of estimators in ``TRACED_BY_PASS``."""
    if type(model).__name__ in TRACED_BY_PASS:
        return trace_passes(model, X, y, marks)
    return trace_rows(model, X, y, marks, seed=seed)


def trace_rows(
    model: Any,
    X: Any,
    y: np.ndarray,
    marks: Sequence[int],
    *,
    seed: int = 0,
    observe: Observe = weights,
    replace: bool = False,
) -> Iterator[Snapshot]:
    """Take a snapshot after each of ``marks`` rows of a stream.

    The model, not yet fitted, learns by ``partial_fit`` from rows in the order of ``row_order``. ``observe``
    returns what a snapshot keeps of it.
    """
    order, classes = row_order(len(y), marks[-1], seed, replace=replace), np.unique(y)
    _warm_up(model, X, y, by_pass=False)
    seconds, last = 0.0, 0
    for mark in marks:
        X_chunk, y_chunk = X[order[last:mark]], y[order[last:mark]]
        began = time.perf_counter()
        model.partial_fit(X_chunk, y_chunk, classes=classes)
        seconds, last = seconds + time.perf_counter() - began, mark
        yield Snapshot(mark, mark / len(y), mark, seconds, observe(model))


def trace_passes(
    model: Any, X: Any, y: np.ndarray, marks: Sequence[int], *, observe: Observe = weights
) -> list[Snapshot]:
    """Take a snapshot after each of ``marks`` passes of ``fit``.

    SPAM reads all rows once before, for the class means. VRSPAM reads them twice before and twice in each
    stage; its ``marks`` count stages.
    """
    _warm_up(model, X, y, by_pass=True)
    passes_before, passes_each = {SPAM: (1, 1), VRSPAM: (2, 2)}.get(type(model), (0, 1))
    iterations = model._n_batches(len(y)) if hasattr(model, "_n_batches") else len(y)
    snapshots: list[Snapshot] = []
    finished, seconds_observing, accept = 0, 0.0, model._accept

    def accept_and_observe(solver: Any) -> None:
        nonlocal finished, seconds_observing
        accept(solver)
        ended = time.perf_counter()
        finished += 1
        if finished in marks:
            passes, seconds = passes_before + passes_each * finished, ended - began - seconds_observing
            snapshot = Snapshot(passes * len(y), passes, iterations * finished, seconds, observe(model))
            snapshots.append(snapshot)
        seconds_observing += time.perf_counter() - ended

    model.set_params(max_iter=marks[-1])
    if isinstance(model, SPAM):
        model.set_params(tol=0.0)  # does not stop early, but computes the average after every pass
    model._accept = accept_and_observe
    began = time.perf_counter()
    try:
        fit_quietly(model, X, y)
    finally:
        del model._accept
    return snapshots


def _warm_up(model: Any, X: Any, y: np.ndarray, *, by_pass: bool) -> None:
    """Compile all kernels by training a copy on a few rows; twice, since the first call runs other code."""
    few = np.concatenate([np.flatnonzero(y == label)[:WARM_UP_ROWS] for label in np.unique(y)])
    copy = clone(model)
    for _ in range(2):
        if by_pass:
            fit_quietly(copy.set_params(max_iter=2), X[few], y[few])
        else:
            copy.partial_fit(X[few], y[few])
