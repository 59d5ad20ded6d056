"""A margin loss between the nodes of a mesh, so that the splines through it agree with the loss.

With ``b`` the values of the cubic B-spline at the nodes, (1, 4, 1)/6, a function ``T`` of the distance of two
nodes is sought for which the splines of both scores of a pair, applied to ``T``, give the loss wherever both
scores are nodes: ``b * b * T = loss``. In between they agree to the fourth order of the spacing where the
loss is smooth, and exactly where it is a polynomial of at most the third degree. Around a kink of its
derivative they differ within some spacings, by both signs, so that over all pairs most of it cancels.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..pairs.losses import Loss

REACH = 40  # nodes after which the inverse of (1, 4, 1)/6, which falls by 3.7 with each, is rounding
POLE = np.sqrt(3.0) - 2.0
MAX_NEAR = 2**17  # nodes between the polynomial ends of a loss
LARGEST = 1e200  # of a loss: beyond, sums of products would overflow


class MeshKernel(NamedTuple):
    """A function of the distance of two nodes, in spacings: ``near`` at ``low, low + 1, ...``.

    Beyond, it is the polynomial ``below`` or ``above``: (constant, linear, square).
    """

    low: int
    near: np.ndarray
    below: np.ndarray
    above: np.ndarray

    def sum_over(self, nodes: np.ndarray, weight: np.ndarray, sign: int) -> np.ndarray:
        """The sum over all nodes k of ``T(sign (node - node_k)) weight_k``, at each node."""
        out = np.zeros(len(nodes))
        add_near(nodes, weight, self.near, self.low, sign, out)
        high = self.low + len(self.near) - 1
        # The nodes to the left are those at large distances, for a negative sign at small ones.
        left, right = (self.above, self.below) if sign > 0 else (self.below, self.above)
        left_end, right_end = (high, self.low) if sign > 0 else (-self.low, -high)
        place = nodes - (nodes[0] + nodes[-1]) // 2  # small numbers round less
        sums = np.zeros((3, len(nodes) + 1))
        np.cumsum([weight, weight * place, weight * place**2], axis=1, out=sums[:, 1:])
        of_left = sums[:, np.searchsorted(nodes, nodes - left_end)]
        of_right = sums[:, -1:] - sums[:, np.searchsorted(nodes, nodes - right_end, side="right")]
        for (constant, linear, square), (total, first, second) in ((left, of_left), (right, of_right)):
            out += constant * total + sign * linear * (place * total - first)
            out += square * (place**2 * total - 2.0 * place * first + second)
        return out


@kernel
def add_near(nodes, weight, near, low, sign, out):
    """Add the sum over the nodes whose signed distance is in the table."""
    high = low + len(near) - 1
    nearest, farthest = (low, high) if sign > 0 else (-high, -low)
    start = 0
    for i in range(len(nodes)):
        while start < len(nodes) and nodes[i] - nodes[start] > farthest:
            start += 1
        total, k = 0.0, start
        while k < len(nodes) and nodes[i] - nodes[k] >= nearest:
            total += near[sign * (nodes[i] - nodes[k]) - low] * weight[k]
            k += 1
        out[i] += total


INVERSE = np.sqrt(3.0) * POLE ** np.abs(np.arange(-REACH, REACH + 1))
INVERSE_KERNEL = MeshKernel(-REACH, INVERSE, np.zeros(3), np.zeros(3))  # from values to spline coefficients


@lru_cache(maxsize=32)
def loss_kernel(loss: Loss, h: float, span: int, splines: int) -> MeshKernel:
    """The loss between nodes ``h`` apart, at most ``span`` of them, for splines of one or both scores."""
    ends = loss.ends()
    bounds = [int(np.clip(end / h, -span, span)) for end in (ends.low, ends.high)]
    low, high = bounds[0] - REACH, bounds[1] + REACH
    if high - low > MAX_NEAR:
        raise ValueError(
            f"The scores spread over {span * h:.3g}, too far for a loss of width {loss.width:g}: scale the "
            "features, raise l2, or give the loss a finite tail."
        )
    margin = h * np.arange(low - splines * REACH, high + splines * REACH + 1)
    with np.errstate(over="ignore"):
        near = np.minimum(loss.value(margin), LARGEST)
    for _ in range(splines):
        near = np.convolve(near, INVERSE, mode="valid")
    return MeshKernel(low, near, *(_in_spacings(part, h, splines) for part in (ends.below, ends.above)))


def _in_spacings(polynomial: tuple[float, float, float], h: float, splines: int) -> np.ndarray:
    """The same for distances in spacings, less what B-splines add to a square: a third of a spacing each."""
    constant, linear, square = polynomial[0], polynomial[1] * h, polynomial[2] * h**2
    return np.array([constant - splines / 3.0 * square, linear, square])
