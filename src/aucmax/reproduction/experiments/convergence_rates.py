"""The convergence rates that the papers prove, fitted to measured curves.

The theorems on streams assume independent random rows, so rows are drawn with replacement: shuffled passes
converge faster. The distribution is that of the rows themselves, whose exact optimum can be computed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import linregress

from ... import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM
from ...pairs.losses import pair_value
from ..diagnostics import Matrix, duality_gap, relative_distance, saddle_point
from ..minimisers import class_balance, minimise
from ..problems import Problem
from ..trajectories import log_spaced, row_order, trace_passes, trace_rows
from .figure import CurveTask, Figure
from .job import Record

L2 = 0.1  # in the units of AUCClassifier, large enough for the penalty or the ball to change the minimiser
ROUNDING_ERROR = 1e-9  # smaller relative distances are not fitted
FIRST_ROWS, LAST_ROWS = 1000, 1_000_000
FITTED_FROM_ROWS = 4000  # before, the curve depends on the starting point

Marks = list[int]
Points = Iterator[tuple[float, float]]  # x and y


class Theorem(NamedTuple):
    """The quantity that a theorem bounds, against what and how fast it falls, and how to measure it."""

    quantity: str
    against: str
    slope: float | None  # in log-log; None where the logarithm falls linearly
    measure: Callable[[Matrix, np.ndarray, Marks, int], Points]


def fit_rate(theorem: Theorem, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The slope of a line through ``log10(y)`` against ``log10(x)``, or against x, and its R²."""
    if theorem.slope is None:
        kept = y > ROUNDING_ERROR
        line = linregress(x[kept], np.log10(y[kept]))
    else:
        kept = x >= min(FITTED_FROM_ROWS, x[-3])  # a line needs a few points, also in quick runs
        line = linregress(np.log10(x[kept]), np.log10(y[kept]))
    return float(line.slope), float(line.rvalue) ** 2


def _measure_solam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    radius = float(np.linalg.norm(minimise(X, y, l2=L2)))
    for snapshot in trace_rows(SOLAM(radius), X, y, marks, seed=seed, observe=saddle_point, replace=True):
        yield snapshot.rows, duality_gap(snapshot.observed, X, y, radius=radius)


def _measure_spam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    best = minimise(X, y, l2=L2)
    model = SPAM(L2 * class_balance(y), step_size=10.0, max_iter=1, shuffle=False)
    for n_rows, w in _separate_runs(model, X, y, marks, seed):
        yield n_rows, relative_distance(w, best) ** 2


def _measure_fsauc(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    signed = np.where(y == 1, 1.0, -1.0)
    best = minimise(X, y, l2=1e-9)
    least, radius = pair_value("squared", X @ best, signed), 1.5 * float(np.abs(best).sum())
    model = FSAUC(radius, step_size="theory", max_iter=1, shuffle=False)
    for n_rows, w in _separate_runs(model, X, y, marks, seed):
        yield n_rows, pair_value("squared", X @ w, signed) - least


def _separate_runs(
    model: Any, X: Matrix, y: np.ndarray, marks: Marks, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """One fit for each of ``marks`` rows, since SPAM needs their class means and FSAUC their number first."""
    drawn = row_order(len(y), marks[-1], seed, replace=True)
    for mark in marks:
        yield mark, model.fit(X[drawn[:mark]], y[drawn[:mark]]).coef_[0]


def _measure_by_pass(
    make_model: Callable[[np.ndarray], Any], X: Matrix, y: np.ndarray, marks: Marks, seed: int
) -> Points:
    best = minimise(X, y, l2=L2)
    for snapshot in trace_passes(make_model(y).set_params(random_state=seed), X, y, marks):
        yield snapshot.passes, relative_distance(snapshot.observed, best)


_measure_spdam = partial(_measure_by_pass, lambda y: SPDAM(L2 / 2, batch_size=10))
_measure_vrspam = partial(_measure_by_pass, lambda y: VRSPAM(L2 * class_balance(y)))

THEOREMS = {
    "SOLAM": Theorem("duality gap", "rows", -0.5, _measure_solam),
    "SPAM": Theorem("squared distance", "rows", -1.0, _measure_spam),
    "FSAUC": Theorem("objective gap", "rows", -1.0, _measure_fsauc),
    "SPDAM": Theorem("distance", "passes", None, _measure_spdam),
    "VRSPAM": Theorem("distance", "passes", None, _measure_vrspam),
}


@dataclass(frozen=True)
class ConvergenceRates(Figure):
    """The quantities that the theorems bound, against rows or passes."""

    axes: tuple[tuple[str, str], ...] = (("rows", "value"), ("passes", "value"))
    repeats: int = 10
    points: int = 9

    @property
    def methods(self) -> list[str]:
        return list(THEOREMS)

    def n_repeats(self, method: str, quick: bool) -> int:
        if quick:
            return 1
        return self.repeats if THEOREMS[method].against == "rows" else 2

    def marks(self, problem: Problem, method: str, quick: bool) -> Marks:
        if THEOREMS[method].against == "rows":
            return log_spaced(FIRST_ROWS, 8 * FIRST_ROWS if quick else LAST_ROWS, 4 if quick else self.points)
        passes = 6 if quick else self.passes
        return list(range(1, passes + 1 if method == "SPDAM" else max(passes // 2, 4)))

    def compute_curve(self, task: CurveTask, shared: None, repeat: int) -> Iterator[Record]:
        theorem = THEOREMS[task.method]
        for x, value in theorem.measure(task.X, task.y, task.marks, task.seed + repeat):
            yield {theorem.against: x, "value": value}
