"""Bad input stops here: Dask collections and their parts as the rest wants them, or one clear sentence.

What a collection knows of itself is checked before anything is computed; values are, by the workers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from sklearn.utils import check_array

from ..validation.arrays import CHECKS, canonical, check_finite, check_known, labels_in_order

MOST_LABELS = 20  # that a part tells of


def check_dask(instead: str, **collections: Any) -> None:
    """Raise a TypeError that names what is of another kind, and what to use ``instead``."""
    for name, part in collections.items():
        optional = name == "sample_weight" and part is None
        if not (optional or isinstance(part, da.Array | dd.DataFrame | dd.Series)):
            raise TypeError(
                f"{name} is {type(part).__name__}, not a Dask array or data frame: make one, for example "
                f"with dask.array.from_array, or use {instead} for data that fit in memory."
            )


def check_table(X: Any) -> None:
    """Raise a ValueError unless these are rows of some columns."""
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table, and has {X.ndim} dimensions: "
            f"give rows and columns, for one column X[:, None] or X.to_frame()."
        )
    if width("X", X) == 0:
        raise ValueError("X has no columns: give at least one.")


def one_column(name: str, part: Any) -> Any:
    """``part`` with one dimension; a table of one column is accepted too."""
    if part.ndim == 1:
        return part
    if part.ndim != 2 or width(name, part) != 1:
        size = f"{width(name, part)} columns" if part.ndim == 2 else f"{part.ndim} dimensions"
        raise ValueError(f"{name} has {size}: give one column, as in table['{name}'] or {name}[:, 0].")
    return part[:, 0] if isinstance(part, da.Array) else part[part.columns[0]]


def width(name: str, table: Any) -> int:
    """How many columns there are."""
    if np.isnan(table.shape[1]):
        raise ValueError(
            f"{name} does not know how many columns it has; call compute_chunk_sizes() on it first."
        )
    return int(table.shape[1])


@contextmanager
def partition(k: int) -> Iterator[None]:
    """Bad input is told with the number of its partition."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"Partition {k}: {error}") from None


def read_rows(X: Any, n_features: int) -> Any:
    """One part's rows: dense C-ordered or canonical CSR."""
    X = _numbers(X)
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} columns, and {n_features} were expected.")
    check_finite(X)
    return canonical(X)


def _numbers(X: Any) -> Any:
    try:
        return check_array(X, ensure_min_samples=0, **CHECKS)
    except (TypeError, ValueError) as error:
        kinds = X.dtypes.items() if isinstance(X, pd.DataFrame) else ()
        others = [f"{name!r} ({kind})" for name, kind in kinds if not pd.api.types.is_numeric_dtype(kind)]
        said = str(error).splitlines()[0]  # the data may follow
        what = f"X has columns that are not numbers, {', '.join(others[:10])}" if others else said
        raise ValueError(
            f"{what}; drop such columns, or make real numbers of them, "
            f"for example with dask.dataframe.get_dummies."
        ) from None


def read_labels(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The labels of one part, sorted, and the place of each row's among them."""
    y = np.asarray(y)
    missing = pd.isna(y)
    if missing.any():
        raise ValueError(f"y has no label at row {int(missing.argmax())}; drop such rows.")
    labels, place = _in_order(y)
    if labels.dtype == object:  # as are nullable numbers and booleans in some releases of pandas
        if any(map(np.ndim, labels)):
            raise ValueError("y has labels that are sequences; give single values, such as text or numbers.")
        labels = pd.Series(labels).infer_objects().to_numpy()
    return labels, place


class Found(NamedTuple):
    """Labels in order, and what their rows weigh."""

    labels: np.ndarray
    weight: np.ndarray


def by_label(labels: np.ndarray, place: np.ndarray, weight: np.ndarray, join: np.ufunc) -> Found:
    """The weights of each label's rows joined; no more labels than a message shows, the heaviest.

    Where there are more than two it is an error: numbers given for labels shall not all be sent.
    """
    joined = np.zeros(len(labels))
    with np.errstate(over="ignore"):  # a sum that is no number is told later
        join.at(joined, place, weight)
    most = np.sort(np.argsort(-joined, kind="stable")[:MOST_LABELS])
    return Found(labels[most], joined[most])


def over_parts(parts: Sequence[Found], join: np.ufunc) -> Found:
    """What was found in all parts."""
    filled = [part for part in parts if len(part.labels)]
    if not filled:
        raise ValueError("All partitions are empty: give rows of both classes.")
    labels, weight = map(np.concatenate, zip(*filled, strict=True))
    return by_label(*_in_order(labels), weight, join)


def check_known_parts(parts: Sequence[Found], classes: np.ndarray) -> None:
    """Raise a ValueError that names a label outside ``classes`` and its partition."""
    for k, part in enumerate(parts):
        with partition(k):
            check_known(part.labels, classes)


def _in_order(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with labels_in_order():
        return np.unique(labels, return_inverse=True)
