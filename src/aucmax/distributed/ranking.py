"""Exact AUC of scores in partitions, without collecting all scores on one machine.

Each partition is reduced to its distinct scores with the weight of each class. The range of scores is cut
into intervals, and one task for each interval compares the scores of all partitions in it. For pairs of
scores in different intervals the total weights of the classes in each interval suffice.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import ArrayLike

from ..validation.scores import check_same_length, check_scores
from .dask_engine import compute
from .inputs import DaskCollection, align_partitions, check_collections, naming_partition
from .labels import find_largest_weights

MAX_INTERVALS = 64
INTERVAL_SIZE = 2**20  # target number of scores in an interval


class ScoreWeights(NamedTuple):
    """Distinct scores in ascending order, and the weight of the negative and positive rows at each."""

    score: np.ndarray
    neg: np.ndarray
    pos: np.ndarray


def auc(y: DaskCollection, score: DaskCollection, sample_weight: DaskCollection | None = None) -> float:
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
    check_collections("aucmax.metrics.auc", y=y, score=score, sample_weight=sample_weight)
    return compute_auc(align_partitions(True, score=score, y=y, sample_weight=sample_weight))


def compute_auc(rows: Sequence[tuple[Delayed, ...]], classes: np.ndarray | None = None) -> float:
    """AUC of partitions of scores, labels and optional weights; other labels than ``classes`` are refused."""
    labels, largest, _ = find_largest_weights([row[1:] for row in rows], classes)
    # Weights are divided by powers of two, which is exact, so that no product overflows or underflows.
    shared, weigh = (labels[1], np.frexp(largest)[1]), delayed(_weigh_scores, pure=False)
    parts = dask.persist(*[weigh(k, *shared, *row) for k, row in enumerate(rows)])
    cuts = _choose_cuts(compute([delayed(_find_quantiles, pure=False)(part) for part in parts]))
    intervals = [
        delayed(_count_pairs_won, pure=False)([delayed(_select, pure=False)(part, *ends) for part in parts])
        for ends in pairwise(cuts)
    ]
    twice_won, total_neg, total_pos = 0, 0, 0
    for within, neg, pos in compute(intervals):  # in ascending order of score
        twice_won += within + 2 * total_neg * pos
        total_neg, total_pos = total_neg + neg, total_pos + pos
    return twice_won / (2 * total_neg * total_pos)


def _weigh_scores(
    k: int,
    positive: object,
    exponents: np.ndarray,
    score: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> ScoreWeights:
    with naming_partition(k):
        values, is_positive = check_scores(score), np.asarray(y) == positive
        check_same_length(y=is_positive.size, score=values.size)
    if sample_weight is None:
        weight = np.ones(len(values), np.int64)
    else:
        weight = np.ldexp(np.asarray(sample_weight, np.float64), -exponents[is_positive.astype(int)])
    return _merge_ties(values, np.where(is_positive, 0, weight), np.where(is_positive, weight, 0))


def _merge_ties(score: np.ndarray, neg: np.ndarray, pos: np.ndarray) -> ScoreWeights:
    """Sort by score, and add the weights of equal scores; counts of rows stay whole numbers."""
    order = np.argsort(score, kind="stable")
    score = score[order]
    first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]])[: len(score)])
    return ScoreWeights(score[first], np.add.reduceat(neg[order], first), np.add.reduceat(pos[order], first))


def _find_quantiles(counts: ScoreWeights) -> tuple[np.ndarray, int]:
    n = len(counts.score)
    ranks = np.linspace(0, n - 1, MAX_INTERVALS) if n else np.zeros(0)
    return counts.score[ranks.astype(int)].astype(np.float64), n


def _choose_cuts(quantiles: Sequence[tuple[np.ndarray, int]]) -> np.ndarray:
    """Ends of intervals that have about the same number of scores each."""
    found, total = np.concatenate([part for part, _ in quantiles]), sum(n for _, n in quantiles)
    order = np.argsort(found)
    below = np.cumsum(np.concatenate([np.full(len(part), n) for part, n in quantiles])[order])
    n = min(-(-total // INTERVAL_SIZE), MAX_INTERVALS)
    inner = found[order][np.searchsorted(below, below[-1] * np.arange(1, n) / n)]
    return np.concatenate([[-np.inf], np.unique(inner), [np.inf]])


def _select(counts: ScoreWeights, start: float, stop: float) -> ScoreWeights:
    a, b = np.searchsorted(counts.score, [start, stop])
    return ScoreWeights(*(part[a:b] for part in counts))


def _count_pairs_won(slices: list[ScoreWeights]) -> tuple:
    """Twice the weight of correctly ordered pairs in an interval, and its weights of either class."""
    _, neg, pos = _merge_ties(*(np.concatenate(part) for part in zip(*slices, strict=True)))
    if neg.dtype.kind == "i" and 2 * int(neg.sum()) * int(pos.sum()) >= 2**62:
        neg, pos = neg.astype(object), pos.astype(object)  # Python's integers do not overflow
    below = np.cumsum(neg) - neg
    return tuple(np.asarray(x).item() for x in (np.sum(pos * (2 * below + neg)), neg.sum(), pos.sum()))
