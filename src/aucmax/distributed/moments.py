"""Column means and variances of both classes, over partitions."""

import numpy as np

from ..batch.moments import Moments, add_block, add_zero_entries
from ..kernels.rows import as_rows
from .partitions import PartitionedRows, SignedRows


def sum_moments(rows: SignedRows, centre: np.ndarray) -> np.ndarray:
    """Sums of ``x - centre`` and of its square in the positive class, then in the negative: four rows."""
    out = np.zeros((4, rows.X.shape[1]))
    X, class_weights = as_rows(rows.X), np.array([rows.y[rows.y > 0.0].sum(), -rows.y[rows.y < 0.0].sum()])
    add_block(X, rows.y, centre, 0, len(rows.y), out)
    add_zero_entries(X, centre, class_weights, out)
    return out


def class_moments(rows: PartitionedRows) -> Moments:
    """In two rounds: means, then variances about them, so that large offsets cost no digits."""
    pos, _, neg, _ = rows.sum(sum_moments, np.zeros(rows.n_features))
    centre = 0.5 * (pos + neg)
    return Moments.about(centre, rows.sum(sum_moments, centre))
