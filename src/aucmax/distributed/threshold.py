"""The threshold between the classes for scores in partitions."""

import numpy as np

from ..kernels.rows import as_rows, scores
from .partitions import PartitionedRows, SignedRows

N_QUANTILES = 256  # of each partition


def _find_quantiles(rows: SignedRows, w: np.ndarray) -> np.ndarray:
    ordered = np.sort(scores(as_rows(rows.X), w)[rows.y != 0.0])
    return ordered[np.linspace(0, len(ordered) - 1, N_QUANTILES).astype(int)] if len(ordered) else ordered


def _sum_weights(rows: SignedRows, w: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The weight of each class, negative and positive, between consecutive edges."""
    bins = np.searchsorted(edges, scores(as_rows(rows.X), w))
    return np.array(
        [np.bincount(bins, np.maximum(sign * rows.y, 0.0), len(edges) + 1) for sign in (-1.0, 1.0)]
    )


def balanced_threshold(rows: PartitionedRows, w: np.ndarray) -> float:
    """The quantile of the partitions' scores with the best balanced accuracy.

    Among equally good ones the lowest is taken. If none is better than predicting one class, the threshold is
    below all of them.
    """
    edges = np.unique(np.concatenate(rows.collect(_find_quantiles, w)))
    neg, pos = rows.sum(_sum_weights, w, edges)
    gain = np.cumsum(neg - pos)[:-1]
    best = int(np.argmax(gain > gain.max() - 1e-9))
    return float(edges[best]) if gain[best] > 1e-9 else float(edges[0] - 1.0)
