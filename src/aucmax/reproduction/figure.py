"""What a figure is: methods followed on data sets, one record for each point of a curve."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import datasets
from ..metrics import auc
from .curves import Moment, follow, follow_passes, spaced, weights
from .diagnostics import update_variance
from .experiment import Job
from .methods import METHODS, WIDE, Method
from .problems import Problem
from .protocol import Protocol, tuned

QUICK = Problem("diabetes", ("diabetes",), "range")
QUICK_PASSES, QUICK_POINTS = 8, 3
FIRST_ROWS = 50
SLOW_STEPS = (2.0**-8, 2.0**-4)  # OPAUC's on wide data, where a row costs so much that only these are tried
BY_PASS = ("SPDAM", "VRSPAM-L2", "SPAM-L2")  # want all rows at once, the last for the means of the classes
WITH_VARIANCE = ("SPAM-L2", "VRSPAM-L2")


class Line(NamedTuple):
    """A method of the tables as a curve; ``like`` names the method whose tuned l2 it takes over."""

    label: str
    method: str
    fixed: tuple[tuple[str, Any], ...] = ()
    like: str = ""


class Figure(NamedTuple):
    """Curves of test AUC, a panel for each data set; ``axes`` are x and y of each row of panels.

    Every repeat is another split into 80 % and 20 %. Parameters are tuned on the first one's training rows,
    for as many passes as the figure shows, or for those that the method makes by default if they are fewer.
    """

    name: str
    title: str
    claim: str
    problems: tuple[Problem, ...]
    lines: tuple[Line, ...]
    axes: tuple[tuple[str, str], ...]
    passes: int
    repeats: int = 3
    points: int = 12

    def jobs(self, quick: bool) -> list[Job]:
        """One for each curve."""
        return [
            Job(problem.name, line.label, len(self._marks(problem, line, quick)) * self._repeats(quick))
            for problem in ((QUICK,) if quick else self.problems)
            for line in self.lines
        ]

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """The points of each repeat's curve, which come together once it is complete."""
        problem = QUICK if quick else next(each for each in self.problems if each.name == job.data)
        line = next(each for each in self.lines if each.label == job.method)
        X, y = problem.load(seed)
        splits = Protocol(self._repeats(quick), 0).splits(y, False, seed)
        marks = self._marks(problem, line, quick)
        A, b = X[splits[0][0]], y[splits[0][0]]
        params = json.loads(done[0]["params"]) if done else self._params(line, A, b, quick, seed)
        for repeat, (train, test) in enumerate(splits):
            have = {record["point"] for record in done if record["repeat"] == repeat}
            if len(have) == len(marks):
                continue
            model = METHODS[line.method].make(X.shape[1]).set_params(**params)
            parts = X[train], y[train], X[test], y[test]
            told = {"repeat": repeat, "params": json.dumps(params)}
            for point, found in enumerate(list(self._curve(line, model, parts, marks, seed + repeat))):
                if point not in have:
                    yield {**told, "point": point, **found}

    def _repeats(self, quick: bool) -> int:
        return 1 if quick else self.repeats

    def _marks(self, problem: Problem, line: Line, quick: bool) -> list[int]:
        """Where the curve is looked at: rows, or passes of methods that want all rows at once."""
        passes = QUICK_PASSES if quick else self.passes
        points = QUICK_POINTS if quick else self.points
        n = sum(datasets.HOMES[name].n_rows for name in problem.files)
        n -= math.ceil(0.2 * n)
        if line.method == "OPAUC" and datasets.HOMES[problem.files[0]].n_features >= WIDE:
            passes = 1
        if line.method == "VRSPAM-L2":  # as many passes over the rows: see `follow_passes`
            return spaced(1, max(passes // 2 - 1, 1), points)
        if line.method in BY_PASS:
            return spaced(1, passes, points)
        return spaced(max(FIRST_ROWS, n / 100), passes * n, points)

    def _params(self, line: Line, X: Any, y: np.ndarray, quick: bool, seed: int) -> dict[str, Any]:
        """What is fixed, and the best of the rest on inner folds, at the figure's number of passes."""
        method, fixed = METHODS[line.method], dict(line.fixed)
        if line.like:
            fixed["l2"] = self._chosen(METHODS[line.like], {}, X, y, quick, seed)["l2"]
        return {**fixed, **self._chosen(method, fixed, X, y, quick, seed)}

    def _chosen(
        self, method: Method, fixed: dict[str, Any], X: Any, y: np.ndarray, quick: bool, seed: int
    ) -> dict[str, Any]:
        grid = {name: values for name, values in (method.grid or {}).items() if name not in fixed}
        if method.name == "OPAUC" and X.shape[1] >= WIDE:
            grid = {"step_size": SLOW_STEPS}
        most = QUICK_PASSES if quick else self.passes

        def make(n_features: int) -> Any:
            model = method.make(n_features).set_params(**fixed)
            return model.set_params(max_iter=min(model.max_iter, most))

        searched = method._replace(make=make, grid=grid)
        return tuned(searched.thinned() if quick else searched, X, y, seed)

    def _curve(
        self, line: Line, model: Any, parts: tuple, marks: Sequence[int], seed: int
    ) -> Iterator[dict[str, float]]:
        X, y, X_test, y_test = parts
        model.set_params(random_state=seed)
        if any("variance" in axis for axis in self.axes) and line.method in WITH_VARIANCE:
            yield from _with_variance(line, model, parts, marks)
            return
        by_pass = line.method in BY_PASS
        moments: Iterable[Moment]
        moments = follow_passes(model, X, y, marks) if by_pass else follow(model, X, y, marks, seed=seed)
        for moment in moments:
            yield {**spent(moment), "auc": short(auc(y_test, X_test @ moment.seen))}


def _with_variance(line: Line, model: Any, parts: tuple, marks: Sequence[int]) -> Iterator[dict[str, float]]:
    """Curves of SPAM, whose updates are taken at the last iterate, or of VRSPAM, against its anchor."""
    X, y, X_test, y_test = parts
    stages = follow_passes(model, X, y, range(1, marks[-1] + 1), look=_both)
    for mark in marks:
        w, last = stages[mark - 1].seen
        found = {**spent(stages[mark - 1]), "auc": short(auc(y_test, X_test @ w))}
        if line.method == "SPAM-L2":
            found["variance"] = short(update_variance(last, X, y))
        elif mark > 1:  # the first stage's anchor is not seen
            found["variance"] = short(update_variance(w, X, y, anchor=stages[mark - 2].seen[0]))
        yield found


def _both(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """The average and the last iterate."""
    return weights(model), model._solver.model.last().copy()


class Degrees(Figure):
    """Test AUC of SAUC against the degree of its polynomial; the rest is tuned at degree 10."""

    VALUES = (2, 5, 10, 25, 40)

    def _marks(self, problem: Problem, line: Line, quick: bool) -> list[int]:
        return list(self.VALUES[:: 2 if quick else 1])

    def _curve(
        self, line: Line, model: Any, parts: tuple, marks: Sequence[int], seed: int
    ) -> Iterator[dict[str, float]]:
        X, y, X_test, y_test = parts
        model.set_params(random_state=seed, max_iter=min(model.max_iter, self.passes))
        for degree in marks:
            w = model.set_params(degree=degree).fit(X, y).coef_[0]
            yield {"degree": degree, "auc": short(auc(y_test, X_test @ w))}


def spent(moment: Moment) -> dict[str, float]:
    """What a moment had cost, for a record."""
    return {
        "rows": moment.rows,
        "passes": short(moment.passes),
        "iterations": moment.iterations,
        "seconds": short(moment.seconds),
    }


def short(value: float) -> float:
    """Six digits, which is all that a figure shows."""
    return float(f"{value:.6g}")
