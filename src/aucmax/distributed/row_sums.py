"""Sums over the rows of one partition, which each round of a fit computes on the worker that has the rows."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..batch.closed_form import Statistics, class_statistics
from ..batch.moments import add_block
from ..batch.products import Products, block_combine
from ..kernels.jit import kernel
from ..kernels.rows import as_rows, products, read_only, scores
from ..pairs.sums import Classes
from .curvature import INTERVALS, CoarseMesh
from .mesh import (
    Histogram,
    add_weight_changes,
    add_weighted_curvature,
    find_slots,
    spread_scores,
    weighted_slopes,
)

# Rows copied at a time to be centred: so many bytes, which stay in the cache of a core, or so many rows.
BLOCK_BYTES, BLOCK_ROWS = 2**18, 256


class SignedRows(NamedTuple):
    """Validated rows of a partition.

    ``y`` is the weight of a positive row, minus the weight of a negative one; ``first`` the number of the
    first row among those of all partitions.
    """

    X: np.ndarray | sparse.csr_array
    y: np.ndarray
    first: int

    def sample(self, seed: int, rate: float | np.ndarray) -> np.ndarray:
        """Row numbers of a random share of the rows with weight, the same in any partitioning."""
        return np.flatnonzero((random_numbers(self, seed) < rate) & (self.y != 0.0))


def random_numbers(rows: SignedRows, seed: int) -> np.ndarray:
    """A number from 0 to 1 for each row, by its position among the rows of all partitions."""
    return _hash_positions(rows.first, len(rows.y), seed)


@lru_cache(maxsize=4)  # the folds of a round ask for the same numbers
def _hash_positions(first: int, n_rows: int, seed: int) -> np.ndarray:
    """The generator splitmix64 at consecutive positions."""
    position = np.arange(first, first + n_rows, dtype=np.uint64)
    mixed = (position + np.uint64(1) + np.uint64(seed) * np.uint64(2**32)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


class Scorer(NamedTuple):
    """Scores ``coef . (x - centre)``, on a mesh with this spacing.

    The centre changes no difference of two scores.
    """

    coef: np.ndarray
    centre: np.ndarray
    spacing: float

    def scores(self, rows: SignedRows) -> np.ndarray:
        """The score of each row."""
        return scores(as_rows(rows.X), self.coef) - float(self.coef @ self.centre)

    def scores_and_changes(self, rows: SignedRows, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The score of each row, and how it changes when the coefficients change along ``direction``."""
        score, change = products(as_rows(rows.X), self.coef, direction)
        return score - float(self.coef @ self.centre), change - float(direction @ self.centre)


def spread_weights(rows: SignedRows, scorer: Scorer) -> Histogram:
    """The weights of both classes on the mesh."""
    score = scorer.scores(rows)
    found = spread_scores(score, np.zeros_like(score), rows.y, scorer.spacing)
    return Histogram(found.nodes, found.weight[:2])


def sum_gradient(
    rows: SignedRows, scorer: Scorer, score: np.ndarray, nodes: np.ndarray, node_slopes: np.ndarray
) -> np.ndarray:
    """Gradient: rows times the derivatives by their scores; then the sum of these of positives."""
    slopes = weighted_slopes(*find_slots(nodes, score, scorer.spacing), rows.y, node_slopes) / scorer.spacing
    return np.append(_combine(rows, slopes, scorer.centre), slopes[rows.y > 0.0].sum())


def _combine(rows: SignedRows, factors: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The sum of ``x - centre`` times a factor for each row."""
    out = np.zeros(rows.X.shape[1])
    block_combine(as_rows(rows.X), factors, 0, len(factors), out)
    return out - factors.sum() * centre


def spread_weight_changes(
    rows: SignedRows, scorer: Scorer, nodes: np.ndarray, direction: np.ndarray
) -> np.ndarray:
    """How the weights on the mesh change when the coefficients change along ``direction``."""
    score, change = scorer.scores_and_changes(rows, direction)
    slot, position = find_slots(nodes, score, scorer.spacing)
    out = np.zeros((2, len(nodes)))
    add_weight_changes(slot, position, rows.y, change / scorer.spacing, out)
    return out


def sum_gradient_changes(
    rows: SignedRows,
    node_slope_changes: np.ndarray,
    scorer: Scorer,
    nodes: np.ndarray,
    node_slopes: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:
    """How the gradient changes when the coefficients change along ``direction``."""
    score, change = scorer.scores_and_changes(rows, direction)
    slot, position = find_slots(nodes, score, scorer.spacing)
    slopes = weighted_slopes(slot, position, rows.y, node_slope_changes) / scorer.spacing
    add_weighted_curvature(slot, position, rows.y, node_slopes, change / scorer.spacing**2, slopes)
    return _combine(rows, slopes, scorer.centre)


def sum_hessian(
    rows: SignedRows,
    centre: np.ndarray,
    score: np.ndarray,
    mesh: CoarseMesh,
    curvature: np.ndarray,
    step: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Over every ``step``-th row: the sum of ``curvature x x'``, and weighted sums of x at each node."""
    d = rows.X.shape[1]
    square, by_node = np.zeros((d, d)), np.zeros((2, INTERVALS + 1, d))
    chosen = np.arange(-rows.first % step, len(rows.y), step)
    lower, share = mesh.place(score[chosen])
    signed = step * rows.y[chosen]
    root = np.sqrt(np.maximum(interpolate(curvature, lower, share, signed), 0.0))
    n_block_rows = max(BLOCK_ROWS, BLOCK_BYTES // (8 * d))
    scaled = np.empty((n_block_rows, d))
    for start in range(0, len(chosen), n_block_rows):
        part = slice(start, start + n_block_rows)
        x: Any = rows.X[chosen[part]] if step > 1 else rows.X[part]
        x = read_only(x.toarray() if sparse.issparse(x) else x)
        block = scaled[: len(x)]
        add_to_nodes(x, centre, lower[part], share[part], signed[part], root[part], by_node, block)
        square += block.T @ block
    return square, by_node


@kernel
def interpolate(curvature, lower, share, signed):
    """Weight of each row times ``curvature`` of its class, interpolated linearly at its score."""
    out = np.empty(len(lower))
    for i in range(len(lower)):
        row, k = curvature[1 if signed[i] > 0.0 else 0], lower[i]
        out[i] = abs(signed[i]) * ((1.0 - share[i]) * row[k] + share[i] * row[k + 1])
    return out


@kernel
def add_to_nodes(x, centre, lower, share, signed, root, out, scaled):
    """Add each row less ``centre``, weighted, to the two nodes around its score; keep it times ``root``."""
    for i in range(len(lower)):
        by_node, weight, factor = out[1 if signed[i] > 0.0 else 0], abs(signed[i]), root[i]
        low, high, row = by_node[lower[i]], by_node[lower[i] + 1], scaled[i]
        low_weight, high_weight = (1.0 - share[i]) * weight, share[i] * weight
        for j in range(x.shape[1]):
            value = np.float64(x[i, j]) - centre[j]
            low[j] += low_weight * value
            high[j] += high_weight * value
            row[j] = factor * value


def sum_moments(rows: SignedRows, centre: np.ndarray) -> np.ndarray:
    """Sums of ``x - centre`` and of its square for the positive class, then for the negative: four rows."""
    out = np.zeros((4, rows.X.shape[1]))
    add_block(as_rows(rows.X), rows.y, centre, 0, len(rows.y), out)
    if sparse.issparse(rows.X):  # `add_block` skips entries that are not stored, which are zero
        weight = np.array([rows.y[rows.y > 0.0].sum(), -rows.y[rows.y < 0.0].sum()])
        out[::2] -= np.outer(weight, centre)
        out[1::2] += np.outer(weight, centre**2)
    return out


def sum_statistics(rows: SignedRows, centre: np.ndarray) -> Statistics:
    """Weights, sums and second moments of the rows of each class."""
    pos, neg = np.flatnonzero(rows.y > 0.0), np.flatnonzero(rows.y < 0.0)
    classes = Classes(len(rows.y), pos, neg, rows.y[pos], -rows.y[neg])
    return class_statistics(Products(as_rows(rows.X), rows.X.shape[1]), classes, centre)
