"""Rows in partitions on many workers, and sums over the partitions.

Each sum is one round: every partition computes a function, and the results are added in a tree of tasks.
Workers keep only the partitions themselves, and Dask recomputes a lost one, so a worker may leave at any
time. The order of the additions depends on the partitions alone.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import ArrayLike
from scipy import sparse

from ..validation.scores import check_same_length
from .inputs import Table, naming_partition, validate_rows
from .labels import LabelWeights

FAN_IN = 8  # partial sums that are added in one task


class SignedRows(NamedTuple):
    """One validated partition; ``y`` is the weight of a positive row, minus the weight of a negative one."""

    X: np.ndarray | sparse.csr_array
    y: np.ndarray


def has_csr_rows(rows: SignedRows) -> bool:
    """Whether the partition is sparse."""
    return sparse.issparse(rows.X)


class PartitionedRows:
    """Validated partitions on the workers, with weights scaled to add up to one in each class.

    ``partitions`` has the rows, labels and optional weights of each; ``totals`` the negative and the positive
    label with their total weights.
    """

    def __init__(
        self, partitions: Sequence[tuple[Delayed, ...]], totals: LabelWeights, n_features: int
    ) -> None:
        validate, self.n_features = delayed(validate_partition, pure=False), n_features
        shared = n_features, totals.labels[1], [-1.0, 1.0] / totals.weight
        self._parts = dask.persist(*[validate(k, *shared, *part) for k, part in enumerate(partitions)])

    def collect(self, function: Callable, *args: object) -> list:
        """``function(rows, *args)`` of each partition."""
        return list(dask.compute(*self._apply(function, *args)))

    def sum(self, function: Callable, *args: object) -> Any:
        """The sum of ``function(rows, *args)``, an array or a tuple of arrays, over the partitions."""
        sums = self._apply(function, *args)
        while len(sums) > 1:
            sums = [delayed(add, pure=False)(sums[k : k + FAN_IN]) for k in range(0, len(sums), FAN_IN)]
        return sums[0].compute()

    def _apply(self, function: Callable, *args: object) -> list[Delayed]:
        sent = [delayed(value, pure=False, traverse=False) for value in args]  # sent once, not with each task
        return [delayed(function, pure=False)(part, *sent) for part in self._parts]


def validate_partition(
    k: int,
    n_features: int,
    positive: object,
    factors: np.ndarray,
    X: Table,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> SignedRows:
    """Partition ``k``; ``factors`` multiply the weights of the negative and of the positive class."""
    is_positive = np.asarray(y) == positive
    with naming_partition(k):
        rows = validate_rows(X, n_features)
        check_same_length(X=rows.shape[0], y=len(is_positive))
    # The weights have been checked together with the labels.
    weight = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return SignedRows(rows, weight * factors[is_positive.astype(int)])


def add(sums: Sequence) -> Any:
    """Add arrays, or tuples of arrays, in their order."""
    if isinstance(sums[0], tuple):
        return tuple(map(add, zip(*sums, strict=True)))
    return functools.reduce(np.add, sums)
