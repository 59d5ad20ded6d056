"""The penalty ``l2``: its default, and the losses that need one."""

from typing import Any

import numpy as np

from ..pairs.losses import Loss
from ..validation.errors import ParameterError
from ..validation.weights import check_weights
from .moments import Moments


def within_class_variance(moments: Moments) -> float:
    """Mean squared distance of a row from the mean of its class, both classes counted alike."""
    variance = 0.5 * float(np.sum(moments.pos_variance + moments.neg_variance))
    return variance if variance > 0.0 else 1.0


def default_l2(moments: Moments, signed: np.ndarray, sample_weight: Any) -> float:
    """``l2="auto"``: the variance within classes over the total weight, as given, of the rarer class."""
    weight = check_weights(sample_weight, len(signed))
    rarer = min(weight[signed > 0.0].sum(), weight[signed < 0.0].sum())
    return within_class_variance(moments) / float(rarer)


def check_l2(estimator: Any, loss: Loss, l2: float) -> None:
    """Refuse a loss with a kink without ``l2``: it need not have one minimiser, and no gap can be proven."""
    if loss.kinked and l2 == 0.0:
        allowed = f"above 0 for {{loss={estimator.loss!r}}} (not for {{loss='squared_hinge'}})"
        raise ParameterError(type(estimator).__name__, "l2", allowed, l2)
