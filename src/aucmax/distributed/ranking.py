"""AUC of scores that are spread over many machines: exact, and no machine holds them all.

Each part is brought to its distinct scores with the weight of either class. These are exchanged, so that
each task compares the scores of one interval, of all parts; pairs of scores in different intervals need
only the classes' weights in each.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import delayed

from ..inputs import check_weights
from ..metrics.ranked import as_score
from .partitions import check_dask, in_step, together

MOST_INTERVALS = 64
LARGE = 2**20  # scores of an interval, if there are not too many intervals


class Counts(NamedTuple):
    """Distinct scores in ascending order, and the weight of the negative and positive rows at each."""

    score: np.ndarray
    neg: np.ndarray
    pos: np.ndarray


def auc(y: Any, score: Any, sample_weight: Any = None) -> float:
    """Share of (positive, negative) pairs that the score puts in the right order; ties count one half.

    Parameters
    ----------
    y : dask array or series of shape (n,)
        Any two labels; the larger one is the positive class.
    score : dask array or series of shape (n,)
        Finite numbers, higher for rows more likely positive.
    sample_weight : dask array or series of shape (n,), optional
        A pair counts the product of its two weights.

    Returns
    -------
    float
        The same as :func:`aucmax.metrics.auc` of all rows in one place; without weights it is the exact
        ratio, rounded once.

    Examples
    --------
    >>> import dask.array as da
    >>> from aucmax.distributed import auc
    >>> y, score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> auc(y, score)
    0.75
    """
    check_dask("aucmax.metrics.auc", y=y, score=score, sample_weight=sample_weight)
    y, score, sample_weight = together(y, score, sample_weight)
    columns = in_step(score, y, sample_weight)
    high = _positive_label(dask.compute(*[delayed(_distinct, pure=False)(part) for part in columns[1]]))
    make = delayed(_counted, pure=False)
    parts = dask.persist(*[make(k, high, *row) for k, row in enumerate(zip(*columns, strict=True))])
    cuts = _cuts(dask.compute(*[delayed(_quantiles, pure=False)(part) for part in parts]))
    slices = [
        [delayed(_slice, pure=False)(part, start, stop) for part in parts] for start, stop in pairwise(cuts)
    ]
    won, below, positive = 0, 0, 0
    for own, neg, pos in dask.compute(*[delayed(_won, pure=False)(column) for column in slices]):
        won += own + 2 * below * pos
        below, positive = below + neg, positive + pos
    if not (below and positive):
        raise ValueError("All rows of one class have weight zero; AUC compares two classes.")
    return won / (2 * below * positive)


def _distinct(y: Any) -> list:
    return np.unique(np.asarray(y)).tolist()


def _positive_label(found: tuple) -> Any:
    labels = sorted({label for part in found for label in part})
    if len(labels) != 2:
        shown = ", ".join(map(repr, labels[:10]))
        raise ValueError(
            f"y holds {len(labels)} labels ({shown}); pass exactly two, the larger being positive."
        )
    return labels[1]


def _counted(k: int, high: Any, score: Any, y: Any, sample_weight: Any = None) -> Counts:
    try:
        score, y = as_score(score), np.asarray(y)
        if y.shape != score.shape:
            raise ValueError(f"y has shape {y.shape} and score {score.shape}; pass one label for each score.")
        weight = np.ones(len(y), np.int64) if sample_weight is None else check_weights(sample_weight, len(y))
    except ValueError as error:
        raise ValueError(f"Partition {k}: {error}") from None
    return _merged(score, np.where(y == high, 0, weight), np.where(y == high, weight, 0))


def _merged(score: np.ndarray, neg: np.ndarray, pos: np.ndarray) -> Counts:
    """Equal scores brought together; counts of rows stay whole numbers."""
    order = np.argsort(score, kind="stable")
    score = score[order]
    first = (
        np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]])) if len(score) else np.zeros(0, int)
    )
    return Counts(
        score[first], *(np.add.reduceat(part[order], first) if len(first) else part for part in (neg, pos))
    )


def _quantiles(counts: Counts) -> tuple[np.ndarray, int]:
    n = len(counts.score)
    places = np.linspace(0, n - 1, MOST_INTERVALS) if n else np.zeros(0)
    return counts.score[places.astype(int)].astype(np.float64), n


def _cuts(quantiles: Sequence[tuple[np.ndarray, int]]) -> np.ndarray:
    """Ends of intervals with about as many scores each."""
    found, sizes = np.concatenate([part for part, _ in quantiles]), [n for _, n in quantiles]
    order = np.argsort(found)
    below = np.cumsum(np.concatenate([np.full(len(part), n) for part, n in quantiles])[order])
    n = min(-(-sum(sizes) // LARGE), MOST_INTERVALS)
    inner = found[order][np.searchsorted(below, below[-1] * np.arange(1, n) / n)]
    return np.concatenate([[-np.inf], np.unique(inner), [np.inf]])


def _slice(counts: Counts, start: float, stop: float) -> Counts:
    a, b = np.searchsorted(counts.score, [start, stop])
    return Counts(*(part[a:b] for part in counts))


def _won(slices: list[Counts]) -> tuple:
    """Twice the pairs won within an interval of scores, and the weights of its rows."""
    _, neg, pos = _merged(*(np.concatenate(part) for part in zip(*slices, strict=True)))
    if neg.dtype.kind == "i" and 2 * int(neg.sum()) * int(pos.sum()) >= 2**62:
        neg, pos = neg.astype(object), pos.astype(object)  # whole numbers of any size
    below = np.cumsum(neg) - neg
    return tuple(map(_plain, (np.sum(pos * (2 * below + neg)), neg.sum(), pos.sum())))


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number
