"""The rates that the papers prove, fitted to what the methods do.

The theorems on streams assume rows drawn at random, so the rows are drawn with replacement here: shuffled
passes converge faster. The distribution is that of the rows themselves, whose optimum is known exactly.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import linregress

from ... import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM
from ...pairs.losses import pair_value
from ..diagnostics import Matrix, duality_gap, relative_distance, saddle_point
from ..minimisers import class_balance, minimise
from ..problems import Problem
from ..trajectories import rounded, row_order, spaced, trace_passes, trace_rows
from .figure import CurveTask, Figure
from .job import Record

L2 = 0.1  # in the units of AUCClassifier, large enough for the penalty, or the ball, to bind
FLOOR = 1e-9  # relative distance below which rounding errors dominate
FIRST, LAST = 1000, 1_000_000
SETTLED = 4000  # rows from which the slopes are fitted; before, the starting point dominates

Marks = list[int]
Points = Iterator[tuple[float, float]]  # x and y


class Law(NamedTuple):
    """A theorem: which quantity it bounds, against what, how fast it falls, and how to measure it."""

    value: str
    against: str
    slope: float | None  # None: a straight line in the logarithm
    measure: Callable[[Matrix, np.ndarray, Marks, int], Points]


class Fit(NamedTuple):
    """A straight line through logarithms: its slope and the share of the variance that it explains."""

    slope: float
    r2: float


def fit_law(law: Law, x: np.ndarray, y: np.ndarray) -> Fit:
    """The slope in log-log, or the digits gained per pass, of means over repeats."""
    kept = y > FLOOR if law.slope is None else x >= min(SETTLED, x[-3])
    line = linregress(x[kept] if law.slope is None else np.log10(x[kept]), np.log10(y[kept]))
    return Fit(float(line.slope), float(line.rvalue) ** 2)


def _solam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    radius = float(np.linalg.norm(minimise(X, y, l2=L2)))
    for snapshot in trace_rows(SOLAM(radius), X, y, marks, seed=seed, observe=saddle_point, replace=True):
        yield snapshot.rows, duality_gap(snapshot.observed, X, y, radius=radius)


def _spam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    best = minimise(X, y, l2=L2)
    model = SPAM(L2 * class_balance(y), step_size=10.0, max_iter=1, shuffle=False)
    for n_rows, w in _separate_runs(model, X, y, marks, seed):
        yield n_rows, relative_distance(w, best) ** 2


def _fsauc(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    """The step sizes are those of the theorem."""
    signed = np.where(y == 1, 1.0, -1.0)
    best = minimise(X, y, l2=1e-9)
    least, radius = pair_value("squared", X @ best, signed), 1.5 * float(np.abs(best).sum())
    model = FSAUC(radius, step_size="theory", max_iter=1, shuffle=False)
    for n_rows, w in _separate_runs(model, X, y, marks, seed):
        yield n_rows, pair_value("squared", X @ w, signed) - least


def _separate_runs(
    model: Any, X: Matrix, y: np.ndarray, marks: Marks, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """A fit for each number of rows: SPAM needs their class means and FSAUC their number beforehand."""
    drawn = row_order(len(y), marks[-1], seed, replace=True)
    for mark in marks:
        yield mark, model.fit(X[drawn[:mark]], y[drawn[:mark]]).coef_[0]


def _spdam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    return _distances_by_pass(SPDAM(L2 / 2, batch_size=10, random_state=seed), X, y, marks)


def _vrspam(X: Matrix, y: np.ndarray, marks: Marks, seed: int) -> Points:
    return _distances_by_pass(VRSPAM(L2 * class_balance(y), random_state=seed), X, y, marks)


def _distances_by_pass(model: Any, X: Matrix, y: np.ndarray, marks: Marks) -> Points:
    best = minimise(X, y, l2=L2)
    for snapshot in trace_passes(model, X, y, marks):
        yield snapshot.passes, relative_distance(snapshot.observed, best)


LAWS = {
    "SOLAM": Law("duality gap", "rows", -0.5, _solam),
    "SPAM": Law("squared distance", "rows", -1.0, _spam),
    "FSAUC": Law("objective gap", "rows", -1.0, _fsauc),
    "SPDAM": Law("distance", "passes", None, _spdam),
    "VRSPAM": Law("distance", "passes", None, _vrspam),
}


@dataclass(frozen=True)
class ConvergenceRates(Figure):
    """The quantities that the theorems bound, against rows or passes."""

    axes: tuple[tuple[str, str], ...] = (("rows", "value"), ("passes", "value"))
    repeats: int = 10
    points: int = 9

    @property
    def methods(self) -> list[str]:
        return list(LAWS)

    def n_repeats(self, method: str, quick: bool) -> int:
        if quick:
            return 1
        return self.repeats if LAWS[method].against == "rows" else 2

    def marks(self, problem: Problem, method: str, quick: bool) -> Marks:
        if LAWS[method].against == "rows":
            return spaced(FIRST, 8 * FIRST if quick else LAST, 4 if quick else self.points)
        passes = 6 if quick else self.passes
        return list(range(1, passes + 1 if method == "SPDAM" else max(passes // 2, 4)))

    def prepare(self, task: CurveTask) -> Callable[[int], Iterator[Record]]:
        law = LAWS[task.method]

        def compute_curve(repeat: int) -> Iterator[Record]:
            for x, value in law.measure(task.X, task.y, task.marks, task.seed + repeat):
                yield {law.against: x, "value": rounded(value)}

        return compute_curve
