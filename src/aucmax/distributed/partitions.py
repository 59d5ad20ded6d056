"""Rows in parts over many workers, and sums over the parts.

Each sum is one round: a function goes out to the parts, what it makes of them is added up on the way back.
Nothing but the parts themselves is kept on the workers, and Dask makes a part that is lost anew, so that
a worker may leave at any time. The order of the additions depends on the parts alone.
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

from ..inputs import CHECKS, canonical, check_finite, check_weights
from ..rows import Rows, as_rows

FAN = 8  # partial sums that are added in one task


class Labelled(NamedTuple):
    """Validated rows as workers hold them: row i has the label ``labels[place[i]]``, and a weight."""

    X: Rows
    labels: np.ndarray
    place: np.ndarray
    weight: np.ndarray
    n_features: int


class Part(NamedTuple):
    """Rows with signed weights, and how wide they are."""

    X: Rows
    y: np.ndarray
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
        if isinstance(like, da.Array) and not _same(collection.chunks[0], like.chunks[0]):
            if collection.shape[0] != like.shape[0]:  # nan, for chunks of unknown size, is unequal too
                raise ValueError(
                    f"Dask arrays of {like.shape[0]} and {collection.shape[0]} rows were given: pass as many "
                    f"labels and weights as rows, and call compute_chunk_sizes() where a length is not known."
                )
            collection = collection.rechunk({0: like.chunks[0]})
        return list(collection.to_delayed().ravel())
    return list(collection.to_delayed())


def _same(chunks: tuple, others: tuple) -> bool:
    """Whether rows are cut alike, as far as is known."""
    return len(chunks) == len(others) and all(
        a == b or a != a or b != b for a, b in zip(chunks, others, strict=True)
    )


def width(collection: Any) -> int:
    if isinstance(collection, da.Array) and np.isnan(collection.shape[1]):
        raise ValueError("X does not know how many columns it has; call compute_chunk_sizes() on it.")
    return int(collection.shape[1]) if isinstance(collection, da.Array) else len(collection.columns)


class Partitions:
    """The parts of a table; ``total`` adds up what a function makes of each."""

    def __init__(self, parts: Sequence[Delayed], n_features: int, factors: dict | None = None) -> None:
        self._parts, self.n_features, self._factors = parts, n_features, factors

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> "Partitions":
        """Validated parts, held by the workers from now on."""
        if X.ndim != 2 or y.ndim != 1:
            raise ValueError(
                f"X has {X.ndim} dimensions and y {y.ndim}: give a table, and one label for each row."
            )
        X, y, sample_weight = together(X, y, sample_weight)
        columns = in_step(X, y, sample_weight)
        make = delayed(read, pure=False)
        parts = [make(k, width(X), *row) for k, row in enumerate(zip(*columns, strict=True))]
        return cls(dask.persist(*parts), width(X))

    def signed(self, factors: dict) -> "Partitions":
        """The same with signed weights in the place of labels; ``factors`` has that of each label."""
        return Partitions(self._parts, self.n_features, factors)

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
        # Sent once, not with each task.
        sent = [delayed(value, pure=False, traverse=False) for value in (self._factors, *known)]
        return [delayed(applied, pure=False)(function, part, *sent) for part in self._parts]


def together(*collections: Any) -> list:
    """The same, held by the workers: what several are made from is computed once, and the same for all.

    Arrays and data frames are computed apart: Dask does not do it together.
    """
    held = list(collections)
    for kind in (da.Array, dd.DataFrame | dd.Series):
        places = [k for k, part in enumerate(held) if isinstance(part, kind)]
        for k, part in zip(places, dask.persist(*(held[k] for k in places)), strict=True):
            held[k] = part
    return held


def in_step(like: Any, *others: Any) -> list[list[Delayed]]:
    """The parts of collections with as many rows as the first, cut as it is."""
    columns = [blocks(like)] + [blocks(other, like) for other in others if other is not None]
    if len({len(column) for column in columns}) > 1:
        counts = ", ".join(str(len(column)) for column in columns)
        raise ValueError(f"All data must have the same partitions; there are {counts} of them.")
    return columns


def applied(function: Callable, rows: Labelled, factors: dict | None, *known: Any) -> Any:
    """``function`` of labelled rows, or of a ``Part`` where the factors of labels are known."""
    if factors is None:
        return function(rows, *known)
    signs = np.array([factors.get(label, 0.0) for label in rows.labels.tolist()])
    y = rows.weight * signs[rows.place]
    return function(Part(rows.X, y, rows.n_features), *known)


def read(k: int, n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Labelled:
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
        labels, place = np.unique(y, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {k}: {error}") from None
    return Labelled(as_rows(canonical(X)), labels, place, weight, n_features)


def weights_of(rows: Labelled) -> dict:
    """The labels of the rows that count, and the weight of each."""
    totals = np.bincount(rows.place, rows.weight, len(rows.labels))
    return {label: total for label, total in zip(rows.labels.tolist(), totals.tolist(), strict=True) if total}


def added(sums: Sequence) -> Any:
    """What the parts gave, added in their order."""
    if isinstance(sums[0], tuple):
        return tuple(map(added, zip(*sums, strict=True)))
    return functools.reduce(np.add, sums)
