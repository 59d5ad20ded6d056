"""From Dask collections to validated partitions of rows with signed weights."""

from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike

from ..validation.parameters import boolean, one_of
from ..validation.scores import check_same_length
from .alignment import align_partitions
from .dask_engine import DaskRounds, memory_for_rows
from .inputs import DaskCollection, Table, naming_partition, validate_rows
from .labels import ClassTotals, sum_class_weights
from .problem import PartitionedRows
from .row_sums import SignedRows

persist_rule = one_of("auto") | boolean


class Prepared(NamedTuple):
    """Rows in partitions, their classes, and the engine that holds them."""

    rows: PartitionedRows
    totals: ClassTotals
    engine: DaskRounds


def prepare_rows(
    X: DaskCollection, y: DaskCollection, sample_weight: Any, n_features: int, persist: bool | str
) -> Prepared:
    """Validate labels, weights and rows; keep the rows in the workers' memory if they fit or are to be kept.

    Labels and weights are read first, alone where the rows are not kept.
    """
    memory = np.inf if persist is True else 0.0 if persist is False else memory_for_rows()
    given = {"X": X, "y": y, "sample_weight": sample_weight}
    at_once = persist is True or (isinstance(X, da.Array) and X.nbytes <= memory)
    partitions = align_partitions(at_once, **given)
    labels = [part[1:] for part in partitions]
    if not at_once:
        labels = align_partitions(False, y=y, sample_weight=sample_weight)
    totals = sum_class_weights(labels)
    n_bytes = 8 * n_features * int(totals.partition_rows.sum())
    first = np.cumsum(totals.partition_rows) - totals.partition_rows
    shared = n_features, totals.labels[1], [-1.0, 1.0] / totals.weight
    validate = delayed(validate_partition, pure=False)
    validated = [
        validate(k, int(start), *shared, *part)
        for k, (start, part) in enumerate(zip(first, partitions, strict=True))
    ]
    engine = DaskRounds(validated, at_once or n_bytes <= memory)
    del partitions, labels, validated  # the workers keep the validated rows only
    positive_share = float(totals.weight[1] / totals.weight.sum())
    rows = PartitionedRows(engine, totals.n_rows, positive_share, n_features)
    if rows.n_bytes <= memory:
        engine.persist()
    return Prepared(rows, totals, engine)


def validate_partition(
    k: int,
    first: int,
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
    return SignedRows(rows, weight * factors[is_positive.astype(int)], first)
