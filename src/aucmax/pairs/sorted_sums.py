"""Piecewise polynomial losses summed over all pairs by one pass over the sorted scores."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from ..kernels.sorting import argsort
from .sums import Classes


class SortedSums:
    """Losses of the form ``sum_k c_k max(0, knot_k - margin)^degree``, degree 1 or 2.

    ``knots`` are the pairs ``(knot_k, c_k)``. A pair of rows is active if its margin is below the knot.
    With both classes sorted by score, the active pairs of a positive row are with the last negatives, those
    of a negative row with the first positives. The sums over them are updated from one row to the next by
    terms of one sign, so that nothing cancels.
    """

    def __init__(
        self, classes: Classes, score: np.ndarray, knots: Iterable[tuple[float, float]], degree: int
    ) -> None:
        self._pos, pos, self._pos_weight = sort_class(score, classes.pos, classes.pos_weight)
        self._neg, neg, self._neg_weight = sort_class(score, classes.neg, classes.neg_weight)
        self._n_rows, self._second_derivative = classes.n_rows, 2.0 if degree == 2 else 0.0
        self._scans = [
            (c, KnotScan(*scan_knot(pos, self._pos_weight, neg, self._neg_weight, knot, degree)))
            for knot, c in knots
        ]
        self.value = float(sum(c * scan.value for c, scan in self._scans))

    def _by_row(self, terms: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Sum of the terms of positives and of negatives, times the weight of each row."""
        out = np.zeros(self._n_rows)
        out[self._pos] = sum(pos for pos, _ in terms) * self._pos_weight
        out[self._neg] = sum(neg for _, neg in terms) * self._neg_weight
        return out

    def gradient(self) -> np.ndarray:
        return self._by_row([(c * scan.pos_slope, c * scan.neg_slope) for c, scan in self._scans])

    def diagonal(self) -> np.ndarray:
        terms = [(c * scan.pos_active_weight, c * scan.neg_active_weight) for c, scan in self._scans]
        return self._second_derivative * self._by_row(terms)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        out = np.zeros(self._n_rows)
        for c, scan in self._scans:
            factor = self._second_derivative * c
            add_curvature(self._pos, self._pos_weight, self._neg, self._neg_weight, scan, factor, t, out)
        return out


class SortedClass(NamedTuple):
    """Rows of a class by ascending score."""

    rows: np.ndarray
    score: np.ndarray
    weight: np.ndarray


def sort_class(score: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> SortedClass:
    """Sort the rows of a class, with their weights, by score."""
    order, ordered = argsort(score[rows])
    return SortedClass(rows[order], ordered, weight[order])


class KnotScan(NamedTuple):
    """Sums of one pass over both sorted classes, for one knot.

    Positive ``i`` forms active pairs with the negatives from ``first_active_neg[i]`` on, negative ``j`` with
    the positives before ``end_active_pos[j]``. A row's slope is the derivative by its score, divided by its
    weight; its active weight is the total weight of the rows with which it forms active pairs.
    """

    value: float
    pos_slope: np.ndarray
    neg_slope: np.ndarray
    pos_active_weight: np.ndarray
    neg_active_weight: np.ndarray
    first_active_neg: np.ndarray
    end_active_pos: np.ndarray


@kernel
def scan_knot(pos, pos_weight, neg, neg_weight, knot, degree):
    """Fields of the ``KnotScan`` of ``max(0, knot - (pos_i - neg_j))^degree``, for ascending scores."""
    n_pos, n_neg = len(pos), len(neg)
    pos_slope, pos_active, first_active_neg = np.empty(n_pos), np.empty(n_pos), np.empty(n_pos, np.int64)
    neg_slope, neg_active, end_active_pos = np.empty(n_neg), np.empty(n_neg), np.empty(n_neg, np.int64)
    # Weighted sums of 1, gap and gap^2 over the active negatives, with gap = negative score - level.
    value, active, gaps, squares = 0.0, 0.0, 0.0, 0.0
    j, last_level = n_neg, 0.0
    for i in range(n_pos - 1, -1, -1):
        level = pos[i] - knot
        if j < n_neg:
            drop = last_level - level
            squares += drop * (2.0 * gaps + drop * active)
            gaps += drop * active
        last_level = level
        while j > 0 and neg[j - 1] > level:
            j -= 1
            gap = neg[j] - level
            active += neg_weight[j]
            gaps += neg_weight[j] * gap
            squares += neg_weight[j] * gap * gap
        first_active_neg[i], pos_active[i] = j, active
        value += pos_weight[i] * (squares if degree == 2 else gaps)
        pos_slope[i] = -2.0 * gaps if degree == 2 else -active
    active, gaps, i, last_level = 0.0, 0.0, 0, 0.0
    for j in range(n_neg):
        level = neg[j] + knot
        if i > 0:
            gaps += (level - last_level) * active
        last_level = level
        # Reading `first_active_neg` instead of the scores keeps the Hessian symmetric for pairs at the knot.
        while i < n_pos and first_active_neg[i] <= j:
            active += pos_weight[i]
            gaps += pos_weight[i] * (level - pos[i])
            i += 1
        end_active_pos[j], neg_active[j] = i, active
        neg_slope[j] = 2.0 * gaps if degree == 2 else active
    return value, pos_slope, neg_slope, pos_active, neg_active, first_active_neg, end_active_pos


@kernel
def add_curvature(pos, pos_weight, neg, neg_weight, scan, factor, t, out):
    """Add for each row ``factor`` times the sum over its active pairs of weight_i weight_j (t_i - t_j)."""
    sum_above = np.empty(len(neg) + 1)
    sum_above[len(neg)] = 0.0
    for j in range(len(neg) - 1, -1, -1):
        sum_above[j] = sum_above[j + 1] + neg_weight[j] * t[neg[j]]
    sum_below = np.empty(len(pos) + 1)
    sum_below[0] = 0.0
    for i in range(len(pos)):
        row = pos[i]
        own = pos_weight[i] * t[row]
        sum_below[i + 1] = sum_below[i] + own
        partners = pos_weight[i] * sum_above[scan.first_active_neg[i]]
        out[row] += factor * (own * scan.pos_active_weight[i] - partners)
    for j in range(len(neg)):
        row = neg[j]
        difference = scan.neg_active_weight[j] * t[row] - sum_below[scan.end_active_pos[j]]
        out[row] += factor * neg_weight[j] * difference
