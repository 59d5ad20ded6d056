"""What a fit prints while it runs, and its warning where it did not converge."""

import warnings
from numbers import Integral
from typing import Any

from ..validation.convergence import NotConverged
from ..validation.parameters import Rule
from .newton import Report, SmoothPoint

verbose_rule = Rule(
    lambda value: isinstance(value, Integral) and int(value) >= 0, "a whole number of at least 0"
)


def progress_printer(estimator: Any) -> Report | None:
    """Prints a line for each iteration; None unless the estimator is verbose."""
    name = type(estimator).__name__

    def report(iteration: int, point: SmoothPoint, optimality: float) -> None:
        print(f"[{name}] iteration {iteration}: objective {point.value:.8g}, optimality {optimality:.2e}")

    return report if estimator.verbose else None


def warn_not_converged(estimator: Any, remedies: str) -> None:
    """Warn the caller of ``fit`` that ``tol`` was not reached, and name what to raise."""
    problem = (
        f"{type(estimator).__name__} stopped at optimality {estimator.optimality_:.2e} after "
        f"{estimator.n_iter_} iterations, short of the tolerance {estimator.tol:g}"
    )
    warnings.warn(NotConverged(problem, f"raise {remedies}"), stacklevel=5)
