"""``PairSums``: what solvers need of a loss summed over all pairs; ``Classes``: the rows that form the pairs.

To sum a loss in another way, write a class with the members of :class:`PairSums` and return an object of it
from the method ``sums`` of the loss; with those of :class:`NegativeSums` it can be pushed as well.
"""

from typing import NamedTuple, Protocol

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

    def by_row(self, pos_values: np.ndarray, neg_values: np.ndarray) -> np.ndarray:
        """One array in the order of the rows from the values of both classes; other rows get zero."""
        out = np.zeros(self.n_rows)
        out[self.pos], out[self.neg] = pos_values, neg_values
        return out


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
