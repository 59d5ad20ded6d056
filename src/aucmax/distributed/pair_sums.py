"""The mean of a loss over all pairs as a function of the two classes' weights on a mesh, with derivatives.

A row's own derivatives follow from those by the weights at its nodes, see :mod:`aucmax.distributed.mesh`. All
of this is a few thousand numbers, whatever the number of rows.
"""

import numpy as np

from ..pairs.losses import Loss
from ..pairs.push import Pushed
from .mesh import Histogram
from .mesh_kernel import INVERSE_KERNEL, REACH, MeshKernel, loss_kernel


def _kernel(loss: Loss, nodes: np.ndarray, splines: int) -> MeshKernel:
    span = 2 ** int(nodes[-1] - nodes[0]).bit_length()  # a power of two: few different kernels
    return loss_kernel(loss, loss.mesh_spacing, span, splines)


class PairMean:
    """The mean over all pairs, ``sum_kl pos_k neg_l T(node_k - node_l)``.

    ``node_slopes`` are its derivatives by the weights of the negatives and of the positives at the nodes.
    """

    def __init__(self, loss: Loss, histogram: Histogram) -> None:
        self.histogram, self._kernel = histogram, _kernel(loss, histogram.nodes, splines=2)
        self.node_slopes = self.node_slope_changes(histogram.weight)
        self.value = float(np.sum(histogram.weight[1] * self.node_slopes[1]))

    def node_slope_changes(self, weight_changes: np.ndarray) -> np.ndarray:
        """How ``node_slopes`` change with the weights, to first order."""
        nodes, (neg, pos) = self.histogram.nodes, weight_changes
        return np.stack([self._kernel.sum_over(nodes, pos, -1), self._kernel.sum_over(nodes, neg, 1)])


class PushedMean:
    """The pushed mean ``F = (sum_k q_k L_k^p)^(1/p)``.

    ``L_k`` is the mean loss over all positives of a negative whose score is node k. The ``q_k`` are the
    weights of the negatives with the smoothing by the B-spline undone: the sum of ``q_k`` times the values of
    a smooth function at the nodes is its sum over the rows.
    """

    def __init__(self, loss: Pushed, histogram: Histogram) -> None:
        self.histogram, self._push = histogram, loss.push
        nodes = histogram.nodes
        self._nodes = np.unique(nodes[:, None] + np.arange(-REACH, REACH + 1))
        self._slots = np.searchsorted(self._nodes, nodes)
        self._kernel = _kernel(loss, self._nodes, splines=1)
        neg, pos = self._widen(histogram.weight)
        losses = np.maximum(self._kernel.sum_over(self._nodes, pos, -1), 0.0)
        self._top = float(losses.max()) or 1.0
        self._ratio = losses / self._top  # at most one: no power overflows
        self._neg = INVERSE_KERNEL.sum_over(self._nodes, neg, 1)
        self._power = self._ratio**self._push
        self._sum = max(float(self._neg @ self._power), np.finfo(float).tiny)
        self._root = self._sum ** (1.0 / self._push)
        self.value = self._top * self._root
        scale, p = self._root / self._sum, self._push
        by_loss = scale * self._neg * self._slope(p - 1.0)
        self.node_slopes = self._to_node_slopes(self._top * scale / p * self._power, by_loss)

    def _widen(self, weight: np.ndarray) -> np.ndarray:
        out = np.zeros((2, len(self._nodes)))
        out[:, self._slots] = weight
        return out

    def _slope(self, power: float) -> np.ndarray:
        """``ratio**power``, zero where the ratio is."""
        return np.power(self._ratio, power, out=np.zeros_like(self._ratio), where=self._ratio > 0.0)

    def _to_node_slopes(self, by_neg: np.ndarray, by_loss: np.ndarray) -> np.ndarray:
        """Derivatives by the weights, from those by the q and by the losses at the nodes."""
        of_neg = INVERSE_KERNEL.sum_over(self._nodes, by_neg, 1)
        return np.stack([of_neg, self._kernel.sum_over(self._nodes, by_loss, 1)])[:, self._slots]

    def node_slope_changes(self, weight_changes: np.ndarray) -> np.ndarray:
        p, scale, (neg_change, pos_change) = self._push, self._root / self._sum, self._widen(weight_changes)
        neg = INVERSE_KERNEL.sum_over(self._nodes, neg_change, 1)
        ratio = self._kernel.sum_over(self._nodes, pos_change, -1) / self._top
        ratio[self._ratio == 0.0] = 0.0
        first = self._slope(p - 1.0)
        sum_change = float(neg @ self._power + p * np.sum(self._neg * first * ratio))
        scale_change = (1.0 / p - 1.0) * scale / self._sum * sum_change
        by_neg = self._top / p * (scale_change * self._power + scale * p * first * ratio)
        by_loss = scale_change * self._neg * first
        by_loss += scale * ((p - 1.0) * self._neg * self._slope(p - 2.0) * ratio + first * neg)
        return self._to_node_slopes(by_neg, by_loss)


MeshFunction = PairMean | PushedMean


def mesh_function(loss: Loss, histogram: Histogram) -> MeshFunction:
    """The mean of the loss over all pairs, or its pushed mean."""
    return PushedMean(loss, histogram) if isinstance(loss, Pushed) else PairMean(loss, histogram)
