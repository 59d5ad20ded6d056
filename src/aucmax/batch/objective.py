"""The regularised mean pair loss of a linear scorer, in the form the Newton solver needs."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..pairs.losses import Loss
from ..pairs.sums import Classes, PairSums
from .products import Products


class Objective(NamedTuple):
    """Mean pair loss of ``X w`` plus ``l2/2 |w|^2``."""

    products: Products
    classes: Classes
    loss: Loss
    l2: float

    def at(self, w: np.ndarray, Xw: np.ndarray | None = None) -> "Point":
        """The objective at ``w``; give ``Xw`` if it is already known."""
        return Point(self, w, self.products.scores(w) if Xw is None else Xw)


class Point:
    """The objective at one ``w``: value, gradient, and products with the Hessian."""

    def __init__(
        self, objective: Objective, w: np.ndarray, Xw: np.ndarray, sums: PairSums | None = None
    ) -> None:
        self.w, self.Xw, self.objective = w, Xw, objective
        self.sums: PairSums = objective.loss.sums(objective.classes, Xw) if sums is None else sums
        self.value = self.sums.value + 0.5 * objective.l2 * float(w @ w)

    def for_objective(self, objective: Objective) -> "Point":
        """The point of another objective on these rows at this ``w``; with the same loss, sums are reused."""
        if objective.loss != self.objective.loss:
            return Point(objective, self.w, self.Xw)
        point = Point(objective, self.w, self.Xw, self.sums)
        point.pair_gradient = self.pair_gradient
        return point

    @cached_property
    def score_gradient(self) -> np.ndarray:
        """Derivative of the mean pair loss by each row's score."""
        return self.sums.gradient()

    @cached_property
    def pair_gradient(self) -> np.ndarray:
        """Derivative of the mean pair loss by each weight."""
        return self.objective.products.combine(self.score_gradient)

    @cached_property
    def gradient(self) -> np.ndarray:
        """Derivative of the objective by each weight."""
        return self.pair_gradient + self.objective.l2 * self.w

    def slope(self, v: np.ndarray, Xv: np.ndarray) -> float:
        """The gradient times ``v``, without a product with X, since ``Xv`` is known."""
        along_scores = self.objective.products.inner(self.score_gradient, Xv)
        return float(along_scores + self.objective.l2 * np.sum(self.w * v))

    def hessp(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hessian times ``v``, and ``X v``."""
        products = self.objective.products
        Xv = products.scores(v)
        return products.combine(self.sums.curvature(Xv)) + self.objective.l2 * v, Xv
