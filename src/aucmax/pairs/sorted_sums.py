"""Piecewise polynomial losses summed over all pairs by one pass over the sorted scores."""

import copy
import functools
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
        self._pos, self._pos_score, self._pos_weight = sort_class(score, classes.pos, classes.pos_weight)
        self.neg_rows, self._neg_score, self.neg_weight = sort_class(score, classes.neg, classes.neg_weight)
        self._n_rows, self._degree = classes.n_rows, degree
        self._second_derivative = 2.0 if degree == 2 else 0.0
        self._scans = [(c, self._scan(knot)) for knot, c in knots]
        self.value = float(sum(c * scan.value for c, scan in self._scans))

    def _scan(self, knot: float) -> "KnotScan":
        positives = self._scan_positives(knot, self.neg_weight)
        pos, neg = self._pos_score, self._neg_score
        sums = (*np.empty((3, len(neg))), np.empty(len(neg), np.int64))
        scan_negatives(pos, self._pos_weight, neg, positives[-1], knot, self._degree, *sums)
        return KnotScan(knot, *positives, *sums)

    def _scan_positives(self, knot: float, neg_weight: np.ndarray) -> tuple:
        # Arrays are made here, not in the kernels, which then compile in less time.
        pos, neg = self._pos_score, self._neg_score
        sums = (*np.empty((2, len(pos))), np.empty(len(pos), np.int64))
        return scan_positives(pos, self._pos_weight, neg, neg_weight, knot, self._degree, *sums), *sums

    def _by_row(self, terms: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Sum of the terms of positives and of negatives, times the weight of each row."""
        out = np.zeros(self._n_rows)
        out[self._pos] = sum(pos for pos, _ in terms) * self._pos_weight
        out[self.neg_rows] = sum(neg for _, neg in terms) * self.neg_weight
        return out

    def gradient(self) -> np.ndarray:
        return self._by_row([(c * scan.pos_slope, c * scan.neg_slope) for c, scan in self._scans])

    def diagonal(self) -> np.ndarray:
        terms = [(c * scan.pos_active_weight, c * scan.neg_active_weight) for c, scan in self._scans]
        return self._second_derivative * self._by_row(terms)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        out = np.zeros(self._n_rows)
        pos, neg = (self._pos, self._pos_weight), (self.neg_rows, self.neg_weight)
        for c, scan in self._scans:
            add_curvature(*pos, *neg, scan, self._second_derivative * c, t, *self._space, out)
        return out

    @functools.cached_property
    def _space(self) -> tuple[np.ndarray, np.ndarray]:
        """For running sums; a product with the Hessian is computed many times."""
        return np.empty(len(self._pos) + 1), np.empty(len(self.neg_rows) + 1)

    def negative_losses(self) -> np.ndarray:
        return functools.reduce(np.add, [c * scan.neg_loss for c, scan in self._scans])

    def negative_slopes(self, t: np.ndarray) -> np.ndarray:
        weight, neg = self._pos_weight * t[self._pos], t[self.neg_rows]
        scores = self._pos_score, self._neg_score
        terms = [
            c * (neg * scan.neg_slope - weighted_slopes(*scores, scan, self._degree, weight))
            for c, scan in self._scans
        ]
        return functools.reduce(np.add, terms)

    def combine_negative_slopes(self, u: np.ndarray) -> np.ndarray:
        return self.reweighted(u).gradient()

    def reweighted(self, neg_weight: np.ndarray) -> "SortedSums":
        other, scans = copy.copy(self), []
        for c, scan in self._scans:
            value, slope, active_weight, _ = self._scan_positives(scan.knot, neg_weight)
            positives = {"value": value, "pos_slope": slope, "pos_active_weight": active_weight}
            scans.append((c, scan._replace(**positives)))
        other.neg_weight, other._scans = neg_weight, scans
        return other


def sort_class(
    score: np.ndarray, rows: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of a class by ascending score, their scores and their weights."""
    order, ordered = argsort(score[rows])
    return rows[order], ordered, weight[order]


class KnotScan(NamedTuple):
    """Sums of one pass over both sorted classes, for one knot.

    Positive ``i`` forms active pairs with the negatives from ``first_active_neg[i]`` on, negative ``j`` with
    the positives before ``end_active_pos[j]``. A row's slope is the derivative by its score, divided by its
    weight; its active weight is the total weight of the rows with which it forms active pairs; the loss of a
    negative is its mean over all positives.
    """

    knot: float
    value: float
    pos_slope: np.ndarray
    pos_active_weight: np.ndarray
    first_active_neg: np.ndarray
    neg_loss: np.ndarray
    neg_slope: np.ndarray
    neg_active_weight: np.ndarray
    end_active_pos: np.ndarray


@kernel
def scan_positives(pos, pos_weight, neg, neg_weight, knot, degree, slope, active_weight, first_active_neg):
    """Mean of ``max(0, knot - (pos_i - neg_j))^degree`` over ascending scores; fills in sums by positive."""
    n_pos, n_neg = len(pos), len(neg)
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
        first_active_neg[i], active_weight[i] = j, active
        value += pos_weight[i] * (squares if degree == 2 else gaps)
        slope[i] = -2.0 * gaps if degree == 2 else -active
    return value


@kernel
def scan_negatives(
    pos, pos_weight, neg, first_active_neg, knot, degree, loss, slope, active_weight, end_active_pos
):
    """Fill in the sums of each negative; positive ``i`` is active from its ``first_active_neg`` on."""
    n_pos, n_neg = len(pos), len(neg)
    active, gaps, squares, i, last_level = 0.0, 0.0, 0.0, 0, 0.0
    for j in range(n_neg):
        level = neg[j] + knot
        if i > 0:
            rise = level - last_level
            squares += rise * (2.0 * gaps + rise * active)
            gaps += rise * active
        last_level = level
        # Reading `first_active_neg` instead of the scores keeps the Hessian symmetric for pairs at the knot.
        while i < n_pos and first_active_neg[i] <= j:
            gap = level - pos[i]
            active += pos_weight[i]
            gaps += pos_weight[i] * gap
            squares += pos_weight[i] * gap * gap
            i += 1
        end_active_pos[j], active_weight[j] = i, active
        loss[j] = squares if degree == 2 else gaps
        slope[j] = 2.0 * gaps if degree == 2 else active


@kernel
def weighted_slopes(pos, neg, scan, degree, weight):
    """The slope of each negative, in ascending order, with other weights of the positives, of any sign."""
    out = np.empty(len(neg))
    active, gaps, i, last_level = 0.0, 0.0, 0, 0.0
    for j in range(len(neg)):
        level = neg[j] + scan.knot
        gaps += (level - last_level) * active
        last_level = level
        while i < scan.end_active_pos[j]:
            active += weight[i]
            gaps += weight[i] * (level - pos[i])
            i += 1
        out[j] = 2.0 * gaps if degree == 2 else active
    return out


@kernel
def add_curvature(pos, pos_weight, neg, neg_weight, scan, factor, t, sum_below, sum_above, out):
    """Add for each row ``factor`` times the sum over its active pairs of weight_i weight_j (t_i - t_j).

    ``sum_below`` and ``sum_above`` are space for running sums over the positives and the negatives.
    """
    sum_above[len(neg)] = 0.0
    for j in range(len(neg) - 1, -1, -1):
        sum_above[j] = sum_above[j + 1] + neg_weight[j] * t[neg[j]]
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
