"""Pair up the partitions of Dask arrays and data frames: rows, their labels and weights."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed

from ..validation.errors import DataError
from ..validation.scores import check_same_length
from .inputs import DaskCollection, select_column


def align_partitions(**collections: DaskCollection | None) -> list[tuple[Delayed, ...]]:
    """Pair up the partitions of the given collections, and keep them in the workers' memory.

    All but ``X`` become single columns. Data that several collections are made from are computed once. Arrays
    and data frames are computed one after the other, because Dask does not optimise both together.
    """
    given = _match_partitions(
        {name: _merge_columns(name, part) for name, part in collections.items() if part is not None}
    )
    arrays = {name: part for name, part in given.items() if isinstance(part, da.Array)}
    frames = {name: part for name, part in given.items() if name not in arrays}
    # Without optimize_graph=False the delayed objects would not keep the persisted partitions alive.
    persisted = [part.to_delayed(optimize_graph=False).ravel() for part in dask.persist(*arrays.values())]
    columns = dict(zip(arrays, persisted, strict=True))
    rows = dask.persist(*zip_partitions(*frames.values()))
    columns |= {name: [row[k] for row in rows] for k, name in enumerate(frames)}
    return list(zip(*(columns[name] for name in given), strict=True))


def _merge_columns(name: str, part: DaskCollection) -> DaskCollection:
    """Rows in one piece: ``X`` with all its columns in one chunk, anything else as a single column."""
    if name != "X":
        return select_column(name, part)
    return part.rechunk({1: -1}) if isinstance(part, da.Array) else part


def _match_partitions(given: dict[str, DaskCollection]) -> dict[str, DaskCollection]:
    """Rechunk arrays like the first collection; raise a ValueError where the partitions still differ."""
    first, like = next(iter(given.items()))
    matched = {name: _rechunk_like(first, like, name, part) for name, part in given.items()}
    for name, part in matched.items():
        if part.npartitions != like.npartitions:
            raise ValueError(
                f"{first} has {like.npartitions} partitions and {name} has {part.npartitions}: "
                f"take both from one data frame, or make arrays of both, with to_dask_array(lengths=True)."
            )
    return matched


def _rechunk_like(first: str, like: DaskCollection, name: str, part: DaskCollection) -> DaskCollection:
    if not (isinstance(like, da.Array) and isinstance(part, da.Array)):
        return part
    # Chunks of unknown size (nan) are taken to be equal; the workers compare their numbers of rows.
    if like.numblocks[0] == part.numblocks[0] and all(
        a == b or np.isnan(a + b) for a, b in zip(like.chunks[0], part.chunks[0], strict=True)
    ):
        return part
    n_like, n_part = like.shape[0], part.shape[0]
    if n_like != n_part:  # also where either is nan
        if np.isnan(n_like + n_part):
            raise DataError(
                f"{first} has {n_like} rows and {name} has {n_part}",
                remedy="call compute_chunk_sizes() on the array of nan",
            )
        check_same_length(**{first: n_like, name: n_part})
    return part.rechunk({0: like.chunks[0]})


def zip_partitions(*frames: DaskCollection) -> list[Any]:
    """The partitions of data frames side by side, as delayed tuples.

    ``simplify`` skips unused columns. The rest of Dask's optimiser is left out: where few columns of a file
    are read it merges partitions, and ``npartitions`` of the frame no longer holds.
    """
    if not frames:
        return []
    rows = dd.map_partitions(lambda *parts: parts, *frames, align_dataframes=False, meta=(None, object))
    return rows.simplify().to_delayed(optimize_graph=False)
