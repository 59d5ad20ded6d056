"""Scores of both classes on an even mesh: a few thousand numbers that stand for all rows, and add up.

The weight of a row is spread over the four mesh nodes around its score by the cubic B-spline. A function of
the score that is given by spline coefficients at the nodes is then, summed over the rows, the inner product
of the coefficients with these weights; its derivatives by a row's score need the same four nodes only.
"""

from dataclasses import dataclass

import numpy as np

from ..kernels.jit import inlined, kernel

MAX_TABLE = 2**20  # nodes from the lowest to the highest score, up to which they are found without a sort
SPARSE = 4  # nodes for each score, from which they are looked up by bisection instead of in a table
MAX_NODE = 2.0**50  # beyond, the position of a score between two nodes would be rounding


@dataclass(frozen=True)
class Histogram:
    """Weights of the negative (first row) and the positive class at ``nodes``, ascending whole numbers.

    Two more rows may say how these weights change along a direction.
    """

    nodes: np.ndarray
    weight: np.ndarray

    def __add__(self, other: "Histogram") -> "Histogram":
        nodes = self.nodes if len(self.nodes) else other.nodes
        if not np.array_equal(self.nodes, other.nodes):
            nodes = np.union1d(self.nodes, other.nodes)
        weight = np.zeros((len(self.weight), len(nodes)))
        for part in (self, other):
            weight[:, np.searchsorted(nodes, part.nodes)] += part.weight
        return Histogram(nodes, weight)


def find_nodes(score: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """The first of the four nodes around each score, and its position between the middle two, from 0 to 1."""
    scaled = score / spacing
    below = np.floor(scaled)
    if not np.abs(below).max(initial=0.0) < MAX_NODE:
        raise ValueError("Scores became too large to be summed over pairs: raise l2, or scale the columns.")
    return below.astype(np.int64) - 1, scaled - below


def _with_neighbours(is_first: np.ndarray) -> np.ndarray:
    """Marks all four nodes around a score, and the next ones: another pass may round the scores otherwise."""
    found = is_first.copy()
    found[:-1] |= is_first[1:]
    for k in range(1, 5):
        found[k:] |= is_first[:-k]
    return found


def spread_scores(score: np.ndarray, change: np.ndarray, signed: np.ndarray, spacing: float) -> Histogram:
    """The weights of both classes on the mesh, and how they change with the scores: four rows."""
    ends = np.array([score.min(initial=np.inf), score.max(initial=-np.inf)]) / spacing
    if len(score) and ends[1] - ends[0] < MAX_TABLE and np.abs(ends).max() < MAX_NODE:
        low, high = (int(node) for node in np.floor(ends))
        table, is_first = np.zeros((4, high - low + 6)), np.zeros(high - low + 6, bool)
        add_to_table(score, change, signed, spacing, low - 2, table, is_first)
        found = np.flatnonzero(_with_neighbours(is_first))
        return Histogram(low - 2 + found, table[:, found])
    first, _ = find_nodes(score, spacing)
    nodes = np.unique(np.unique(first)[:, None] + np.arange(-1, 5))  # as _with_neighbours marks them
    slot, position = find_slots(nodes, score, spacing)
    weight = np.zeros((4, len(nodes)))
    add_weights(slot, position, signed, weight[:2])
    add_weight_changes(slot, position, signed, change / spacing, weight[2:])
    return Histogram(nodes, weight)


def find_slots(nodes: np.ndarray, score: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """As ``find_nodes``, with the first node by its index in ``nodes``; the other three come next."""
    first, position = find_nodes(score, spacing)
    span = int(nodes[-1] - nodes[0]) + 1 if len(nodes) else 0
    if span >= SPARSE * len(first):
        return np.searchsorted(nodes, first), position
    return np.searchsorted(nodes, np.arange(nodes[0], nodes[0] + span))[first - nodes[0]], position


@inlined
def spline(x):
    """The cubic B-spline of the four nodes around a score at position ``x`` between the middle two."""
    y = 1.0 - x
    return (
        y * y * y / 6.0,
        2.0 / 3.0 - x * x * (1.0 - 0.5 * x),
        2.0 / 3.0 - y * y * (1.0 - 0.5 * y),
        x * x * x / 6.0,
    )


@inlined
def spline_slope(x):
    """The derivative of :func:`spline` by ``x``."""
    y = 1.0 - x
    return -0.5 * y * y, x * (1.5 * x - 2.0), -y * (1.5 * y - 2.0), 0.5 * x * x


@inlined
def add_four(row, k, factor, b):
    """Add a multiple of four numbers to a row, from entry ``k`` on."""
    row[k] += factor * b[0]
    row[k + 1] += factor * b[1]
    row[k + 2] += factor * b[2]
    row[k + 3] += factor * b[3]


@kernel
def add_weights(slot, position, signed, out):
    """Spread the weight of each row over its nodes; ``signed`` is negative for rows of the negative class."""
    for i in range(len(slot)):
        k, row = slot[i], out[1 if signed[i] > 0.0 else 0]
        weight = abs(signed[i])
        add_four(row, k, weight, spline(position[i]))


@kernel
def add_weight_changes(slot, position, signed, change, out):
    """How the spread weights change when each score changes by ``change`` mesh spacings."""
    for i in range(len(slot)):
        k, row = slot[i], out[1 if signed[i] > 0.0 else 0]
        rate = abs(signed[i]) * change[i]
        add_four(row, k, rate, spline_slope(position[i]))


@kernel
def add_to_table(score, change, signed, spacing, low, out, is_first):
    """Both of the above for a table of all nodes from ``low`` on; mark the first node of each score."""
    for i in range(len(score)):
        scaled = score[i] / spacing
        below = np.floor(scaled)
        k, c = int(below) - 1 - low, 1 if signed[i] > 0.0 else 0
        x, weight, row, rate_row = scaled - below, abs(signed[i]), out[c], out[2 + c]
        rate = weight * change[i] / spacing
        add_four(row, k, weight, spline(x))
        add_four(rate_row, k, rate, spline_slope(x))
        is_first[k] = True


@kernel
def weighted_slopes(slot, position, signed, spline_coefs):
    """Weight of each row times the derivative of its class's spline, per mesh spacing."""
    out = np.empty(len(slot))
    for i in range(len(slot)):
        k, row = slot[i], spline_coefs[1 if signed[i] > 0.0 else 0]
        b_0, b_1, b_2, b_3 = spline_slope(position[i])
        slope = row[k] * b_0 + row[k + 1] * b_1 + row[k + 2] * b_2 + row[k + 3] * b_3
        out[i] = abs(signed[i]) * slope
    return out


@kernel
def add_weighted_curvature(slot, position, signed, spline_coefs, change, out):
    """Add weight times second derivative of the class's spline times ``change``, in mesh spacings."""
    for i in range(len(slot)):
        k, x, row = slot[i], position[i], spline_coefs[1 if signed[i] > 0.0 else 0]
        low, high = row[k] - 2.0 * row[k + 1] + row[k + 2], row[k + 1] - 2.0 * row[k + 2] + row[k + 3]
        out[i] += abs(signed[i]) * ((1.0 - x) * low + x * high) * change[i]
