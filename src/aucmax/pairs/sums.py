"""``PairSums``: what solvers need of a loss summed over all pairs; ``Classes``: the rows that form the pairs.

To sum a loss in another way, write a class with the members of :class:`PairSums` and return an object of it
from the method ``sums`` of the loss; with those of :class:`NegativeSums` it can be pushed as well.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np


class Classes(NamedTuple):
    """Rows of each class and their weights, which sum to one in each class."""

    n_rows: int
    pos: np.ndarray
    neg: np.ndarray
    pos_weight: np.ndarray
    neg_weight: np.ndarray

    @classmethod
    def split(cls, signed: np.ndarray) -> "Classes":
        """Split signed weights, ``+weight`` for a positive row and ``-weight`` for a negative one."""
        pos, neg = np.flatnonzero(signed > 0.0), np.flatnonzero(signed < 0.0)
        return cls(len(signed), pos, neg, signed[pos] / signed[pos].sum(), signed[neg] / signed[neg].sum())

    @property
    def xp(self) -> Any:
        """The namespace of the arrays."""
        return np

    def sample(self, size: int) -> tuple[np.ndarray, "Classes"]:
        """At most ``size`` rows of each class, at equal steps, and the classes of these rows alone."""
        rows = np.union1d(*(evenly_spaced(of_class, size) for of_class in (self.pos, self.neg)))
        return rows, Classes.split(self.by_row(self.pos_weight, -self.neg_weight)[rows])

    @staticmethod
    def sample_rows(rows: np.ndarray, weight: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """At most ``size`` rows at equal steps of their cumulative weight, and weights that sum to one."""
        nonzero = np.flatnonzero(weight > 0.0)
        if len(nonzero) <= size:
            return rows[nonzero], weight[nonzero] / weight[nonzero].sum()
        cumulative = np.cumsum(weight[nonzero])
        picks = np.searchsorted(cumulative, cumulative[-1] * (np.arange(size) + 0.5) / size)
        return rows[nonzero[np.minimum(picks, len(nonzero) - 1)]], np.full(size, 1.0 / size)

    def by_row(self, pos_values: np.ndarray, neg_values: np.ndarray) -> np.ndarray:
        """One array in the order of the rows from the values of both classes; other rows get zero."""
        out = np.zeros(self.n_rows)
        out[self.pos], out[self.neg] = pos_values, neg_values
        return out


def evenly_spaced(rows: np.ndarray, size: int) -> np.ndarray:
    """At most ``size`` of the rows, at equal steps."""
    return rows if len(rows) <= size else rows[np.linspace(0, len(rows) - 1, size).astype(np.int64)]


class Curvature(Protocol):
    """The second derivative of a function of the scores."""

    def curvature(self, t: np.ndarray) -> np.ndarray:
        """The Hessian in the scores times ``t``."""

    def diagonal(self) -> np.ndarray:
        """The diagonal of the Hessian: second derivative by each row's score."""


class PairSums(Curvature, Protocol):
    """Weighted mean of a loss over all pairs at given scores, and its derivatives in the scores."""

    @property
    def value(self) -> float:
        """The mean over all pairs."""

    def gradient(self) -> np.ndarray:
        """First derivative by each row's score."""


class NegativeSums(PairSums, Protocol):
    """The same with the mean loss of each negative over all positives, which the push weights anew.

    Arrays over the negatives are in the order of ``neg_rows``.
    """

    neg_rows: np.ndarray
    neg_weight: np.ndarray

    def negative_losses(self) -> np.ndarray:
        """Mean loss of each negative."""

    def negative_slopes(self, t: np.ndarray) -> np.ndarray:
        """Derivative of the mean loss of each negative along ``t``, one number for each row."""

    def combine_negative_slopes(self, u: np.ndarray) -> np.ndarray:
        """The transpose: the gradient of the sum of ``u`` times the mean losses, for ``u`` of any sign."""

    def reweighted(self, neg_weight: np.ndarray) -> Curvature:
        """The curvature with other weights of the negatives, not negative but of any total."""
