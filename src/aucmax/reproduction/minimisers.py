"""The exact minimiser of each method's own objective.

A minimiser with an l2 or l1 penalty is also the minimiser on the ball of that norm on whose surface it lies.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.interpolate import BPoly
from scipy.optimize import brentq
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import row_norms

from .. import FSAUC, OAM, OPAUC, SAUC, SOLAM, SPAM, SPDAM, VRSPAM, AUCClassifier, RegSOLAM, UniExp
from ..pairs.bernstein import nodes
from ..pairs.losses import Loss, get_loss, pair_value
from .diagnostics import Matrix, relative_distance
from .protocol import fit_quietly

L2 = 0.01  # in the units of AUCClassifier(standardize=False); each method gets the equivalent
SMALL_L2 = 1e-4  # where the method has no penalty and the loss alone may have no minimiser
L1 = 0.01


class Target(NamedTuple):
    """A method and the exact minimiser of its objective: a pair loss with a penalty, or on a ball."""

    model: BaseEstimator
    best: np.ndarray
    loss: str | Loss = "squared"
    l2: float = 0.0

    def excess(self, w: np.ndarray, X: Matrix, y: np.ndarray) -> dict[str, float]:
        """Distance to the minimiser and gap of the objective, relative to those of zero weights."""
        signed = np.where(y == 1, 1.0, -1.0)

        def objective(w: np.ndarray) -> float:
            return pair_value(self.loss, X @ w, signed) + 0.5 * self.l2 * float(w @ w)

        least = objective(self.best)
        gap = (objective(w) - least) / (objective(np.zeros_like(w)) - least)
        return {"distance": relative_distance(w, self.best), "gap": gap}


class BernsteinLoss(Loss):
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


def minimise(
    X: Matrix, y: np.ndarray, loss: str | Loss = "squared", l2: float = L2, l1: float = 0.0
) -> np.ndarray:
    """The minimiser of a pair loss with a penalty."""
    tol = 1e-6 if loss == "hinge" else 1e-12
    exact = AUCClassifier(loss, l2=l2, l1=l1, standardize=False, tol=tol, max_iter=1000, n_jobs=1)
    return fit_quietly(exact, X, y).coef_[0]


def class_balance(y: np.ndarray) -> float:
    """The factor p(1-p) that some methods' objectives carry, and therefore their l2."""
    return float(y.mean() * (1.0 - y.mean()))


def _solam_target(X: Matrix, y: np.ndarray) -> Target:
    best = minimise(X, y)
    return Target(SOLAM(float(np.linalg.norm(best))), best)


def _fsauc_target(X: Matrix, y: np.ndarray) -> Target:
    best = minimise(X, y, l2=0.0, l1=L1)
    return Target(FSAUC(float(np.abs(best).sum())), best)


def _sauc_target(X: Matrix, y: np.ndarray) -> Target:
    """Search for the l2 whose minimiser has the norm ``model.radius``."""
    model = SAUC("hinge")
    largest_norm = float(row_norms(X).max())
    loss = BernsteinLoss("hinge", model.degree, 2.0 * largest_norm * model.radius)

    def excess_norm(log_l2: float) -> float:
        return float(np.linalg.norm(minimise(X, y, loss, np.exp(log_l2)))) - model.radius

    l2 = np.exp(brentq(excess_norm, np.log(1e-6), np.log(1e3), xtol=1e-12))
    return Target(model, minimise(X, y, loss, l2), loss)


def _unpenalised_target(model: BaseEstimator, loss: str) -> Callable[[Matrix, np.ndarray], Target]:
    return lambda X, y: Target(model, minimise(X, y, loss, SMALL_L2), loss, SMALL_L2)


TARGETS: dict[str, Callable[[Matrix, np.ndarray], Target]] = {
    "SPAM": lambda X, y: Target(SPAM(L2 * class_balance(y)), minimise(X, y), l2=L2),
    "regSOLAM": lambda X, y: Target(RegSOLAM(L2 * class_balance(y)), minimise(X, y), l2=L2),
    "SOLAM": _solam_target,
    "FSAUC": _fsauc_target,
    "OPAUC": lambda X, y: Target(OPAUC(L2 / 2), minimise(X, y), l2=L2),
    "SPDAM": lambda X, y: Target(SPDAM(L2 / 2, batch_size=10), minimise(X, y), l2=L2),
    "VRSPAM": lambda X, y: Target(VRSPAM(L2 * class_balance(y)), minimise(X, y), l2=L2),
    "SAUC-H": _sauc_target,
    "online Uni-Exp": _unpenalised_target(UniExp(), "exponential"),
    "OAMgra": _unpenalised_target(OAM(), "hinge"),
}
