"""The parts of Dask arrays and data frames side by side: rows, their labels and weights."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed

from .inputs import one_column


def in_step(**collections: Any) -> list[tuple[Delayed, ...]]:
    """The parts of all collections that are given, held by the workers; all but ``X`` are single columns.

    What several are made from is computed once, and the same for all. Arrays and data frames are
    computed apart: Dask does not do it together.
    """
    given = _cut_alike({name: _whole(name, part) for name, part in collections.items() if part is not None})
    arrays = {name: part for name, part in given.items() if isinstance(part, da.Array)}
    frames = {name: part for name, part in given.items() if name not in arrays}
    # An optimised graph would name what is held, and not keep hold of it.
    parts = [held.to_delayed(optimize_graph=False).ravel() for held in dask.persist(*arrays.values())]
    columns = dict(zip(arrays, parts, strict=True))
    rows = dask.persist(*abreast(*frames.values()))
    columns |= {name: [row[k] for row in rows] for k, name in enumerate(frames)}
    return list(zip(*(columns[name] for name in given), strict=True))


def _whole(name: str, part: Any) -> Any:
    if name != "X":
        return one_column(name, part)
    return part.rechunk({1: -1}) if isinstance(part, da.Array) else part


def _cut_alike(given: dict[str, Any]) -> dict[str, Any]:
    """Arrays cut as the first collection, where it is one; a ValueError where partitions differ."""
    first, like = next(iter(given.items()))
    alike = {name: _cut_as(like, part, first, name) for name, part in given.items()}
    for name, part in alike.items():
        if part.npartitions != like.npartitions:
            raise ValueError(
                f"{first} has {like.npartitions} partitions and {name} has {part.npartitions}: "
                f"take both from one data frame, or make arrays of both, with to_dask_array(lengths=True)."
            )
    return alike


def _cut_as(like: Any, part: Any, first: str, name: str) -> Any:
    if not (isinstance(like, da.Array) and isinstance(part, da.Array) and _differ(like, part)):
        return part
    n_like, n_part = like.shape[0], part.shape[0]
    if n_like != n_part:  # nan, for chunks of unknown size, is unequal too
        unknown = np.isnan(n_like + n_part)
        remedy = "call compute_chunk_sizes() on the array of nan" if unknown else "give as many of both"
        raise ValueError(f"{first} has {n_like} rows and {name} has {n_part}: {remedy}.")
    return part.rechunk({0: like.chunks[0]})


def _differ(like: Any, part: Any) -> bool:
    """Whether rows are cut in different places, as far as is known: nan differs from itself."""
    return like.numblocks[0] != part.numblocks[0] or any(
        a != b and a == a and b == b for a, b in zip(like.chunks[0], part.chunks[0], strict=True)
    )


def abreast(*frames: Any) -> list[Any]:
    """Delayed tuples of the frames' partitions.

    Columns that nobody asks for are not read. The rest of Dask's optimiser is left out: it joins partitions
    of files of which it reads few columns and leaves the frame's own number of them as it was.
    """
    if not frames:
        return []
    rows = dd.map_partitions(_as_tuple, *frames, align_dataframes=False, meta=(None, object))
    return rows.simplify().to_delayed(optimize_graph=False)


def _as_tuple(*parts: Any) -> tuple:
    return parts
