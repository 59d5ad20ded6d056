"""What a fit prints while it runs, and its warning where it did not converge."""

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

from ..validation.convergence import NotConverged
from ..validation.errors import warn_caller
from ..validation.parameters import Rule
from .newton import Report, SmoothPoint
from .threads import Map

verbose_rule = Rule(
    lambda value: isinstance(value, Integral) and int(value) >= 0, "a whole number of at least 0"
)


_listener: Callable[[str], None] | None = None


@contextmanager
def listen(report: Callable[[str], None]) -> Iterator[None]:
    """Inside the block, all fits report each fold and iteration to ``report``, from any thread."""
    global _listener
    before, _listener = _listener, report
    try:
        yield
    finally:
        _listener = before


def _report(estimator: Any, text: str) -> None:
    """Print a text if the estimator is verbose, and pass it to the function given to `listen`, if any."""
    if estimator.verbose:
        print(f"[{type(estimator).__name__}] {text}")
    if _listener is not None:
        _listener(text)


def progress_printer(estimator: Any) -> Report | None:
    """Reports each iteration; None unless the estimator is verbose or inside `listen`."""

    def report(iteration: int, point: SmoothPoint, optimality: float) -> None:
        _report(estimator, f"iteration {iteration}: objective {point.value:.8g}, optimality {optimality:.2e}")

    return report if estimator.verbose or _listener is not None else None


def report_folds(estimator: Any, run: Map) -> Map:
    """A ``map`` over folds that reports each one done; ``run`` itself if not verbose or inside `listen`."""
    if not estimator.verbose and _listener is None:
        return run

    def run_and_report(fit_fold: Callable[[Any], tuple], folds: Iterable) -> Iterable:
        folds, done = list(folds), itertools.count(1)

        def fit_and_report(fold: Any) -> tuple:
            result = fit_fold(fold)
            best, tried = max(result[0]), len(result[0])
            progress = f"fold {next(done)} of {len(folds)}: best held-out score {best:.4f}"
            _report(estimator, f"{progress}, {tried} value{'s' * (tried > 1)} of l2")
            return result

        return run(fit_and_report, folds)

    return run_and_report


def warn_at_edge(estimator: Any, best: int) -> None:
    """Warn if values of ``l2`` were given and the first or the last of several is the best."""
    l2s, last = estimator.l2s, len(estimator.l2s_) - 1
    if isinstance(l2s, Integral) or last == 0 or 0 < best < last:
        return
    end, direction = ("largest", "larger") if best else ("smallest", "smaller")
    name, l2 = type(estimator).__name__, estimator.l2_
    warn_caller(f"{name}: the best of the given l2s is the {end}, {l2:g}; add {direction} ones.")


def warn_not_converged(estimator: Any, remedies: str) -> None:
    """Warn the caller of ``fit`` that ``tol`` was not reached, and name what to raise."""
    problem = (
        f"{type(estimator).__name__} stopped at optimality {estimator.optimality_:.2e} after "
        f"{estimator.n_iter_} iterations, short of the tolerance {estimator.tol:g}"
    )
    warnings.warn(NotConverged(problem, f"raise {remedies}"), stacklevel=5)
