"""Column means and variances of both classes, over partitions."""

import numpy as np

from ..batch.moments import Moments, add_block
from ..kernels.rows import CSR
from .partitions import Part, Partitions


def sums(part: Part, centre: np.ndarray) -> np.ndarray:
    """Four lines: sums of ``x - centre`` and of its square in the positive class, then in the negative."""
    out = np.zeros((4, part.n_features))
    add_block(part.X, part.y, centre, 0, len(part.y), out)
    if isinstance(part.X, CSR):  # what entries that are not stored give
        mass = np.array([part.y[part.y > 0.0].sum(), -part.y[part.y < 0.0].sum()])
        out[::2] -= np.outer(mass, centre)
        out[1::2] += np.outer(mass, centre**2)
    return out


def class_moments(rows: Partitions) -> Moments:
    """In two rounds: means, then variances about them, so that large offsets cost no digits."""
    pos, _, neg, _ = rows.total(sums, np.zeros(rows.n_features))
    centre = 0.5 * (pos + neg)
    return Moments.about(centre, rows.total(sums, centre))
