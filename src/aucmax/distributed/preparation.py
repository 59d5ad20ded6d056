"""From Dask collections to validated partitions of rows with signed weights."""

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed

from ..validation.scores import check_same_length
from .dask_engine import DaskRounds, Watch, memory_for_rows
from .inputs import DaskCollection, align_partitions, naming_partition, validate_rows
from .labels import sum_class_weights
from .problem import PartitionedRows, join_rows
from .row_sums import SignedRows

BLOCK_BYTES = 2**23  # smaller partitions are joined: a task for each would take longer than its sums


def prepare_rows(
    X: DaskCollection,
    y: DaskCollection,
    sample_weight: Any,
    n_features: int,
    persist: bool | str,
    watch: Watch,
) -> tuple[np.ndarray, PartitionedRows, DaskRounds]:
    """The two classes, validated rows, and the engine that keeps them in the workers' memory if they fit.

    Labels and weights are read first, without X unless its rows are known to fit in memory.
    """
    memory = np.inf if persist is True else 0.0 if persist is False else memory_for_rows()
    given = {"X": X, "y": y, "sample_weight": sample_weight}
    known_to_fit = persist is True or (isinstance(X, da.Array) and X.nbytes <= memory)
    partitions = align_partitions(known_to_fit, **given)
    labels = [part[1:] for part in partitions]
    if not known_to_fit:
        labels = align_partitions(False, y=y, sample_weight=sample_weight)
    totals, partition_rows = sum_class_weights(labels)
    n_bytes = 8 * n_features * int(partition_rows.sum())
    shared = n_features, totals.labels[1], [-1.0, 1.0] / totals.weight
    validate = delayed(validate_block, pure=False)
    validated = [
        validate(first, start, *shared, partitions[first:stop])
        for first, stop, start in group_partitions(partition_rows, 8 * n_features)
    ]
    engine = DaskRounds(validated, known_to_fit or n_bytes <= memory, watch)
    del partitions, labels, validated  # the workers keep the validated rows only
    rows = PartitionedRows(engine, totals.n_rows, totals.weight, n_features)
    # The rows may fit after all: `n_bytes` is the size of dense rows, and CSR rows are far smaller.
    if not engine.persisted and rows.n_bytes <= memory:
        engine.persist()
    return totals.labels, rows, engine


def group_partitions(partition_rows: np.ndarray, row_bytes: int) -> list[tuple[int, int, int]]:
    """First partition, end and first row of blocks: consecutive partitions, joined while they are small."""
    blocks, first, size = [], 0, 0
    starts = np.cumsum(partition_rows) - partition_rows
    for k, n_rows in enumerate(partition_rows):
        if k > first and size + n_rows * row_bytes > BLOCK_BYTES:
            blocks.append((first, k, int(starts[first])))
            first, size = k, 0
        size += n_rows * row_bytes
    return [*blocks, (first, len(partition_rows), int(starts[first]))]


def validate_block(
    first: int, start: int, n_features: int, positive: object, factors: np.ndarray, partitions: Sequence
) -> SignedRows:
    """The rows of some partitions, numbered from ``first`` on; ``start`` is the number of the first row.

    ``factors`` multiply the weights of the negative and of the positive class.
    """
    X, y = [], []
    for k, (rows, labels, *weights) in enumerate(partitions, first):
        is_positive = np.asarray(labels) == positive
        with naming_partition(k):
            X.append(validate_rows(rows, n_features))
            check_same_length(X=X[-1].shape[0], y=len(is_positive))
        # The weights have been checked together with the labels.
        weight = np.asarray(weights[0], dtype=np.float64) if weights else 1.0
        y.append(weight * factors[is_positive.astype(int)])
    return SignedRows(join_rows(X), np.concatenate(y), start)
