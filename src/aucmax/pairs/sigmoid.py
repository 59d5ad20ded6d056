"""The sigmoid loss: AUC itself, with its steps made smooth. It is the only loss here that is not convex."""

from dataclasses import dataclass

import numpy as np

from ..validation.parameters import one_of
from .losses import Logistic, Loss, SquaredHinge, get_loss, loss_rule

_LOGISTIC = Logistic()


@dataclass(frozen=True)
class Sigmoid(Loss):
    """``1 / (1 + exp(margin))``: its mean over pairs is 1 - AUC, with the step of each pair made smooth.

    A convex loss counts a pair the more the further it is out of order, so that pairs which no linear model
    can order may rule a fit. Here no pair counts more than 1. The price is that minima are local: the one
    found is that which Newton steps reach from the minimiser of the squared hinge.
    """

    convex = False
    tail = _LOGISTIC.tail

    def value(self, margin):
        return -_LOGISTIC.derivative(margin)

    def derivative(self, margin):
        return -_LOGISTIC.second(margin)

    def second(self, margin):
        return _LOGISTIC.second(margin) * np.tanh(0.5 * np.asarray(margin))

    def curvature_bound(self, margin):
        return _LOGISTIC.second(margin)

    def approach(self):
        return [SquaredHinge()]


SIGMOID = Sigmoid()

any_loss_rule = one_of("sigmoid") | loss_rule


def get_any_loss(loss: str | Loss) -> Loss:
    """The sigmoid, or a convex loss by name or as it is."""
    return SIGMOID if isinstance(loss, str) and loss == "sigmoid" else get_loss(loss)
