"""The state of a method in the course of training: after so many rows, passes, iterations and seconds.

The clock runs only while the method learns; memory layout and compilation are done before.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .. import SPAM, VRSPAM
from .protocol import fit_quietly

WARM_UP_ROWS = 64  # of each class, enough to compile every kernel that a run calls
BY_PASS = ("SPAM", "SPDAM", "VRSPAM")  # estimators that need all rows at once; SPAM for the class means


class Snapshot(NamedTuple):
    """What a method had spent at some point, and what was observed of it there."""

    rows: int
    passes: float
    iterations: int
    seconds: float
    observed: Any

    def cost(self) -> dict[str, float]:
        """What had been spent, for a record."""
        spent = {name: getattr(self, name) for name in ("rows", "passes", "iterations", "seconds")}
        return {name: rounded(value) if isinstance(value, float) else value for name, value in spent.items()}


Observe = Callable[[Any], Any]


def weights(model: Any) -> np.ndarray:
    """A copy of the model's coefficients."""
    return model.coef_[0].copy()


def rounded(value: float) -> float:
    """Six digits, more than a figure shows."""
    return float(f"{value:.6g}")


def spaced(first: float, last: float, count: int) -> list[int]:
    """Up to ``count`` whole numbers from ``first`` to ``last``, in nearly equal ratios."""
    return sorted({round(mark) for mark in np.geomspace(first, last, count)})


def pass_marks(estimator: str, passes: int, points: int) -> list[int]:
    """Passes after which to observe an estimator in ``BY_PASS``; VRSPAM's stages go over the rows twice."""
    return spaced(1, max(passes // 2 - 1, 1) if estimator == "VRSPAM" else passes, points)


def row_order(n: int, length: int, seed: int, *, replace: bool = False) -> np.ndarray:
    """The order in which a stream visits ``n`` rows: shuffled passes, or draws with replacement."""
    rng = np.random.default_rng(seed)
    if replace:
        return rng.integers(0, n, length)
    return np.concatenate([rng.permutation(n) for _ in range(-(-length // n))])[:length]


def trace(model: Any, X: Any, y: np.ndarray, marks: Sequence[int], seed: int) -> Iterable[Snapshot]:
    """Observe the weights after each of ``marks``: passes of an estimator in ``BY_PASS``, else rows."""
    if type(model).__name__ in BY_PASS:
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
    """Observe a method after each of ``marks`` rows of a stream.

    The model, not yet fitted, learns by ``partial_fit`` from rows in the order of ``row_order``; ``observe``
    is what to keep of it.
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
    """Observe a method that needs all rows at once after each of ``marks`` passes of its ``fit``.

    SPAM reads the rows once more, at the start, for the class means. VRSPAM reads them twice in each stage
    and twice at the start; ``marks`` count its stages.
    """
    _warm_up(model, X, y, by_pass=True)
    start, cost = {SPAM: (1, 1), VRSPAM: (2, 2)}.get(type(model), (0, 1))
    steps = model._n_batches(len(y)) if hasattr(model, "_n_batches") else len(y)
    snapshots: list[Snapshot] = []
    finished, observing, accept = 0, 0.0, model._accept

    def accept_and_observe(solver: Any) -> None:
        nonlocal finished, observing
        accept(solver)
        paused = time.perf_counter()
        finished += 1
        if finished in marks:
            passes, seconds = start + cost * finished, paused - began - observing
            found = observe(model)
            snapshots.append(Snapshot(passes * len(y), passes, steps * finished, seconds, found))
        observing += time.perf_counter() - paused

    model.set_params(max_iter=marks[-1])
    if isinstance(model, SPAM):
        model.set_params(tol=0.0)  # never stops early, but has the average computed after every pass
    model._accept = accept_and_observe
    began = time.perf_counter()
    try:
        fit_quietly(model, X, y)
    finally:
        del model._accept
    return snapshots


def _warm_up(model: Any, X: Any, y: np.ndarray, *, by_pass: bool) -> None:
    """Compile all kernels on a few rows with a copy; twice, since the first call runs other code."""
    few = np.concatenate([np.flatnonzero(y == label)[:WARM_UP_ROWS] for label in np.unique(y)])
    copy = clone(model)
    for _ in range(2):
        if by_pass:
            fit_quietly(copy.set_params(max_iter=2), X[few], y[few])
        else:
            copy.partial_fit(X[few], y[few])
