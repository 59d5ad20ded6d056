"""The Hessian of a pair loss by the weights of a linear scorer, from sums of rows on a coarse mesh of scores.

With the two scores of a pair moved to the neighbouring nodes of a coarse mesh, in the proportions of a
straight line between them, the Hessian ``sum_ij a_i b_j loss''(s_i - s_j) (x_i - x_j)(x_i - x_j)'`` is

    ``sum_i c(s_i) a_i x_i x_i' + sum_kl Q_kl g_k g_l'``,

``g_k`` being the weighted sum of the rows at node k. It is positive semidefinite like the exact one, and near
enough to it for Newton's method, which corrects the difference from step to step.
"""

from typing import NamedTuple

import numpy as np

from ..pairs.losses import Loss
from .mesh import Histogram

INTERVALS = 128
WIDTH = 8.0  # standard deviations of the mesh to either side of the mean score; rows beyond are at its ends


class CoarseMesh(NamedTuple):
    """Nodes at ``start + k * spacing``."""

    start: float
    spacing: float

    @classmethod
    def around(cls, histogram: Histogram, spacing: float) -> "CoarseMesh":
        """A mesh over most of the scores of a histogram whose nodes are ``spacing`` apart."""
        score, weight = spacing * histogram.nodes, histogram.weight.sum(axis=0)
        mean = float(np.average(score, weights=weight))
        reach = WIDTH * float(np.sqrt(np.average((score - mean) ** 2, weights=weight)))
        low, high = max(float(score[0]), mean - reach), min(float(score[-1]), mean + reach)
        return cls(low, (high - low) / INTERVALS)

    def place(self, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lower node of each score, and the share of the upper one."""
        scaled = np.clip((score - self.start) / self.spacing, 0.0, INTERVALS)
        lower = np.minimum(scaled.astype(np.int64), INTERVALS - 1)
        return lower, scaled - lower

    def gather(self, histogram: Histogram, spacing: float) -> np.ndarray:
        """The weights of the negatives and of the positives at the nodes."""
        lower, share = self.place(spacing * histogram.nodes)
        out = np.zeros((2, INTERVALS + 1))
        for total, weight in zip(out, histogram.weight, strict=True):
            np.add.at(total, lower, (1.0 - share) * weight)
            np.add.at(total, lower + 1, share * weight)
        return out


class CoarseCurvature(NamedTuple):
    """The curvature of the rows at each node, and the matrix ``Q`` between nodes; negatives come first."""

    by_row: np.ndarray
    by_nodes: np.ndarray


def coarse_curvature(loss: Loss, mesh: CoarseMesh, histogram: Histogram) -> CoarseCurvature:
    """The curvature without that along the gradient, which a push subtracts."""
    n, h, p = INTERVALS + 1, mesh.spacing, getattr(loss, "push", 1.0)
    neg, pos = mesh.gather(histogram, loss.mesh_spacing)
    distance = np.arange(n)[:, None] - np.arange(n)  # of a positive (row) and a negative (column)
    value = loss.value(h * np.arange(-n, n + 1))[distance[..., None] + n + np.arange(-1, 2)]
    slope = 0.5 * (value[..., 2] - value[..., 0]) / h
    second = np.maximum(value[..., 0] - 2.0 * value[..., 1] + value[..., 2], 0.0) / h**2
    losses = np.maximum(pos @ value[..., 1], 1e-12 * value[..., 1].max())  # of the negatives at each node
    top = losses.max()
    mean = top * float(neg @ (losses / top) ** p) ** (1.0 / p)
    push = (losses / mean) ** (p - 1.0)  # times the weight of a negative: its weight in the pushed mean
    push_slope, mean_slope = (p - 1.0) * push / losses, pos @ slope
    scaled_slope = push_slope * mean_slope  # without a push zero, however large the slope
    by_row = np.stack([push * (pos @ second) + scaled_slope * mean_slope, second @ (push * neg)])
    matrix = np.zeros((2 * n, 2 * n))
    matrix[n:, :n] = -second * push - slope * scaled_slope
    matrix[:n, n:] = matrix[n:, :n].T
    matrix[n:, n:] = (slope * (push_slope * neg)) @ slope.T
    return CoarseCurvature(by_row, matrix)
