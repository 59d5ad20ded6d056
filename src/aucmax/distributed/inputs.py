"""Validate Dask collections before anything is computed, match their partitions, and validate these later."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from scipy import sparse
from sklearn.utils import check_array

from ..validation.arrays import ARRAY_OPTIONS, check_finite, make_canonical
from ..validation.errors import DataError
from ..validation.scores import check_same_length

DaskCollection: TypeAlias = da.Array | dd.DataFrame | dd.Series
Table: TypeAlias = np.ndarray | sparse.csr_array | sparse.csr_matrix | pd.DataFrame


def check_collections(in_memory: str, **collections: object) -> None:
    """Raise a TypeError for other data than Dask's; ``in_memory`` names what to use for data in memory."""
    for name, part in collections.items():
        optional = name == "sample_weight" and part is None
        if not (optional or isinstance(part, da.Array | dd.DataFrame | dd.Series)):
            raise TypeError(
                f"{name} is {type(part).__name__}, not a Dask array or data frame: make one, for example "
                f"with dask.array.from_array, or use {in_memory} for data that fit in memory."
            )


def check_table(X: DaskCollection) -> None:
    """Raise a ValueError unless ``X`` has two dimensions and at least one column."""
    if X.ndim != 2:
        raise ValueError(
            f"X must have two dimensions, rows and columns, but has {X.ndim}: "
            f"for a single column give X[:, None] or X.to_frame()."
        )
    if count_columns("X", X) == 0:
        raise ValueError("X has no columns: give at least one.")
    if not isinstance(X, da.Array):
        check_numeric(X._meta)


def check_numeric(table: pd.DataFrame) -> None:
    """Raise a DataError for columns of a data frame that are not numbers, with their types."""
    others = [(name, t) for name, t in table.dtypes.items() if not pd.api.types.is_numeric_dtype(t)]
    if others:
        named = ", ".join(f"{name!r} ({dtype})" for name, dtype in others[:10])
        raise DataError(
            f"X has columns that are not numbers, {named}",
            remedy="drop them, or make a column of each category: dask.dataframe.get_dummies(X.categorize())",
        )


def select_column(name: str, part: DaskCollection) -> DaskCollection:
    """``part`` with one dimension; a table of one column is accepted too."""
    if part.ndim == 1:
        return part
    if part.ndim != 2 or count_columns(name, part) != 1:
        size = f"{count_columns(name, part)} columns" if part.ndim == 2 else f"{part.ndim} dimensions"
        raise ValueError(f"{name} has {size}: give one column, as in table['{name}'] or {name}[:, 0].")
    return part[:, 0] if isinstance(part, da.Array) else part[part.columns[0]]


def count_columns(name: str, table: DaskCollection) -> int:
    """Number of columns; raise a ValueError if it is not known before the computation."""
    if np.isnan(table.shape[1]):
        raise ValueError(f"{name} has an unknown number of columns: call {name}.compute_chunk_sizes() first.")
    return int(table.shape[1])


def align_partitions(persist: bool, **collections: DaskCollection | None) -> list[tuple[Delayed, ...]]:
    """Match the partitions of the given collections; with ``persist``, keep them in the workers' memory.

    All but ``X`` become single columns. A source that several collections share is computed once. Arrays and
    data frames are computed one after the other, because Dask does not optimise both together.
    """
    given = _match_partitions({name: part for name, part in collections.items() if part is not None})
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


def _match_partitions(given: dict[str, DaskCollection]) -> dict[str, DaskCollection]:
    """``X`` with its columns in one chunk, the rest as single columns; all in the partitions of the first."""
    matched: dict[str, DaskCollection] = {}
    for name, part in given.items():
        if name != "X":
            part = select_column(name, part)
        elif isinstance(part, da.Array):
            part = part.rechunk({1: -1})
        first = next(iter(matched), name)
        reference = matched.get(first, part)
        if isinstance(reference, da.Array) and isinstance(part, da.Array):
            part = _rechunk_like(first, reference, name, part)
        if part.npartitions != reference.npartitions:
            raise ValueError(
                f"{first} has {reference.npartitions} partitions and {name} has {part.npartitions}: "
                f"take both from one data frame, or convert both to arrays with to_dask_array(lengths=True)."
            )
        matched[name] = part
    return matched


def _rechunk_like(first: str, reference: da.Array, name: str, part: da.Array) -> da.Array:
    # Chunks of unknown size (nan) may be equal; the workers check their numbers of rows later.
    pairs = zip(reference.chunks[0], part.chunks[0], strict=False)
    if reference.numblocks[0] == part.numblocks[0] and all(a == b or np.isnan(a + b) for a, b in pairs):
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


@contextmanager
def naming_partition(k: int) -> Iterator[None]:
    """Prepend the number of the partition to error messages."""
    place = f"Partition {k}"
    try:
        yield
    except DataError as error:
        raise error.located(place=place) from None
    except (TypeError, ValueError) as error:
        raise DataError(str(error), place=place) from None


def validate_rows(X: Table, n_features: int) -> np.ndarray | sparse.csr_array:
    """The rows of one partition as a dense C-ordered array or in canonical CSR form."""
    try:
        rows = check_array(X, ensure_min_samples=0, **ARRAY_OPTIONS)
    except (TypeError, ValueError) as error:
        if isinstance(X, pd.DataFrame):
            check_numeric(X)
        reason = str(error).splitlines()[0]  # later lines may show data
        raise ValueError(f"{reason}; drop such columns, or convert them to real numbers.") from None
    if rows.shape[1] != n_features:
        raise ValueError(f"X has {rows.shape[1]} columns, and {n_features} were expected.")
    check_finite(rows)
    return make_canonical(rows)
