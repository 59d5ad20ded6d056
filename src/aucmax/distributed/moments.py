"""Column means and variances of both classes, over partitions."""

import numpy as np
from scipy import sparse

from ..batch.moments import Moments, add_block
from ..kernels.rows import as_rows
from .partitions import PartitionedRows, SignedRows


def sum_moments(rows: SignedRows, centre: np.ndarray) -> np.ndarray:
    """Sums of ``x - centre`` and of its square for the positive class, then for the negative: four rows."""
    out = np.zeros((4, rows.X.shape[1]))
    add_block(as_rows(rows.X), rows.y, centre, 0, len(rows.y), out)
    if sparse.issparse(rows.X):  # `add_block` skips entries that are not stored, which are zero
        weight = np.array([rows.y[rows.y > 0.0].sum(), -rows.y[rows.y < 0.0].sum()])
        out[::2] -= np.outer(weight, centre)
        out[1::2] += np.outer(weight, centre**2)
    return out


def class_moments(rows: PartitionedRows) -> Moments:
    """Means in one round, then variances about their midpoint, since large means would cancel digits."""
    pos, _, neg, _ = rows.sum(sum_moments, np.zeros(rows.n_features))
    centre = 0.5 * (pos + neg)
    return Moments.about(centre, rows.sum(sum_moments, centre))
