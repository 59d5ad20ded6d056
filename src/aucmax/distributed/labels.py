"""The two classes of labels in partitions, and the weight of each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from dask.delayed import Delayed, delayed
from numpy.typing import ArrayLike

from ..validation.errors import DataError
from ..validation.labels import (
    check_classes,
    check_known_labels,
    check_no_missing_label,
    check_two_classes,
    distinct_labels,
)
from ..validation.weights import check_class_weights, check_total_weight, check_weights
from .dask_engine import compute
from .inputs import naming_partition

MAX_LABELS = 20  # labels of a partition that are sent to the client


class LabelWeights(NamedTuple):
    """Distinct labels, sorted, the sum or the maximum of their rows' weights, and their numbers of rows."""

    labels: np.ndarray
    weight: np.ndarray
    n_rows: np.ndarray


def sum_class_weights(partitions: Sequence[tuple[Delayed, ...]]) -> tuple[LabelWeights, np.ndarray]:
    """The two labels of rows with positive weight, with their totals; raise if there are other labels.

    ``partitions`` has the labels and the optional weights of each partition. Returns their numbers of rows
    too.
    """
    parts = _reduce_partitions(partitions, np.add)
    merged = _merge(parts, np.add)
    totals = LabelWeights(*(values[merged.weight > 0.0] for values in merged))
    if not len(totals.labels):
        check_total_weight(0.0)
    totals = totals._replace(labels=check_classes(totals.labels))
    _check_known(parts, totals.labels)
    for total in totals.weight:
        check_total_weight(total)
    return totals, np.array([part.n_rows.sum() for part in parts])


def find_largest_weights(
    partitions: Sequence[tuple[Delayed, ...]], classes: np.ndarray | None = None
) -> LabelWeights:
    """The two labels, and the largest weight of each; raise for labels outside the given ``classes``."""
    parts = _reduce_partitions(partitions, np.maximum)
    if classes is not None:
        _check_known(parts, classes)
    merged = _merge(parts, np.maximum)
    check_two_classes(merged.labels)
    check_class_weights(*merged.weight)
    return merged


def _reduce_partitions(partitions: Sequence[tuple[Delayed, ...]], reduce: np.ufunc) -> Sequence[LabelWeights]:
    task = delayed(_reduce_partition, pure=False)
    return compute([task(k, reduce, *part) for k, part in enumerate(partitions)])


def _reduce_partition(
    k: int, reduce: np.ufunc, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> LabelWeights:
    with naming_partition(k):
        y = np.asarray(y)
        check_no_missing_label(pd.isna(y))
        labels, codes = distinct_labels(y)
        if labels.dtype == object:  # some versions of pandas return nullable numbers and booleans as objects
            if any(map(np.ndim, labels)):
                problem = "y has labels that are sequences"
                raise DataError(problem, remedy="give single values, such as text or numbers")
            labels = pd.Series(labels).infer_objects().to_numpy()
        weight = check_weights(None if sample_weight is None else np.asarray(sample_weight), len(codes))
    return _reduce(labels, codes, weight, np.ones(len(codes), np.int64), reduce)


def _reduce(
    labels: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_rows: np.ndarray, reduce: np.ufunc
) -> LabelWeights:
    """Add the weights of each label's rows, or take their maximum; keep the ``MAX_LABELS`` heaviest labels.

    More than two labels are an error, and a few of them suffice for its message: a regression target given as
    y is not sent to the client as a whole.
    """
    reduced, counts = np.zeros(len(labels)), np.zeros(len(labels), np.int64)
    np.add.at(counts, codes, n_rows)
    with np.errstate(over="ignore"):  # an infinite sum is refused later
        reduce.at(reduced, codes, weight)
    heaviest = np.sort(np.argsort(-reduced, kind="stable")[:MAX_LABELS])
    return LabelWeights(labels[heaviest], reduced[heaviest], counts[heaviest])


def _merge(parts: Sequence[LabelWeights], reduce: np.ufunc) -> LabelWeights:
    filled = [part for part in parts if len(part.labels)]
    if not filled:
        raise DataError("All partitions are empty", remedy="give rows of both classes")
    labels, codes = distinct_labels(np.concatenate([part.labels for part in filled]))
    weight, n_rows = (np.concatenate(each) for each in list(zip(*filled, strict=True))[1:])
    return _reduce(labels, codes, weight, n_rows, reduce)


def _check_known(parts: Sequence[LabelWeights], classes: np.ndarray) -> None:
    for k, part in enumerate(parts):
        with naming_partition(k):
            check_known_labels(part.labels, classes)
