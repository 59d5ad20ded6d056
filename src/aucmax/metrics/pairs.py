"""The mean loss over all pairs: the objective that the models minimise, without the penalty."""

from numpy.typing import ArrayLike

from ..pairs.losses import Loss, pair_value
from .sorted_rows import check_scores_and_weights


def pair_loss(
    y: ArrayLike, score: ArrayLike, loss: str | Loss, sample_weight: ArrayLike | None = None
) -> float:
    r"""Mean loss over all (positive, negative) pairs, without forming the pairs.

    .. math:: \frac{1}{n_+ n_-} \sum_{i+} \sum_{j-} \ell(s_i - s_j)

    Parameters
    ----------
    y, score, sample_weight : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    loss : str or Loss
        A name in ``aucmax.losses.LOSSES`` or a :class:`aucmax.losses.Loss`.

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
    values, signed = check_scores_and_weights(y, score, sample_weight)
    weighted = signed != 0
    return pair_value(loss, values[weighted], signed[weighted].astype(float))
