"""Margin losses, and their mean over all pairs of a positive and a negative row."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..validation.parameters import Rule, one_of
from .array_sums import ArrayChebyshevSums, ArrayClasses, ArraySortedSums
from .chebyshev import ChebyshevSums
from .loss_check import check_loss
from .product_sums import ExponentialSums, SquaredSums
from .sorted_sums import SortedSums
from .sums import Classes, PairSums


class Ends(NamedTuple):
    """The polynomials ``(constant, linear, square)`` that a loss is below ``low`` and above ``high``."""

    low: float
    below: tuple[float, float, float]
    high: float
    above: tuple[float, float, float]


ZERO = 0.0, 0.0, 0.0
KINK_SPACING = 1.0 / 256.0  # of a mesh for losses with a kink, in themselves or in their derivative


class Loss(ABC):
    """A convex loss of a margin, the score of a positive row minus that of a negative one.

    Subclass it to minimise your own loss: ``value``, ``derivative`` and ``second`` take an array of
    margins. The loss must be smooth, because it is approximated by polynomials on cells of the score axis; a
    loss with a kink raises an error, and so does one that is not convex or whose derivatives are wrong
    between margins of -10 and 10, with the margin where it fails. It must be hashable, as every object is
    whose class does not define ``__eq__``.

    Attributes
    ----------
    width : float
        Width of a cell: the loss must be close to a polynomial of degree 15 over twice this
        length. Smaller for a loss whose curvature changes quickly.
    tail : float
        Margin beyond which, on either side, the loss is a straight line to machine precision;
        infinity if it never is, and then scores may spread over at most 2000 cells.
    kinked : bool
        Whether the loss has a kink; its ``smoothed`` and ``sums`` must then be defined as well.
    closed_form : bool
        Whether the loss is ``(1 - margin)^2``, whose minimiser follows from class means and covariances.
    convex : bool
        Whether the loss is convex, as every loss is but the sigmoid of `AUCClassifierCV`.

    Examples
    --------
    >>> import numpy as np
    >>> class Softplus(Loss):
    ...     def value(self, margin): return np.logaddexp(0.0, 1.0 - margin)
    ...     def derivative(self, margin): return -1.0 / (1.0 + np.exp(margin - 1.0))
    ...     def second(self, margin): return 0.25 / np.cosh(0.5 * (margin - 1.0)) ** 2
    >>> round(pair_value(Softplus(), np.array([2.0, 0.5, 1.0]), np.array([1.0, -1.0, -1.0])), 6)
    0.583612
    """

    width: float = 2.0
    tail: float = np.inf
    kinked: bool = False
    closed_form: bool = False
    convex: bool = True

    @abstractmethod
    def value(self, margin: np.ndarray) -> np.ndarray:
        """Loss of each margin."""

    @abstractmethod
    def derivative(self, margin: np.ndarray) -> np.ndarray:
        """First derivative at each margin."""

    @abstractmethod
    def second(self, margin: np.ndarray) -> np.ndarray:
        """Second derivative at each margin."""

    def curvature_bound(self, margin: np.ndarray) -> np.ndarray:
        """A bound of the second derivative that is never negative: itself, if the loss is convex."""
        return self.second(margin)

    def smoothed(self, smoothing: float) -> "Loss":
        """A smooth loss between ``loss - smoothing/2`` and ``loss``: itself, unless it has a kink."""
        return self

    def approach(self) -> list["Loss"]:
        """Losses to minimise roughly before this one, from the easiest on; none for most."""
        return []

    def mean_curvature(self) -> float:
        """Mean second derivative over margins from -1/2 to 3/2, between which most pairs end up."""
        low, high = self.derivative(np.array([-0.5, 1.5]))
        return 0.5 * float(high - low)

    @property
    def mesh_spacing(self) -> float:
        """Distance of the nodes at which scores on many machines are summed."""
        return self.width / 128.0

    def ends(self) -> Ends:
        """Where the loss is a polynomial of at most the second degree."""
        if not np.isfinite(self.tail):
            return Ends(-np.inf, ZERO, np.inf, ZERO)
        margin = np.array([-self.tail, self.tail])
        slope = self.derivative(margin)
        below, above = zip(self.value(margin) - slope * margin, slope, np.zeros(2), strict=True)
        return Ends(-self.tail, below, self.tail, above)

    def sums(self, classes: Classes, score: np.ndarray) -> PairSums:
        """Mean over all pairs at these scores, with derivatives in the scores."""
        kind = ArrayChebyshevSums if isinstance(classes, ArrayClasses) else ChebyshevSums
        return kind(classes, score, self)


def piecewise_sums(
    classes: Classes, score: np.ndarray, knots: Iterable[tuple[float, float]], degree: int
) -> PairSums:
    """Sums of ``sum_k c_k max(0, knot_k - margin)^degree``, with ``knots`` the pairs ``(knot_k, c_k)``."""
    kind: Any = ArraySortedSums if isinstance(classes, ArrayClasses) else SortedSums
    return kind(classes, score, knots, degree)


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """``max(0, 1 - margin)^2``."""

    def value(self, margin):
        return np.maximum(0.0, 1.0 - margin) ** 2

    def derivative(self, margin):
        return -2.0 * np.maximum(0.0, 1.0 - margin)

    def second(self, margin):
        return 2.0 * (np.asarray(margin) < 1.0)

    mesh_spacing = KINK_SPACING

    def ends(self):
        return Ends(1.0, (1.0, -2.0, 1.0), 1.0, ZERO)

    def sums(self, classes, score):
        return piecewise_sums(classes, score, ((1.0, 1.0),), degree=2)


@dataclass(frozen=True)
class SmoothedHinge(Loss):
    """The hinge with its corner rounded by a parabola: between ``hinge - smoothing/2`` and ``hinge``."""

    smoothing: float = 0.1

    def value(self, margin):
        hinge = np.maximum(0.0, 1.0 - margin)
        return np.where(
            hinge < self.smoothing, hinge**2 / (2.0 * self.smoothing), hinge - 0.5 * self.smoothing
        )

    def derivative(self, margin):
        return -np.clip((1.0 - margin) / self.smoothing, 0.0, 1.0)

    def second(self, margin):
        hinge = 1.0 - np.asarray(margin)
        return ((hinge > 0.0) & (hinge < self.smoothing)) / self.smoothing

    @property
    def mesh_spacing(self):
        return min(KINK_SPACING, self.smoothing / 8.0)

    def ends(self):
        return Ends(1.0 - self.smoothing, (1.0 - 0.5 * self.smoothing, -1.0, 0.0), 1.0, ZERO)

    def sums(self, classes, score):
        c = 0.5 / self.smoothing
        return piecewise_sums(classes, score, ((1.0, c), (1.0 - self.smoothing, -c)), degree=2)


@dataclass(frozen=True)
class Hinge(Loss):
    """``max(0, 1 - margin)``; at the kink its derivative is taken as 0."""

    kinked = True

    def value(self, margin):
        return np.maximum(0.0, 1.0 - margin)

    def derivative(self, margin):
        return -1.0 * (np.asarray(margin) < 1.0)

    def second(self, margin):
        return np.zeros_like(margin, dtype=float)

    def smoothed(self, smoothing):
        return SmoothedHinge(smoothing)

    mesh_spacing = KINK_SPACING / 8.0

    def ends(self):
        return Ends(1.0, (1.0, -1.0, 0.0), 1.0, ZERO)

    def sums(self, classes, score):
        return piecewise_sums(classes, score, ((1.0, 1.0),), degree=1)


@dataclass(frozen=True)
class Squared(Loss):
    """``(1 - margin)^2``."""

    closed_form = True

    def value(self, margin):
        return (1.0 - margin) ** 2

    def derivative(self, margin):
        return -2.0 * (1.0 - margin)

    def second(self, margin):
        return np.full_like(margin, 2.0, dtype=float)

    def ends(self):
        return Ends(0.0, (1.0, -2.0, 1.0), 0.0, (1.0, -2.0, 1.0))

    def sums(self, classes, score):
        return SquaredSums(classes, score)


@dataclass(frozen=True)
class Logistic(Loss):
    """``log(1 + exp(-margin))``."""

    tail = 40.0

    def value(self, margin):
        return np.logaddexp(0.0, -margin)

    def derivative(self, margin):
        return -np.exp(-np.logaddexp(0.0, margin))

    def second(self, margin):
        return np.exp(-np.logaddexp(0.0, margin) - np.logaddexp(0.0, -margin))


@dataclass(frozen=True)
class Exponential(Loss):
    """``exp(-margin)``."""

    def value(self, margin):
        return np.exp(-margin)

    def derivative(self, margin):
        return -np.exp(-margin)

    def second(self, margin):
        return np.exp(-margin)

    def sums(self, classes, score):
        return ExponentialSums(classes, score)


LOSSES: dict[str, Loss] = {
    "squared_hinge": SquaredHinge(),
    "hinge": Hinge(),
    "logistic": Logistic(),
    "squared": Squared(),
    "exponential": Exponential(),
}

loss_rule = one_of(*LOSSES) | Rule(lambda value: isinstance(value, Loss), "an aucmax.losses.Loss")


def get_loss(loss: str | Loss) -> Loss:
    """The loss of that name, or the loss itself if it is convex and its derivatives are right."""
    if isinstance(loss, Loss):
        if not type(loss).__module__.startswith("aucmax."):
            check_loss(loss)
        return loss
    loss_rule.check("loss", loss)
    return LOSSES[loss]


def pair_value(loss: str | Loss, score: np.ndarray, y: np.ndarray) -> float:
    """Mean loss over all pairs of a positive and a negative row.

    Parameters
    ----------
    loss : str or Loss
    score : array of shape (n,)
    y : array of shape (n,)
        Signed weights: ``+weight`` for a positive row, ``-weight`` for a negative one. A pair
        counts the product of its weights.
    """
    return get_loss(loss).sums(Classes.split(y), np.asarray(score, dtype=float)).value
