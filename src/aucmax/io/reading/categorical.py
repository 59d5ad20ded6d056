"""Columns of text as numbers: one column for each value, or a fixed number of hashed ones."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import murmurhash3_32

BUCKETS = 4096  # columns that text is hashed to, unless told otherwise
HASHED = "hash_"


def onehot(columns: dict[str, Any], features: Sequence[str] | None) -> tuple[sparse.csr_array, list[str]]:
    """One column for each value of each column of text, in sorted order, or for the features called
    ``column=value`` among those given; and their names."""
    codes = {column: coded(values) for column, values in columns.items()}
    if features is None:
        names = [f"{column}={value}" for column, (_, seen) in codes.items() for value in sorted(seen)]
    else:
        names = [name for name in features if any(name.startswith(f"{column}=") for column in codes)]
    place = {name: k for k, name in enumerate(names)}
    return _stacked(codes, lambda name: place.get(name, -1), len(names)), names


def hashed(columns: dict[str, Any], n_buckets: int) -> tuple[sparse.csr_array, list[str]]:
    """A one in the column that the hash of ``column=value`` points to; and the names of the columns."""
    codes = {column: coded(values) for column, values in columns.items()}
    matrix = _stacked(codes, lambda name: murmurhash3_32(name.encode(), positive=True) % n_buckets, n_buckets)
    return matrix, [f"{HASHED}{k}" for k in range(n_buckets)]


def coded(values: Any) -> tuple[np.ndarray, list[str]]:
    """The number of each row's value in a list of the distinct values, -1 where it is missing."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary.to_pylist()


def _stacked(coded: dict[str, Any], place: Callable[[str], int], width: int) -> sparse.csr_array:
    """A matrix with a one in each row for each column of text, where ``place`` puts ``column=value``."""
    found = []
    for column, (codes, seen) in coded.items():
        at = np.array([*(place(f"{column}={value}") for value in seen), -1], dtype=np.int32)
        found.append(at[codes])  # the last one stands for -1, a missing value
    ids = np.stack(found, axis=1)
    present = ids >= 0
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    matrix = sparse.csr_array((np.ones(indptr[-1]), ids[present], indptr), shape=(len(ids), width))
    matrix.sum_duplicates()
    return matrix
