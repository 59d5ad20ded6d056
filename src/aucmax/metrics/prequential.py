"""Prequential AUC: of scores that rows had before a model learnt from them, by pairs close in time."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised

# Places in ``counts``: weight of the close pairs in order, of all close pairs; their number; the number to
# expect if the classes are mixed.
IN_ORDER, WEIGHT, CLOSE, MIXED = range(4)


class PrequentialAUC(NamedTuple):
    """The latest scores of each class (negative, positive), the oldest overwritten first, and what they gave.

    ``weights`` of zero mark free places; ``rows`` are the numbers of the rows that had the scores.
    ``n_scored`` counts the scores of each class.
    """

    scores: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    n_scored: np.ndarray
    counts: np.ndarray

    @classmethod
    def empty(cls, size: int) -> "PrequentialAUC":
        """Room for so many scores of each class."""
        scores, weights, rows = np.zeros((3, 2, size))
        return cls(scores, weights, rows, np.zeros(2, dtype=np.int64), np.zeros(4))

    def value(self) -> float:
        """The AUC; NaN before any pair was counted."""
        return float(self.counts[IN_ORDER] / self.counts[WEIGHT]) if self.counts[WEIGHT] > 0.0 else np.nan

    def coverage(self) -> float:
        """Pairs that were counted, as a share of those to expect if the classes are mixed."""
        return min(float(self.counts[CLOSE] / max(self.counts[MIXED], 1.0)), 1.0)

    def rescale(self, factor: float) -> None:
        """Multiply all weights."""
        self.weights[:] *= factor
        self.counts[: WEIGHT + 1] *= factor


@inlined
def count_pairs(prequential, c, score, weight, unit, row, n_rows):
    """Compare the score of a new row of class c with the other class's latest ones, then add it to its own.

    Only pairs close in time count, within the rows in which as many of the common class come as there is room
    for, on average: a positive may come before or after a negative alike, so that scores which rise or fall
    with time do not help either class, and both are those of nearly the same model. ``n_rows`` has the number
    of rows so far of each class, and may forget; weights are stored in this ``unit``.
    """
    scores, weights, rows, n_scored, counts = prequential
    other, common, size = 1 - c, max(n_rows[0], n_rows[1]), scores.shape[1]
    limit = size * (n_rows[0] + n_rows[1])
    lower, close, number = _close_pairs(score, other, scores, weights, rows, row, common, limit)
    counts[IN_ORDER] += weight * (lower if c == 1 else close - lower)
    counts[WEIGHT] += weight * close
    counts[CLOSE] += number
    counts[MIXED] += min(size * n_rows[other] / common, float(n_scored[other]))
    place = n_scored[c] % size
    scores[c, place], weights[c, place], rows[c, place] = score, weight * unit, row
    n_scored[c] += 1


@vectorised
def _close_pairs(score, other, scores, weights, rows, row, common, limit):
    """Weight of the close scores of class ``other`` that are lower, and of all close ones; their number.

    Those of rows are close whose distance from ``row`` times ``common`` is at most ``limit``: integers as a
    rule, so that no rounding decides. A tie counts half.
    """
    lower, close, number = 0.0, 0.0, 0.0
    for k in range(scores.shape[1]):
        weight = weights[other, k] if (row - rows[other, k]) * common <= limit else 0.0
        lower += weight if score > scores[other, k] else 0.0
        lower += weight if score >= scores[other, k] else 0.0
        close += weight
        number += 1.0 if weight > 0.0 else 0.0
    return 0.5 * lower, close, number
