"""Area under a part of the ROC curve."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.jit import kernel
from ..validation.parameters import Rule, is_number, none, rate
from .sorted_rows import sort_rows

max_fpr_rule = none | rate
min_tpr_rule = none | Rule(lambda value: is_number(value) and 0 <= value < 1, "a number from 0 to below 1")


class Region(NamedTuple):
    """The part of the ROC square left of ``max_fpr`` and above ``min_tpr``."""

    max_fpr: float
    min_tpr: float

    @classmethod
    def from_arguments(cls, max_fpr: float | None, min_tpr: float | None) -> "Region":
        """Check both rates; None keeps all."""
        max_fpr_rule.check("max_fpr", max_fpr)
        min_tpr_rule.check("min_tpr", min_tpr)
        return cls(1.0 if max_fpr is None else float(max_fpr), 0.0 if min_tpr is None else float(min_tpr))

    @property
    def whole(self) -> bool:
        """Whether this is the whole square."""
        return self == (1.0, 0.0)

    @property
    def best(self) -> float:
        """The area of the region, that of the best curve."""
        return self.max_fpr * (1 - self.min_tpr)

    def standardize(self, area: float) -> float:
        """The area on the scale where the best curve is 1 and the diagonal 1/2 (McClish, 1989)."""
        diagonal = max(self.max_fpr - self.min_tpr, 0.0) ** 2 / 2
        return (1 + (area - diagonal) / (self.best - diagonal)) / 2


def partial_auc(
    y: ArrayLike,
    score: ArrayLike,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    standardized: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Area under the part of the ROC curve with few false positives, many true positives, or both.

    .. math:: \int_0^{\mathrm{max\_fpr}} \max(\mathrm{TPR}(u) - \mathrm{min\_tpr},\, 0) \; du

    Parameters
    ----------
    y, score, sample_weight : array-like of shape (n,)
        As in :func:`aucmax.metrics.auc`.
    max_fpr : float, optional
        Keep the curve left of this false positive rate, in (0, 1]. None keeps all.
    min_tpr : float, optional
        Keep the area above this true positive rate, in [0, 1). None keeps all.
    standardized : bool, default=False
        Rescale (McClish, 1989) so that the best curve gives 1 and the diagonal gives 1/2, as
        ``sklearn.metrics.roc_auc_score(max_fpr=...)`` does.

    Returns
    -------
    float
        The area; at most ``max_fpr * (1 - min_tpr)``, or 1 when standardized.

    Examples
    --------
    >>> from aucmax.metrics import partial_auc
    >>> y, score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_auc(y, score, max_fpr=0.5)
    0.25
    """
    region = Region.from_arguments(max_fpr, min_tpr)
    area = area_in_region(*roc_points(y, score, sample_weight), region)
    return region.standardize(area) if standardized else area


def area_in_region(fpr: NDArray[np.float64], tpr: NDArray[np.float64], region: Region) -> float:
    """Area under the curve within the region."""
    return min(max(float(_clipped_area(fpr, tpr, *region)), 0.0), region.best)


def roc_points(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of the ROC curve, from (0, 0) to (1, 1): false and true positive rates."""
    false_positives, true_positives = cumulate(*sort_rows(y, score, sample_weight))
    return false_positives / false_positives[-1], true_positives / true_positives[-1]


@kernel
def cumulate(keys, signed, zero):
    """Weight of the negatives and of the positives at or above each distinct score, from the highest down."""
    false_positives, true_positives = np.zeros(keys.size + 1), np.zeros(keys.size + 1)
    positive, negative, corner = zero, zero, 0
    i = keys.size - 1
    while i >= 0:
        key = keys[i]
        while i >= 0 and keys[i] == key:
            positive += signed[i] if signed[i] > 0 else zero
            negative -= signed[i] if signed[i] < 0 else zero
            i -= 1
        corner += 1
        false_positives[corner], true_positives[corner] = negative, positive
    return false_positives[: corner + 1], true_positives[: corner + 1]


@kernel
def _clipped_area(fpr, tpr, right, floor):
    """Area above ``floor``, under the curve and left of ``right``."""
    area = 0.0
    for i in range(1, fpr.size):
        x0, x1, y0, y1 = fpr[i - 1], fpr[i], tpr[i - 1], tpr[i]
        if x0 >= right:
            break
        if x1 > right:
            y1 = y0 + (y1 - y0) * (right - x0) / (x1 - x0)
            x1 = right
        if y1 <= floor:
            continue
        if y0 < floor:
            x0 = x0 + (x1 - x0) * (floor - y0) / (y1 - y0)
            y0 = floor
        area += (x1 - x0) * (0.5 * (y0 + y1) - floor)
    return area
