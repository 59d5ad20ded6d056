"""What the first pass over the rows tells: the sums of their columns, a sample, and how they are stored."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..kernels.rows import as_rows, bytes_per_row
from .row_sums import SignedRows, sum_moments

CENTRE_ROWS = 256  # of a partition, whose mean is near enough to that of all: squares about it hardly round
SAMPLE_SEED = 1


@dataclass(frozen=True)
class ColumnSums:
    """Weighted sums of ``x - centre`` and of its square for the positive class, then for the negative."""

    centre: np.ndarray
    weight: np.ndarray  # total of the positives, and of the negatives
    total: np.ndarray  # of shape (4, n_features)

    def __add__(self, other: "ColumnSums") -> "ColumnSums":
        weights = self.weight.sum(), other.weight.sum()
        if not all(weights):
            return self if weights[0] else other
        with np.errstate(over="ignore", invalid="ignore"):  # sums that are not finite are refused later
            centre = self.centre + weights[1] / sum(weights) * (other.centre - self.centre)
            total = self._about(centre) + other._about(centre)
        return ColumnSums(centre, self.weight + other.weight, total)

    def _about(self, centre: np.ndarray) -> np.ndarray:
        """The sums about another centre."""
        shift, weight, total = self.centre - centre, self.weight[:, None], self.total.copy()
        total[1::2] += shift * (2.0 * total[::2] + weight * shift)
        total[::2] += weight * shift
        return total


class Summary(NamedTuple):
    """Sums of columns, sampled rows in blocks with their signed weights, and bytes in dense and CSR rows."""

    columns: ColumnSums
    X: list[Any]
    y: list[np.ndarray]
    dense_bytes: int
    sparse_bytes: int


def summarise(rows: SignedRows, rates: np.ndarray) -> Summary:
    """The summary of a partition; ``rates`` are the shares of negatives and positives in the sample."""
    some = rows.X[:: max(1, len(rows.y) // CENTRE_ROWS)]
    centre = np.asarray(some.sum(axis=0, dtype=np.float64)).reshape(-1) / max(1, some.shape[0])
    weight = np.array([rows.y[rows.y > 0.0].sum(), -rows.y[rows.y < 0.0].sum()])
    columns = ColumnSums(centre, weight, sum_moments(rows, centre))
    n_bytes, is_sparse = int(bytes_per_row(as_rows(rows.X)) * len(rows.y)), sparse.issparse(rows.X)
    chosen = rows.sample(SAMPLE_SEED, rates[(rows.y > 0.0).astype(int)])
    X, y = ([rows.X[chosen]], [rows.y[chosen]]) if n_bytes else ([], [])
    return Summary(columns, X, y, n_bytes * (not is_sparse), n_bytes * is_sparse)
