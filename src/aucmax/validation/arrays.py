"""Rows: dense in C order or canonical CSR, of finite numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from .columns import has_dates, refuse_unusable_columns, warn_of_identifiers
from .errors import DataError

CHECKS: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": (np.float64, np.float32),
    "order": "C",
    "ensure_all_finite": False,  # check_finite says where
}


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """``X`` validated as scikit-learn does: dense C-ordered or canonical CSR, not copied if it is."""
    with naming_unusable_columns(X):
        X = validate_data(estimator, X, reset=reset, **CHECKS)
    check_finite(X)
    return canonical(X)


def check_labelled(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, np.ndarray]:
    """The same, with a label for each row."""
    with naming_unusable_columns(X):
        X, y = validate_data(estimator, X, y, reset=reset, **CHECKS)
    check_finite(X)
    if reset:
        warn_of_identifiers(estimator, X)
    return canonical(X), y


@contextmanager
def naming_unusable_columns(X: Any) -> Iterator[None]:
    """Raise an error that names the columns of a data frame that cannot be converted to numbers."""
    if has_dates(X):
        refuse_unusable_columns(X)
    try:
        yield
    except (TypeError, ValueError):
        refuse_unusable_columns(X)
        raise


def check_finite(X: Any) -> None:
    """Raise a ValueError that names the first row and column with a NaN or an infinity."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):  # a NaN or an infinity would show in the sum
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if sparse.issparse(X):
        at = int(np.argmax(bad))
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
        value = values[at]
    else:
        row, column = (int(k) for k in np.unravel_index(np.argmax(bad), X.shape))
        value = values[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    raise DataError(
        f"X contains {what} at row {row}, column {column} (counted from 0)",
        remedy="drop such rows or fill them in, for example with sklearn.impute.SimpleImputer",
    )


def canonical(X: Any) -> Any:
    """``X`` with the indices of each row sorted, without repetition and within its columns."""
    if not sparse.issparse(X):
        return X
    # As numbers without a sign, negative indices are the largest: one look finds both kinds.
    if X.nnz and X.indices.view(X.indices.dtype.str.replace("i", "u")).max() >= X.shape[1]:
        raise DataError(
            f"X has a column index outside 0..{X.shape[1] - 1}", remedy="build it with the right shape"
        )
    if not X.has_canonical_format:  # repeated or unsorted indices: sum them in a copy
        X = X.copy()
        X.sum_duplicates()
    return X
