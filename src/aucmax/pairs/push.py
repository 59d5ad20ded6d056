"""The p-norm push: a mean over pairs that counts the negatives at the top of the list more.

With ``b_j`` the weights of the negatives, which sum to one, and ``L_j`` the mean loss of negative j over all
positives, the pushed mean is ``F = (sum_j b_j L_j^p)^(1/p)``. It is convex and increasing in every ``L_j``,
for p >= 1 and losses that are never negative; p = 1 is the plain mean over pairs. Its gradient is that of the
plain mean with ``omega_j = b_j (L_j / F)^(p-1)`` in place of ``b_j``. So is its curvature, plus ``F (p-1)``
times the covariance of ``dL_j / L_j`` under the weights ``omega_j L_j / F``, which sum to one.

Rudin, C. (2009). The p-norm push. JMLR 10.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from ..validation.errors import ParameterError
from ..validation.parameters import Rule, is_number
from .array_sums import ArrayClasses
from .losses import KINK_SPACING, Loss
from .sums import Classes, Curvature, NegativeSums

push_rule = Rule(lambda value: is_number(value) and value >= 1, "a finite number of at least 1")

CURVATURE_POWER = 1.5  # how the best penalty grows with the push: `benchmarks/top.py penalty`
MARGINS = np.linspace(-100.0, 100.0, 401)  # where the sign of a loss is checked
ROUNDING = 1e-12  # a value so little below zero may be rounding


class PushedSums:
    """The pushed mean at given scores, and its derivatives in the scores, from those of each negative."""

    def __init__(self, sums: NegativeSums, push: float) -> None:
        self._sums, self._push = sums, push
        self._loss = np.maximum(sums.negative_losses(), 0.0)  # rounding may leave less than nothing
        top = float(self._loss.max())
        self.value, self._omega, self._share = top, sums.neg_weight, sums.neg_weight
        if 0.0 < top < np.inf:
            ratio = self._loss / top  # at most one: no power overflows
            power = ratio ** (push - 1.0)
            total = float(np.sum(sums.neg_weight * power * ratio))
            root = total ** (1.0 / push)
            self.value = top * root
            self._omega = sums.neg_weight * power * root ** (1.0 - push)
            self._share = sums.neg_weight * power * ratio / total

    def gradient(self) -> np.ndarray:
        return self._sums.combine_negative_slopes(self._omega)

    @cached_property
    def _pair_curvature(self) -> Curvature:
        return self._sums.reweighted(self._omega)

    def _relative(self, slopes: np.ndarray) -> np.ndarray:
        """Derivatives of the logarithm of each ``L_j``; zero where the loss and so its slope are zero."""
        return np.divide(slopes, self._loss, out=np.zeros_like(slopes), where=self._loss > 0.0)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        relative = self._relative(self._sums.negative_slopes(t))
        # By shares that sum to one: errors of the mean are multiplied by the push.
        mean = float(np.sum(self._share * relative))
        u = (self._push - 1.0) * self._omega * (relative - mean)
        return self._pair_curvature.curvature(t) + self._sums.combine_negative_slopes(u)

    def diagonal(self) -> np.ndarray:
        """For positives without the push's own term, which is smaller by the weight of a row."""
        out = self._pair_curvature.diagonal()
        rows = self._sums.neg_rows
        of_negatives = np.zeros(len(out))
        of_negatives[rows] = 1.0
        slope = self._sums.negative_slopes(of_negatives)  # of each L_j by the negative's own score
        share = self._omega / (self.value or 1.0)
        out[rows] += (self._push - 1.0) * self._omega * slope * (self._relative(slope) - share * slope)
        return out


@dataclass(frozen=True)
class Pushed(Loss):
    """A loss whose mean over pairs is the pushed one; of a single margin it is the loss itself."""

    loss: Loss
    push: float

    @property
    def kinked(self) -> bool:  # type: ignore[override]
        return self.loss.kinked

    @property
    def mesh_spacing(self) -> float:
        return min(KINK_SPACING, self.loss.mesh_spacing)

    def ends(self):
        return self.loss.ends()

    def value(self, margin):
        return self.loss.value(margin)

    def derivative(self, margin):
        return self.loss.derivative(margin)

    def second(self, margin):
        return self.loss.second(margin)

    def smoothed(self, smoothing):
        """Between ``F - smoothing/2`` and ``F``, since F grows with the losses, never faster."""
        return Pushed(self.loss.smoothed(smoothing), self.push)

    def approach(self):
        """Pushes from 8 on, each twice the last: near its minimum one is nearly quadratic for the next."""
        return [Pushed(self.loss, 8.0 * 2.0**k) for k in range(int(np.ceil(np.log2(self.push / 8.0))))]

    def mean_curvature(self):
        """That of the loss, times a power of the push.

        The push multiplies the curvature by about p, and as fewer negatives count it is less certain, which
        a penalty must make up for: in cross-validation the best one grows like ``p**1.5``.
        """
        return self.loss.mean_curvature() * self.push**CURVATURE_POWER

    def sums(self, classes: Classes, score: np.ndarray) -> PushedSums:
        if isinstance(classes, ArrayClasses):
            allowed = "1 where X is no NumPy array or SciPy matrix (with {max_fpr}, give {pushes=[1]})"
            raise ParameterError(None, "push", allowed, self.push)
        return PushedSums(cast(NegativeSums, self.loss.sums(classes, score)), self.push)


def push_loss(loss: Loss, push: float, owner: str | None = None) -> Loss:
    """The loss with a push, or itself for a push of 1; a ParameterError if it goes below zero."""
    if push == 1.0:
        return loss
    if not loss.convex:
        raise ParameterError(owner, "push", "1 for a loss that is not convex", push)
    with np.errstate(over="ignore"):
        values = loss.value(MARGINS)
    lowest = int(np.argmin(values))
    if values[lowest] < -ROUNDING:
        where = f"{values[lowest]:.3g} at margin {MARGINS[lowest]:g}"
        raise ParameterError(owner, "push", f"1 for a loss that goes below zero (it is {where})", push)
    return Pushed(loss, float(push))
