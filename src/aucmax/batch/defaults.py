"""The penalty ``l2``: its default, and what a loss does not go with or needs."""

from typing import Any

import numpy as np

from ..pairs.losses import Loss
from ..validation.errors import ParameterError
from ..validation.namespaces import as_numpy, find_arrays
from ..validation.weights import check_weights
from .moments import Moments

SHARE = 0.2  # the best for the logistic loss in benchmarks/batch_l2.py, near the best for the squared hinge


def within_class_variance(moments: Moments) -> float:
    """Mean squared distance of a row from the mean of its class, both classes counted alike."""
    variance = 0.5 * float(np.sum(moments.pos_variance + moments.neg_variance))
    return variance if variance > 0.0 else 1.0


def rarer_class_weight(signed: Any, sample_weight: Any) -> float:
    """Total weight, as given, of the rarer class."""
    arrays = find_arrays(signed)
    if arrays is not None:
        if sample_weight is None:
            return float(min(int(arrays.xp.count_nonzero(each)) for each in (signed > 0.0, signed < 0.0)))
        signed, sample_weight = arrays.get(signed), as_numpy(sample_weight)
    weight = check_weights(sample_weight, len(signed))
    return float(min(weight[signed > 0.0].sum(), weight[signed < 0.0].sum()))


def default_l2(loss: Loss, moments: Moments, rarer_weight: float) -> float:
    """``l2="auto"``: a share of the loss's curvature along the columns, less the more rows there are.

    The curvature of the mean pair loss is that of the loss times the variance of the columns; estimated from
    n rows of the rarer class it is uncertain by a share of order 1/n, which the penalty makes up for.
    """
    return SHARE * loss.mean_curvature() * within_class_variance(moments) / rarer_weight


def check_l1(estimator: Any, loss: Loss) -> None:
    """Refuse ``l1`` for a loss that is not convex, which its solver relies on."""
    if estimator.l1 > 0.0 and not loss.convex:
        allowed = f"0 for {{loss={estimator.loss!r}}} (not for {{loss='squared_hinge'}})"
        raise ParameterError(type(estimator).__name__, "l1", allowed, estimator.l1)


def check_max_fpr(estimator: Any, loss: Loss) -> None:
    """Refuse ``max_fpr`` for a loss that is not convex, as the pushes that it tries need a convex one."""
    if estimator.max_fpr is not None and isinstance(estimator.pushes, str) and not loss.convex:
        allowed = f"convex for {{max_fpr={estimator.max_fpr}}}, unless {{pushes=[1]}}"
        raise ParameterError(type(estimator).__name__, "loss", allowed, estimator.loss)


def check_l2(estimator: Any, loss: Loss, l2: float) -> None:
    """Refuse to go without ``l2`` where a minimiser may not be unique: a loss with a kink, or not convex."""
    if (loss.kinked or not loss.convex) and l2 == 0.0:
        allowed = f"above 0 for {{loss={estimator.loss!r}}} (not for {{loss='squared_hinge'}})"
        raise ParameterError(type(estimator).__name__, "l2", allowed, l2)
