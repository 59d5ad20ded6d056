"""Rows in parts over many workers, and sums over the parts.

Each sum is one round: a function goes out to the parts, what it makes of them is added up on the way back.
Nothing but the parts themselves is kept on the workers, and Dask makes a part that is lost anew, so that
a worker may leave at any time. The order of the additions depends on the parts alone.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed

from ..kernels.rows import Rows, as_rows
from ..validation.arrays import check_weights
from .alignment import in_step
from .inputs import Found, by_label, partition, read_labels, read_rows, width

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


class Signs(NamedTuple):
    """The positive label, and what a weight is multiplied by in either class: negative, positive."""

    positive: Any
    factors: np.ndarray


class Partitions:
    """The parts of a table; ``total`` adds up what a function makes of each."""

    def __init__(self, parts: Sequence[Delayed], n_features: int, signs: Signs | None = None) -> None:
        self._parts, self.n_features, self._signs = parts, n_features, signs

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> "Partitions":
        """Validated parts, held by the workers from now on."""
        n_features, make = width("X", X), delayed(read, pure=False)
        parts = enumerate(in_step(X=X, y=y, sample_weight=sample_weight))
        return cls(dask.persist(*(make(k, n_features, *part) for k, part in parts)), n_features)

    def signed(self, classes: np.ndarray, totals: np.ndarray) -> "Partitions":
        """The same with signed weights, of sum one in each class, in the place of labels."""
        return Partitions(self._parts, self.n_features, Signs(classes[1], [-1.0, 1.0] / totals))

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
        sent = [delayed(value, pure=False, traverse=False) for value in (self._signs, *known)]
        return [delayed(applied, pure=False)(function, part, *sent) for part in self._parts]


def applied(function: Callable, rows: Labelled, signs: Signs | None, *known: Any) -> Any:
    """``function`` of labelled rows, or of a ``Part`` where the signs of labels are known."""
    if signs is None:
        return function(rows, *known)
    factors = signs.factors[(rows.labels == signs.positive).astype(int)]
    return function(Part(rows.X, rows.weight * factors[rows.place], rows.n_features), *known)


def read(k: int, n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Labelled:
    """Partition ``k`` as kernels want it."""
    with partition(k):
        X, (labels, place) = read_rows(X, n_features), read_labels(y)
        if len(place) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and y {len(place)}: give one label for each row.")
        weight = check_weights(None if sample_weight is None else np.asarray(sample_weight), len(place))
    return Labelled(as_rows(X), labels, place, weight, n_features)


def weights_of(rows: Labelled) -> Found:
    """The labels, and the weight of each."""
    return by_label(rows.labels, rows.place, rows.weight, np.add)


def added(sums: Sequence) -> Any:
    """What the parts gave, added in their order."""
    if isinstance(sums[0], tuple):
        return tuple(map(added, zip(*sums, strict=True)))
    return functools.reduce(np.add, sums)
