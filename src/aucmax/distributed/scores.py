"""Where to cut scores that are spread over partitions into two classes."""

import numpy as np

from ..kernels.rows import scores
from .partitions import Part, Partitions

QUANTILES = 256  # of each part


def _quantiles(part: Part, w: np.ndarray) -> np.ndarray:
    found = np.sort(scores(part.X, w)[part.y != 0.0])
    return found[np.linspace(0, len(found) - 1, QUANTILES).astype(int)] if len(found) else found


def _histogram(part: Part, w: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The weight of each class, negative and positive, above one edge and up to the next."""
    place = np.searchsorted(edges, scores(part.X, w))
    return np.array(
        [np.bincount(place, np.maximum(sign * part.y, 0.0), len(edges) + 1) for sign in (-1.0, 1.0)]
    )


def balanced_threshold(rows: Partitions, w: np.ndarray) -> float:
    """The cut with the best balanced accuracy among quantiles of the parts' scores; the lowest of equals."""
    edges = np.unique(np.concatenate(rows.gather(_quantiles, w)))
    neg, pos = rows.total(_histogram, w, edges)
    gain = np.cumsum(neg - pos)[:-1]
    best = int(np.argmax(gain > gain.max() - 1e-9))
    return float(edges[best]) if gain[best] > 1e-9 else float(edges[0] - 1.0)
