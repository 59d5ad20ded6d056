r"""How much each row contributes to the area under a part of the ROC curve.

Let the curve be inside the region from the point :math:`(u_0, g)`, where it reaches the true positive rate
:math:`g`, to the point :math:`(f, r)`, where it reaches the false positive rate :math:`f`. A little more
weight on a row moves the points of the curve below its score, upwards for a positive row and to the right for
a negative one, and the area changes by what is moved within the region. So the infinitesimal jackknife gives

* for a positive row that has the false positive rate :math:`u` at its score, :math:`-\min(\max(u, u_0), f)`,
* for a negative row that has the true positive rate :math:`t` at its score, :math:`\min(\max(t, g), r)`,

each up to a constant. That the threshold at :math:`f` is itself a quantile of the sample is what the limit
:math:`r` accounts for. In the whole square these are the placements of DeLong et al. (1988). Rows of equal
score share a straight piece of the curve and have the mean over it.
"""

import numpy as np
from numpy.typing import NDArray

from .partial import Region

Rates = NDArray[np.float64]
ROUNDING = 1e-12  # of rates: 1 - 1/3 and 20/30 differ


def region_components(fpr: Rates, tpr: Rates, region: Region) -> tuple[Rates, Rates]:
    """Components of the positive and of the negative rows on each piece between corners of the curve."""
    right, floor = region
    left = min(_value_at(tpr, fpr, floor), right)
    top = max(_value_at(fpr, tpr, right), floor)
    return right - _mean_clipped(fpr, left, right), _mean_clipped(tpr, floor, top)


def _value_at(x: Rates, y: Rates, at: float) -> float:
    """Height of the curve, which jumps where x repeats: there the mean of both ends of the jump.

    This is the mean of the derivatives of the area towards either side, which differ at such a corner.
    """
    first = int(np.searchsorted(x, at - ROUNDING))
    last = int(np.searchsorted(x, at + ROUNDING, side="right")) - 1
    if first <= last:
        return float(y[first] + y[last]) / 2
    return float(y[last] + (y[first] - y[last]) * (at - x[last]) / (x[first] - x[last]))


def _mean_clipped(x: Rates, low: float, high: float) -> Rates:
    """Mean of ``clip(x, low, high)`` over each piece from one corner to the next."""
    begin, end = x[:-1], x[1:]
    width = np.where(end > begin, end - begin, 1.0)  # a piece without width is a single value
    below = np.clip((low - begin) / width, 0.0, 1.0) * (end > begin)
    above = np.clip((end - high) / width, 0.0, 1.0) * (end > begin)
    inside = (np.clip(begin, low, high) + np.clip(end, low, high)) / 2
    return below * low + above * high + (1 - below - above) * inside
