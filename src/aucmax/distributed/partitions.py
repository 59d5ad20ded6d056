"""Rows that stay where they are, in parts over many workers, and sums over the parts.

Each sum is one round: a function goes out to the parts, what it makes of them is added up on the way back.
Nothing but the parts themselves is kept on the workers, and Dask makes a part that is lost anew, so that
a worker may leave at any time. The order of the additions depends on the parts alone, and so does every bit.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed, delayed
from sklearn.utils import check_array

from ..inputs import CHECKS, canonical, check_finite, check_weights, signed_weights
from ..rows import Rows, as_rows

FAN = 8  # partial sums that are added in one task


class Part(NamedTuple):
    """Validated rows, their labels and weights, and how wide they are."""

    X: Rows
    y: np.ndarray
    weight: np.ndarray
    n_features: int


def is_dask(collection: Any) -> bool:
    return isinstance(collection, da.Array | dd.DataFrame | dd.Series)


def check_dask(instead: str, **collections: Any) -> None:
    """Raise a TypeError that names what is of another kind, and what to use ``instead``."""
    for name, part in collections.items():
        if part is not None and not is_dask(part):
            raise TypeError(
                f"{name} is {type(part).__name__}, not a Dask array or data frame: give one, "
                f"or use {instead} for data that fit in memory."
            )


def blocks(collection: Any, like: Any = None) -> list[Delayed]:
    """The parts of an array or a data frame, cut as those of ``like``, which has as many rows."""
    if isinstance(collection, da.Array):
        if collection.ndim == 2 and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        if isinstance(like, da.Array) and collection.chunks[0] != like.chunks[0]:
            if len(collection) != len(like):  # nan, which chunks of unknown size have, is unequal too
                raise ValueError(
                    f"Dask arrays of {len(like)} and {len(collection)} rows were given: pass as many labels "
                    f"and weights as rows, and call compute_chunk_sizes() where a length is not known."
                )
            collection = collection.rechunk((like.chunks[0],))
        return list(collection.to_delayed().ravel())
    return list(collection.to_delayed())


def width(collection: Any) -> int:
    return int(collection.shape[1]) if isinstance(collection, da.Array) else len(collection.columns)


class Partitions:
    """The parts of a table; ``total`` adds up what a function makes of each."""

    def __init__(self, parts: list[Delayed], n_features: int) -> None:
        self._parts, self.n_features = list(dask.persist(*parts)), n_features

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> "Partitions":
        """Validated parts, held by the workers from now on."""
        columns = [blocks(X)] + [blocks(part, X) for part in (y, sample_weight) if part is not None]
        if len({len(column) for column in columns}) > 1:
            counts = ", ".join(str(len(column)) for column in columns)
            raise ValueError(f"X, y and sample_weight must have as many partitions each; they have {counts}.")
        make = delayed(read, pure=False)
        parts = [make(k, width(X), *row) for k, row in enumerate(zip(*columns, strict=True))]
        return cls(parts, width(X))

    def signed(self, classes: np.ndarray, totals: np.ndarray) -> "Partitions":
        """The same with signed weights, positive for the second class, in the place of labels.

        They add up to 1 in each class, whose weights in all are ``totals``.
        """
        return Partitions(self._made(with_signs, (classes, totals)), self.n_features)

    def gather(self, function: Callable, *known: Any) -> list:
        """``function(part, *known)`` of each part."""
        return list(dask.compute(*self._made(function, known)))

    def total(self, function: Callable, *known: Any) -> Any:
        """The sum of ``function(part, *known)``, an array or a tuple of arrays, over the parts."""
        sums = self._made(function, known)
        while len(sums) > 1:
            sums = [delayed(added, pure=False)(sums[k : k + FAN]) for k in range(0, len(sums), FAN)]
        return sums[0].compute()

    def _made(self, function: Callable, known: tuple) -> list[Delayed]:
        sent = [delayed(value, pure=False, traverse=False) for value in known]  # once, not with each task
        return [delayed(function, pure=False)(part, *sent) for part in self._parts]


def read(k: int, n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Part:
    """Partition ``k`` as kernels want it; bad input is told with the partition's number."""
    try:
        X = check_array(X, ensure_min_samples=0, **CHECKS)
        y = np.asarray(y)
        if X.shape[1] != n_features:
            raise ValueError(f"X has {X.shape[1]} columns, and {n_features} were expected.")
        if y.ndim != 1 or len(y) != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows and y has shape {y.shape}: give one label for each row."
            )
        check_finite(X)
        weight = check_weights(None if sample_weight is None else np.asarray(sample_weight), len(y))
    except ValueError as error:
        raise ValueError(f"Partition {k}: {error}") from None
    return Part(as_rows(canonical(X)), y, weight, n_features)


def with_signs(part: Part, classes: np.ndarray, totals: np.ndarray) -> Part:
    signed = signed_weights(part.y, classes, part.weight)
    return part._replace(y=signed / np.where(signed > 0.0, totals[1], totals[0]))


def weights_of(part: Part) -> dict:
    """The labels of the rows that count, and the weight of each."""
    counted = part.weight > 0.0
    labels, place = np.unique(part.y[counted], return_inverse=True)
    return dict(zip(labels.tolist(), np.bincount(place, part.weight[counted]).tolist(), strict=True))


def added(sums: Sequence) -> Any:
    """What the parts gave, added in their order."""
    if isinstance(sums[0], tuple):
        return tuple(map(added, zip(*sums, strict=True)))
    return functools.reduce(np.add, sums)
