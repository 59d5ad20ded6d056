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
from dask.delayed import Delayed, delayed

from ..metrics.ranked import as_score, same_length
from ..validation.arrays import check_weights
from .alignment import in_step
from .inputs import Found, by_label, check_dask, check_known_parts, over_parts, partition, read_labels

MOST_INTERVALS = 64
LARGE = 2**20  # scores of an interval, if there are not too many intervals


class Counts(NamedTuple):
    """Distinct scores in ascending order, and the weight of the negative and positive rows at each."""

    score: np.ndarray
    neg: np.ndarray
    pos: np.ndarray


class Scale(NamedTuple):
    """The positive label, and the powers of two by which the weights of either class are divided.

    No product of weights then overflows or vanishes, and their ratios stay as they are, to the last bit.
    """

    positive: Any
    exponents: np.ndarray


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
    return area(in_step(score=score, y=y, sample_weight=sample_weight))


def area(rows: Sequence[tuple[Delayed, ...]], classes: np.ndarray | None = None) -> float:
    """``auc`` of parts of scores, labels and perhaps weights; ``classes`` where they are known."""
    found = dask.compute(*[delayed(_labels, pure=False)(k, *row[1:]) for k, row in enumerate(rows)])
    scale = _scale(found, classes)
    parts = dask.persist(*[delayed(_counted, pure=False)(k, scale, *row) for k, row in enumerate(rows)])
    cuts = _cuts(dask.compute(*[delayed(_quantiles, pure=False)(part) for part in parts]))
    slices = [
        [delayed(_slice, pure=False)(part, start, stop) for part in parts] for start, stop in pairwise(cuts)
    ]
    won, below, positive = 0, 0, 0
    for own, neg, pos in dask.compute(*[delayed(_won, pure=False)(column) for column in slices]):
        won += own + 2 * below * pos
        below, positive = below + neg, positive + pos
    return won / (2 * below * positive)


def _labels(k: int, y: Any, sample_weight: Any = None) -> Found:
    """The labels of a part, and the largest weight of each."""
    with partition(k):
        labels, place = read_labels(y)
        weight = check_weights(sample_weight, len(place))
    return by_label(labels, place, weight, np.maximum)


def _scale(found: Sequence[Found], classes: np.ndarray | None) -> Scale:
    """From the parts' labels and largest weights, or a ValueError unless there are two classes."""
    if classes is not None:
        check_known_parts(found, classes)
    labels, largest = over_parts(found, np.maximum)
    shown = ", ".join(map(repr, labels[:10].tolist()))
    if len(labels) > 2:
        raise ValueError(
            f"y holds more than two labels ({shown}); pass exactly two, the larger being positive."
        )
    if len(labels) < 2:
        raise ValueError(f"y holds only the label {shown}; AUC compares two classes, so pass rows of both.")
    if not largest.all():
        name = "positive" if largest[0] else "negative"
        raise ValueError(f"sample_weight is zero on every {name} row; give each class some weight.")
    return Scale(labels[1], np.frexp(largest)[1])


def _counted(k: int, scale: Scale, score: Any, y: Any, sample_weight: Any = None) -> Counts:
    with partition(k):
        score, positive = as_score(score), np.asarray(y) == scale.positive
        same_length(positive, score)
    if sample_weight is None:
        weight = np.ones(len(score), np.int64)
    else:
        weight = np.ldexp(np.asarray(sample_weight, np.float64), -scale.exponents[positive.astype(int)])
    return _merged(score, np.where(positive, 0, weight), np.where(positive, weight, 0))


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
