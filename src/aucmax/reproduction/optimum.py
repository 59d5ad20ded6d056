"""Every method against the exact minimiser of its own objective, which the papers had no way to know."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import BPoly
from scipy.optimize import brentq
from sklearn.base import clone

from .. import FSAUC, OAM, OPAUC, SAUC, SOLAM, SPAM, SPDAM, VRSPAM, AUCClassifier, RegSOLAM, UniExp
from ..pairs.bernstein import nodes
from ..pairs.losses import Loss, get_loss, pair_value
from .curves import Moment, follow, follow_passes, spaced
from .experiment import Job
from .figure import QUICK, QUICK_PASSES, QUICK_POINTS, short, spent
from .problems import Problem
from .protocol import quiet_fit

L2 = 0.01  # in the units of AUCClassifier; each method gets what amounts to it
FAINT_L2 = 1e-4  # where the method has no penalty and the loss alone may have no minimiser
L1 = 0.01
BY_PASS = ("SPAM", "SPDAM", "VRSPAM")  # want all rows at once, the first for the means of the classes


class Goal(NamedTuple):
    """A method, and the exact minimiser of its objective: a pair loss with ``l2``, or on a ball."""

    model: Any
    best: np.ndarray
    loss: str | Loss = "squared"
    l2: float = 0.0


class Bernstein(Loss):
    """The Bernstein polynomial of a loss on [-length, length]."""

    def __init__(self, loss: str, degree: int, length: float) -> None:
        values = get_loss(loss).value(nodes(degree, length))
        self._polynomial = BPoly(values[:, None], [-length, length])

    def value(self, margin):
        return self._polynomial(margin)

    def derivative(self, margin):
        return self._polynomial(margin, 1)

    def second(self, margin):
        return self._polynomial(margin, 2)


def exact(X: Any, y: np.ndarray, loss: str | Loss = "squared", l2: float = L2, l1: float = 0.0) -> np.ndarray:
    """The minimiser of a pair loss with a penalty."""
    solver = AUCClassifier(
        loss, l2=l2, l1=l1, tol=1e-6 if loss == "hinge" else 1e-12, max_iter=1000, n_jobs=1
    )
    return quiet_fit(solver, X, y).coef_[0]


def _balanced(X: Any, y: np.ndarray) -> float:
    """L2 for objectives that carry the factor p(1-p)."""
    return float(L2 * y.mean() * (1.0 - y.mean()))


def _solam(X: Any, y: np.ndarray) -> Goal:
    best = exact(X, y)
    return Goal(SOLAM(float(np.linalg.norm(best))), best)


def _fsauc(X: Any, y: np.ndarray) -> Goal:
    best = exact(X, y, l2=0.0, l1=L1)
    return Goal(FSAUC(float(np.abs(best).sum())), best)


def _sauc(X: Any, y: np.ndarray) -> Goal:
    model = SAUC("hinge")
    kappa = float(np.sqrt(_squares(X).max()))
    loss = Bernstein("hinge", model.degree, 2.0 * kappa * model.radius)

    def excess(log_l2: float) -> float:
        return float(np.linalg.norm(exact(X, y, loss, np.exp(log_l2)))) - model.radius

    best = exact(X, y, loss, np.exp(brentq(excess, np.log(1e-6), np.log(1e3), xtol=1e-12)))
    return Goal(model, best, loss)


def _squares(X: Any) -> np.ndarray:
    return np.asarray((X * X).sum(axis=1)).ravel()


GOALS: dict[str, Callable[[Any, np.ndarray], Goal]] = {
    "SPAM": lambda X, y: Goal(SPAM(_balanced(X, y)), exact(X, y), l2=L2),
    "regSOLAM": lambda X, y: Goal(RegSOLAM(_balanced(X, y)), exact(X, y), l2=L2),
    "SOLAM": _solam,
    "FSAUC": _fsauc,
    "OPAUC": lambda X, y: Goal(OPAUC(L2 / 2), exact(X, y), l2=L2),
    "SPDAM": lambda X, y: Goal(SPDAM(L2 / 2, batch_size=10), exact(X, y), l2=L2),
    "VRSPAM": lambda X, y: Goal(VRSPAM(_balanced(X, y)), exact(X, y), l2=L2),
    "SAUC-H": _sauc,
    "online Uni-Exp": lambda X, y: Goal(
        UniExp(), exact(X, y, "exponential", FAINT_L2), "exponential", FAINT_L2
    ),
    "OAMgra": lambda X, y: Goal(OAM(), exact(X, y, "hinge", FAINT_L2), "hinge", FAINT_L2),
}


class Optimum(NamedTuple):
    """Distance to the minimiser and objective above its least, by passes over all rows of the data."""

    name: str
    title: str
    claim: str
    problems: tuple[Problem, ...]
    passes: int
    repeats: int = 2
    points: int = 10
    axes: tuple[tuple[str, str], ...] = (("passes", "distance"), ("passes", "gap"))

    def jobs(self, quick: bool) -> list[Job]:
        """One for each curve."""
        return [
            Job(problem.name, method, len(self._shares(method, quick)) * (1 if quick else self.repeats))
            for problem in ((QUICK,) if quick else self.problems)
            for method in GOALS
        ]

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """The points of each repeat's curve, which come together once it is complete."""
        problem = QUICK if quick else next(each for each in self.problems if each.name == job.data)
        X, y = problem.load(seed)
        goal, shares = GOALS[job.method](X, y), self._shares(job.method, quick)
        for repeat in range(1 if quick else self.repeats):
            have = {record["point"] for record in done if record["repeat"] == repeat}
            if len(have) == len(shares):
                continue
            moments = _moments(goal, X, y, shares, seed + repeat)
            records = [{**spent(moment), **_off(goal, X, y, moment.seen)} for moment in moments]
            yield from (
                {"repeat": repeat, "point": point, **record}
                for point, record in enumerate(records)
                if point not in have
            )

    def _shares(self, method: str, quick: bool) -> list[float]:
        """Passes at which to look; the stages of VRSPAM, which are two."""
        passes, points = (QUICK_PASSES, QUICK_POINTS) if quick else (self.passes, self.points)
        if method in BY_PASS:
            most = max(passes // 2 - 1, 1) if method == "VRSPAM" else passes
            return [float(mark) for mark in spaced(1, most, points)]
        return list(np.geomspace(0.1, passes, points))


def _moments(goal: Goal, X: Any, y: np.ndarray, shares: list[float], seed: int) -> Iterable[Moment]:
    model = clone(goal.model).set_params(random_state=seed)
    if isinstance(model, (SPAM, SPDAM, VRSPAM)):
        return follow_passes(model, X, y, [int(share) for share in shares])
    return follow(model, X, y, [round(share * len(y)) for share in shares], seed=seed)


def _off(goal: Goal, X: Any, y: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """How far away the weights are, and how far above the least objective, relative to the start at zero."""
    signed, zero = np.where(y == 1, 1.0, -1.0), np.zeros_like(w)

    def objective(w: np.ndarray) -> float:
        return pair_value(goal.loss, X @ w, signed) + 0.5 * goal.l2 * float(w @ w)

    least = objective(goal.best)
    distance = float(np.linalg.norm(w - goal.best) / np.linalg.norm(goal.best))
    gap = (objective(w) - least) / (objective(zero) - least)
    return {"distance": short(distance), "gap": short(gap)}
