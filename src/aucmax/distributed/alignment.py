"""Match the partitions of Dask arrays and data frames: rows, their labels and weights."""

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed

from ..validation.errors import DataError
from ..validation.scores import check_same_length
from .inputs import DaskCollection, select_column


def align_partitions(persist: bool, **collections: DaskCollection | None) -> list[tuple[Delayed, ...]]:
    """Match the partitions of the given collections; with ``persist``, keep them in the workers' memory.

    All but ``X`` become single columns. A source that several collections share is computed once. Arrays and
    data frames are computed one after the other, because Dask does not optimise both together.
    """
    given = _match_partitions(
        {name: _unify_columns(name, part) for name, part in collections.items() if part is not None}
    )
    arrays = {name: part for name, part in given.items() if isinstance(part, da.Array)}
    frames = {name: part for name, part in given.items() if name not in arrays}
    keep = dask.persist if persist else lambda *parts: parts
    # Without optimize_graph=False the delayed objects would neither keep persisted partitions alive nor share
    # the tasks of a common source.
    delayed = [part.to_delayed(optimize_graph=False).ravel() for part in keep(*arrays.values())]
    columns = dict(zip(arrays, delayed, strict=True))
    rows = keep(*zip_partitions(*frames.values()))
    columns |= {name: [row[k] for row in rows] for k, name in enumerate(frames)}
    return list(zip(*(columns[name] for name in given), strict=True))


def _unify_columns(name: str, part: DaskCollection) -> DaskCollection:
    """``X`` with all its columns in one chunk; anything else as a single column."""
    if name != "X":
        return select_column(name, part)
    return part.rechunk({1: -1}) if isinstance(part, da.Array) else part


def _match_partitions(given: dict[str, DaskCollection]) -> dict[str, DaskCollection]:
    """Rechunk arrays like the first collection; raise a ValueError if the partitions still differ."""
    first, reference = next(iter(given.items()))
    matched = {name: _rechunk_like(first, reference, name, part) for name, part in given.items()}
    for name, part in matched.items():
        if part.npartitions != reference.npartitions:
            raise ValueError(
                f"{first} has {reference.npartitions} partitions and {name} has {part.npartitions}: "
                f"take both from one data frame, or convert both to arrays with to_dask_array(lengths=True)."
            )
    return matched


def _rechunk_like(first: str, reference: DaskCollection, name: str, part: DaskCollection) -> DaskCollection:
    if not (isinstance(reference, da.Array) and isinstance(part, da.Array)):
        return part
    # Chunks of unknown size (nan) may be equal; the workers check their numbers of rows later.
    if reference.numblocks[0] == part.numblocks[0] and all(
        a == b or np.isnan(a + b) for a, b in zip(reference.chunks[0], part.chunks[0], strict=True)
    ):
        return part
    n_reference, n_part = reference.shape[0], part.shape[0]
    if np.isnan(n_reference + n_part):
        problem = f"{first} has {n_reference} rows and {name} has {n_part}"
        raise DataError(problem, remedy="call compute_chunk_sizes() on the array that has nan rows")
    check_same_length(**{first: n_reference, name: n_part})
    return part.rechunk({0: reference.chunks[0]})


def zip_partitions(*frames: DaskCollection) -> list[Any]:
    """The partitions of data frames side by side, as delayed tuples.

    ``simplify`` avoids reading unused columns. The other steps of Dask's optimiser are not used: where few
    columns of a file are read they merge partitions, and the frame's ``npartitions`` becomes wrong.
    """
    if not frames:
        return []
    rows = dd.map_partitions(lambda *parts: parts, *frames, align_dataframes=False, meta=(None, object))
    return rows.simplify().to_delayed(optimize_graph=False)
