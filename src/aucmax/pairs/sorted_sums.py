"""Sums of a margin loss over all pairs of a positive and a negative row.

Each class below holds, for one vector of scores ``s``, the mean over pairs of ``loss(s_i - s_j)``:
its value, its gradient in ``s`` and its curvature, i.e. the product of the Hessian in ``s`` with
a vector. None of them visits the pairs one by one.
"""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import kernel
from .sums import Classes


class SortedSums:
    """Losses of the form ``sum_k c_k max(0, knot_k - margin)^degree``, degree 1 or 2.

    With both classes sorted, the negatives that make an active pair with a positive are the
    last ones, and the positives that do so with a negative the first ones. The sums over them
    are carried from one row to the next, and every term added is of one sign, so that nothing
    cancels.
    """

    def __init__(self, classes: Classes, score: np.ndarray, knots, degree: int) -> None:
        self._pos, pos, self._a = ascending(score, classes.pos, classes.pos_weight)
        self._neg, neg, self._b = ascending(score, classes.neg, classes.neg_weight)
        self._n_rows, self._bend = classes.n_rows, 2.0 if degree == 2 else 0.0
        self._scans = [(c, Scan(*knot_scan(pos, self._a, neg, self._b, knot, degree))) for knot, c in knots]
        self.value = float(sum(c * scan.value for c, scan in self._scans))

    def _total(self, at_pos, at_neg) -> np.ndarray:
        out = np.zeros(self._n_rows)
        out[self._pos] = sum(c * at_pos(scan) for c, scan in self._scans) * self._a
        out[self._neg] = sum(c * at_neg(scan) for c, scan in self._scans) * self._b
        return out

    def gradient(self) -> np.ndarray:
        return self._total(lambda scan: scan.pos_slope, lambda scan: scan.neg_slope)

    def diagonal(self) -> np.ndarray:
        """Second derivative by each row's own score."""
        return self._bend * self._total(lambda scan: scan.pos_mass, lambda scan: scan.neg_mass)

    def curvature(self, t: np.ndarray) -> np.ndarray:
        out = np.zeros(self._n_rows)
        for c, scan in self._scans:
            knot_curvature(self._pos, self._a, self._neg, self._b, scan, self._bend * c, t, out)
        return out


def ascending(score: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> tuple:
    """Rows of a class by ascending score: their numbers, scores and weights."""
    done, order, key = bucket_sort(score, rows)
    if not done:
        order = np.argsort(score[rows], kind="stable")
        key = score[rows[order]]
    return rows[order], key, weight[order]


@kernel
def bucket_sort(score, rows):
    """Stable sort through as many even buckets as rows, then insertion.

    Linear time for scores spread like most; gives up, with False, where a few far ones crowd
    the rest into few buckets.
    """
    n = len(rows)
    low, high = np.inf, -np.inf
    for k in range(n):
        low, high = min(low, score[rows[k]]), max(high, score[rows[k]])
    order, key, start = np.empty(n, np.int64), np.empty(n), np.zeros(n + 1, np.int64)
    per_bucket = (n - 1) / (high - low) if high > low else 0.0
    if not np.isfinite(per_bucket * (high - low)):
        return False, order, key
    for k in range(n):
        start[np.uintp((score[rows[k]] - low) * per_bucket) + np.uintp(1)] += 1
    for k in range(n):
        start[k + 1] += start[k]
    for k in range(n):
        x = score[rows[k]]
        bucket = np.uintp((x - low) * per_bucket)
        place = np.uintp(start[bucket])
        start[bucket] += 1
        order[place], key[place] = k, x
    moves = 8 * n
    for k in range(1, n):
        x, at, place = key[k], order[k], k
        while place > 0 and key[place - 1] > x:
            key[place], order[place] = key[place - 1], order[place - 1]
            place -= 1
        key[place], order[place] = x, at
        moves -= k - place
        if moves < 0:
            return False, order, key
    return True, order, key


class Scan(NamedTuple):
    """What one pass over both sorted classes finds for one knot.

    ``first[i]`` is the first active negative of positive ``i``, ``last[j]`` one past the last
    active positive of negative ``j``; ``mass`` is the weight of a row's active partners.
    """

    value: float
    pos_slope: np.ndarray
    neg_slope: np.ndarray
    pos_mass: np.ndarray
    neg_mass: np.ndarray
    first: np.ndarray
    last: np.ndarray


@kernel
def knot_scan(pos, a, neg, b, knot, degree):
    """Sums of ``max(0, knot - (pos_i - neg_j))^degree`` for both classes in ascending order: a ``Scan``."""
    pos_slope, pos_mass, first = np.empty(len(pos)), np.empty(len(pos)), np.empty(len(pos), np.int64)
    neg_slope, neg_mass, last = np.empty(len(neg)), np.empty(len(neg)), np.empty(len(neg), np.int64)
    value, count, reach, square = 0.0, 0.0, 0.0, 0.0
    j, at = len(neg), 0.0
    for i in range(len(pos) - 1, -1, -1):
        level = pos[i] - knot
        if j < len(neg):
            fall = at - level
            square += fall * (2.0 * reach + fall * count)
            reach += fall * count
        at = level
        while j > 0 and neg[j - 1] > level:
            j -= 1
            gap = neg[j] - level
            count += b[j]
            reach += b[j] * gap
            square += b[j] * gap * gap
        first[i], pos_mass[i] = j, count
        value += a[i] * (square if degree == 2 else reach)
        pos_slope[i] = -2.0 * reach if degree == 2 else -count
    count, reach, i, at = 0.0, 0.0, 0, 0.0
    for j in range(len(neg)):
        level = neg[j] + knot
        if i > 0:
            reach += (level - at) * count
        at = level
        # Asking `first` rather than the scores keeps the Hessian symmetric for pairs at the knot.
        while i < len(pos) and first[i] <= j:
            count += a[i]
            reach += a[i] * (level - pos[i])
            i += 1
        last[j], neg_mass[j] = i, count
        neg_slope[j] = 2.0 * reach if degree == 2 else count
    return value, pos_slope, neg_slope, pos_mass, neg_mass, first, last


@kernel
def knot_curvature(pos, a, neg, b, scan, c, t, out):
    """Add ``c`` times the sum over active pairs of ``a_i b_j (t_i - t_j)``, to either row its sign."""
    above = np.empty(len(neg) + 1)
    above[len(neg)] = 0.0
    for j in range(len(neg) - 1, -1, -1):
        above[j] = above[j + 1] + b[j] * t[neg[j]]
    below = np.empty(len(pos) + 1)
    below[0] = 0.0
    for i in range(len(pos)):
        row = pos[i]
        here = a[i] * t[row]
        below[i + 1] = below[i] + here
        out[row] += c * (here * scan.pos_mass[i] - a[i] * above[scan.first[i]])
    for j in range(len(neg)):
        row = neg[j]
        out[row] += c * b[j] * (scan.neg_mass[j] * t[row] - below[scan.last[j]])
