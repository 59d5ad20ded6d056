"""Where to cut scores that are spread over partitions into two classes."""

import numpy as np

from ..rows import scores
from .partitions import Part, Partitions

BINS = 4096


def _ends(part: Part, w: np.ndarray) -> tuple[float, float]:
    found = scores(part.X, w)[part.y != 0.0]
    return (float(found.min()), float(found.max())) if len(found) else (np.inf, -np.inf)


def ends(rows: Partitions, w: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest score."""
    low, high = zip(*rows.gather(_ends, w), strict=True)
    return min(low), max(high)


def _histogram(part: Part, w: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The weight of each class, negative and positive, from one edge to the next."""
    place = np.searchsorted(edges, scores(part.X, w), side="right")
    return np.array(
        [np.bincount(place, np.maximum(sign * part.y, 0.0), len(edges) + 1) for sign in (-1.0, 1.0)]
    )


def balanced_threshold(rows: Partitions, w: np.ndarray) -> float:
    """The edge of a bin with the best balanced accuracy; the lowest of equally good ones."""
    low, high = ends(rows, w)
    edges = np.linspace(low, high, BINS + 1)
    neg, pos = rows.total(_histogram, w, edges)
    gain = np.cumsum(neg - pos)[:-1]
    return float(edges[int(np.argmax(gain > gain.max() - 1e-9))])
