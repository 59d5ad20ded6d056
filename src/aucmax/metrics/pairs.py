"""The loss a pairwise model is trained on, measured on any scores."""

import numpy as np
from numpy.typing import ArrayLike

from ..pairs.losses import Loss, pair_value
from ..validation.labels import check_positive
from ..validation.scores import check_same_length, check_scores
from ..validation.weights import check_weights, scale_class_weights


def pair_loss(
    y: ArrayLike, score: ArrayLike, loss: str | Loss, sample_weight: ArrayLike | None = None
) -> float:
    r"""Mean loss over all (positive, negative) pairs, without making the pairs.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(s_i - s_j)

    Parameters
    ----------
    y : array-like of shape (n,)
        Any two labels; the larger one is the positive class.
    score : array-like of shape (n,)
        Finite real numbers.
    loss : str or Loss
        ``"squared_hinge"``, ``"hinge"``, ``"logistic"``, ``"squared"``, ``"exponential"`` or a
        :class:`aucmax.losses.Loss`.
    sample_weight : array-like of shape (n,), optional
        Weights, finite and not negative; a pair counts the product of its two weights.

    Returns
    -------
    float
        The mean pair loss.

    Examples
    --------
    >>> from aucmax.metrics import pair_loss
    >>> pair_loss([0, 0, 1, 1], [0.0, 1.0, 0.5, 2.0], "hinge")
    0.5
    """
    positive, values = check_positive(y), check_scores(score)
    check_same_length(y=positive.size, score=values.size)
    sign = np.where(positive, 1.0, -1.0)
    if sample_weight is None:
        return float(pair_value(loss, values, sign))
    weight = scale_class_weights(check_weights(sample_weight, positive.size), positive)
    kept = weight > 0
    return float(pair_value(loss, values[kept], (sign * weight)[kept]))
