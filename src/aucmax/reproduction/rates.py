"""The rates that the papers prove, fitted to what the methods do.

The theorems on streams speak of rows drawn at random, so the rows are drawn with replacement here: shuffled
passes converge faster. The truth is the distribution of the rows themselves, whose optimum is known exactly.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM
from ..pairs.losses import pair_value
from .curves import follow, follow_passes, spaced, visits
from .diagnostics import duality_gap, saddle_point
from .experiment import Job
from .figure import QUICK, short
from .optimum import exact
from .problems import Problem

L2 = 0.1  # in the units of AUCClassifier: the penalty, or the ball, then binds
FLOOR = 1e-9  # relative distance from which rounding is near
FIRST, LAST = 1000, 1_000_000
SETTLED = 4000  # rows from which the slopes are fitted: before, it is the start that counts


class Law(NamedTuple):
    """What a theorem says: of which quantity, against what, and how fast."""

    value: str
    against: str
    slope: float | None  # None: a straight line in the logarithm


LAWS = {
    "SOLAM": Law("duality gap", "rows", -0.5),
    "SPAM": Law("squared distance", "rows", -1.0),
    "FSAUC": Law("objective gap", "rows", -1.0),
    "SPDAM": Law("distance", "passes", None),
    "VRSPAM": Law("distance", "passes", None),
}


class Fit(NamedTuple):
    """A straight line through logarithms: its slope and the share of the variance that it explains."""

    slope: float
    r2: float


def fitted(x: np.ndarray, y: np.ndarray) -> Fit:
    """The least-squares line through the points."""
    line = np.polynomial.Polynomial.fit(x, y, 1).convert()
    left = np.sum((y - line(x)) ** 2) / np.sum((y - np.mean(y)) ** 2)
    return Fit(float(line.coef[1]), float(1.0 - left))


def fit_law(law: Law, x: np.ndarray, y: np.ndarray) -> Fit:
    """The slope in log-log, or the digits won per pass, of means over repeats."""
    if law.slope is None:
        kept = y > FLOOR
        return fitted(x[kept], np.log10(y[kept]))
    kept = x >= min(SETTLED, x[-3])
    return fitted(np.log10(x[kept]), np.log10(y[kept]))


def _solam(X: Any, y: np.ndarray, marks: list[int], seed: int) -> Iterator[float]:
    radius = float(np.linalg.norm(exact(X, y, l2=L2)))
    for moment in follow(SOLAM(radius), X, y, marks, seed=seed, look=saddle_point, replace=True):
        yield duality_gap(moment.seen, X, y, radius=radius)


def _spam(X: Any, y: np.ndarray, marks: list[int], seed: int) -> Iterator[float]:
    """A run for each number of rows, since the method wants the class means beforehand."""
    best = exact(X, y, l2=L2)
    model = SPAM(L2 * y.mean() * (1.0 - y.mean()), step_size=10.0, max_iter=1, shuffle=False)
    for w in _runs(model, X, y, marks, seed):
        yield float(np.sum((w - best) ** 2) / (best @ best))


def _fsauc(X: Any, y: np.ndarray, marks: list[int], seed: int) -> Iterator[float]:
    """A run for each number of rows, for which the stages are made, with the theorem's steps."""
    signed = np.where(y == 1, 1.0, -1.0)
    best = exact(X, y, l2=1e-9)
    least, radius = pair_value("squared", X @ best, signed), 1.5 * float(np.abs(best).sum())
    model = FSAUC(radius, step_size="theory", max_iter=1, shuffle=False)
    for w in _runs(model, X, y, marks, seed):
        yield pair_value("squared", X @ w, signed) - least


def _runs(model: Any, X: Any, y: np.ndarray, marks: list[int], seed: int) -> Iterator[np.ndarray]:
    drawn = visits(len(y), marks[-1], seed, replace=True)
    for mark in marks:
        yield model.fit(X[drawn[:mark]], y[drawn[:mark]]).coef_[0]


def _by_pass(model: Any, X: Any, y: np.ndarray, marks: list[int], seed: int) -> Iterator[tuple[float, float]]:
    best = exact(X, y, l2=L2)
    for moment in follow_passes(model.set_params(random_state=seed), X, y, marks):
        yield moment.passes, float(np.linalg.norm(moment.seen - best) / np.linalg.norm(best))


STREAMS: dict[str, Callable[[Any, np.ndarray, list[int], int], Iterator[float]]] = {
    "SOLAM": _solam,
    "SPAM": _spam,
    "FSAUC": _fsauc,
}


class Rates(NamedTuple):
    """The quantities that the theorems bound, against rows or passes."""

    name: str
    title: str
    claim: str
    problems: tuple[Problem, ...]
    repeats: int = 10
    points: int = 9
    passes: int = 30
    axes: tuple[tuple[str, str], ...] = (("rows", "value"), ("passes", "value"))

    def jobs(self, quick: bool) -> list[Job]:
        """One for each law and data set."""
        return [
            Job(problem.name, method, len(self._marks(method, quick)) * self._repeats(method, quick))
            for problem in ((QUICK,) if quick else self.problems)
            for method in LAWS
        ]

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """The points of each repeat's curve, which come together once it is complete."""
        problem = QUICK if quick else next(each for each in self.problems if each.name == job.data)
        X, y = problem.load(seed)
        marks = self._marks(job.method, quick)
        for repeat in range(self._repeats(job.method, quick)):
            have = {record["point"] for record in done if record["repeat"] == repeat}
            if len(have) == len(marks):
                continue
            for point, (at, value) in enumerate(list(self._curve(job.method, X, y, marks, seed + repeat))):
                if point not in have:
                    place = {LAWS[job.method].against: at, "value": short(value)}
                    yield {"repeat": repeat, "point": point, **place}

    def _curve(
        self, method: str, X: Any, y: np.ndarray, marks: list[int], seed: int
    ) -> Iterator[tuple[float, float]]:
        if method in STREAMS:
            return zip(marks, STREAMS[method](X, y, marks, seed), strict=True)
        p = float(y.mean())
        model = SPDAM(L2 / 2, batch_size=10) if method == "SPDAM" else VRSPAM(L2 * p * (1.0 - p))
        return _by_pass(model, X, y, marks, seed)

    def _repeats(self, method: str, quick: bool) -> int:
        full = self.repeats if method in STREAMS else 2
        return 1 if quick else full

    def _marks(self, method: str, quick: bool) -> list[int]:
        if method in STREAMS:
            return spaced(FIRST, 8 * FIRST if quick else LAST, 4 if quick else self.points)
        most = 6 if quick else self.passes
        return list(range(1, most + 1 if method == "SPDAM" else max(most // 2, 4)))
