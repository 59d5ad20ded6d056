"""What a sum over all pairs offers to a solver, and the two classes that make the pairs."""

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
    def split(cls, y: np.ndarray) -> "Classes":
        """Split signed weights, ``+weight`` for a positive row and ``-weight`` for a negative."""
        pos, neg = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
        return cls(len(y), pos, neg, y[pos] / y[pos].sum(), y[neg] / y[neg].sum())

    def spread(self, at_pos: np.ndarray, at_neg: np.ndarray) -> np.ndarray:
        """One number for each row from the numbers of both classes."""
        out = np.zeros(self.n_rows)
        out[self.pos], out[self.neg] = at_pos, at_neg
        return out


class PairSums(Protocol):
    """Mean loss over all pairs at some scores, and its derivatives in the scores."""

    @property
    def value(self) -> float: ...

    def gradient(self) -> np.ndarray: ...

    def curvature(self, t: np.ndarray) -> np.ndarray: ...

    def diagonal(self) -> np.ndarray: ...
