"""How a method is followed: what it has come to after so many rows, passes, iterations and seconds.

The clock runs only while the method learns; the rows are laid out and everything is compiled before.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .. import SPAM, SPDAM, VRSPAM
from .protocol import quiet_fit

WARM_ROWS = 64  # of each class, enough to compile every kernel that a run will call


class Moment(NamedTuple):
    """What a method had spent when it was looked at, and what was seen."""

    rows: int
    passes: float
    iterations: int
    seconds: float
    seen: Any


Look = Callable[[Any], Any]


def weights(model: Any) -> np.ndarray:
    """The model's coefficients, as they are now."""
    return model.coef_[0].copy()


def spaced(first: float, last: float, count: int) -> list[int]:
    """Up to ``count`` whole numbers from ``first`` to ``last``, in equal ratios as far as that goes."""
    return sorted({round(mark) for mark in np.geomspace(first, last, count)})


def visits(n: int, length: int, seed: int, *, replace: bool = False) -> np.ndarray:
    """Which of ``n`` rows come first, second, ...: one shuffled pass after another, or draws."""
    rng = np.random.default_rng(seed)
    if replace:
        return rng.integers(0, n, length)
    return np.concatenate([rng.permutation(n) for _ in range(-(-length // n))])[:length]


def follow(
    model: Any,
    X: Any,
    y: np.ndarray,
    marks: Sequence[int],
    *,
    seed: int = 0,
    look: Look = weights,
    replace: bool = False,
) -> Iterator[Moment]:
    """Look at a method that learns from a stream after each of ``marks`` rows.

    Parameters
    ----------
    model : estimator with ``partial_fit``
        Not fitted; it learns here.
    X, y : array-like
        The rows that the stream brings.
    marks : sequence of int
        Increasing numbers of rows.
    seed : int
        Of the stream's order.
    look : callable
        What to see of the model.
    replace : bool, default=False
        Draw rows with replacement; else shuffle each pass.

    Yields
    ------
    Moment
    """
    order, classes = visits(len(y), marks[-1], seed, replace=replace), np.unique(y)
    _warm(model, X, y, by_pass=False)
    seconds, at = 0.0, 0
    for mark in marks:
        A, b = X[order[at:mark]], y[order[at:mark]]
        began = time.perf_counter()
        model.partial_fit(A, b, classes=classes)
        seconds, at = seconds + time.perf_counter() - began, mark
        yield Moment(mark, mark / len(y), mark, seconds, look(model))


def follow_passes(
    model: Any, X: Any, y: np.ndarray, marks: Sequence[int], *, look: Look = weights
) -> list[Moment]:
    """Look at a method that wants all rows at once, after each of ``marks`` passes of its ``fit``.

    SPAM goes over the rows once more, before all others, for the means of the classes. A stage of
    VRSPAM goes over them twice, and so does its start; ``marks`` count its stages.

    Parameters
    ----------
    model : SPAM, SPDAM or VRSPAM
        Not fitted; it learns here.
    X, y : array-like
    marks : sequence of int
        Increasing numbers of passes.
    look : callable
        What to see of the model.

    Returns
    -------
    list of Moment
    """
    _warm(model, X, y, by_pass=True)
    start, cost, iterations = _costs(model, len(y))
    moments: list[Moment] = []
    done, idle, accept = 0, 0.0, model._accept

    def accept_and_look(solver: Any) -> None:
        nonlocal done, idle
        accept(solver)
        paused = time.perf_counter()
        done += 1
        if done in marks:
            passes = start + cost * done
            spent = paused - began - idle
            moments.append(Moment(passes * len(y), passes, iterations * done, spent, look(model)))
        idle += time.perf_counter() - paused

    model.set_params(max_iter=marks[-1])
    if isinstance(model, SPAM):
        model.set_params(tol=0.0)  # stops nothing, but has the average made up after every pass
    model._accept = accept_and_look
    began = time.perf_counter()
    try:
        quiet_fit(model, X, y)
    finally:
        del model._accept
    return moments


def _costs(model: Any, n: int) -> tuple[int, int, int]:
    """Passes over the rows before the first pass and in each one; iterations in each one."""
    if isinstance(model, VRSPAM):
        return 2, 2, n
    if isinstance(model, SPDAM):
        return 0, 1, model._n_batches(n)
    return 1, 1, n


def _warm(model: Any, X: Any, y: np.ndarray, *, by_pass: bool) -> None:
    """Have everything compiled by a copy that learns from a few rows, twice: the first call is special."""
    few = np.concatenate([np.flatnonzero(y == label)[:WARM_ROWS] for label in np.unique(y)])
    copy = clone(model)
    for _ in range(2):
        if by_pass:
            quiet_fit(copy.set_params(max_iter=2), X[few], y[few])
        else:
            copy.partial_fit(X[few], y[few])
