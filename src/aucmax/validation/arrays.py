"""Validation of ``X``: finite numbers, as a dense array in C order or in canonical CSR."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from .columns import has_dates, refuse_unusable_columns, warn_of_identifiers
from .errors import DataError

ARRAY_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": (np.float64, np.float32),
    "order": "C",
    "ensure_all_finite": False,  # check_finite names the row and the column
}


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Validate ``X`` as scikit-learn does and return it, copied only if it is not in the form above."""
    with naming_unusable_columns(X):
        X = validate_data(estimator, X, reset=reset, **ARRAY_OPTIONS)
    check_finite(X)
    return make_canonical(X)


def check_labelled(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, np.ndarray]:
    """``check_rows`` for ``X`` with one label for each row in ``y``."""
    with naming_unusable_columns(X):
        X, y = validate_data(estimator, X, y, reset=reset, **ARRAY_OPTIONS)
    check_finite(X)
    if reset:
        warn_of_identifiers(estimator, X)
    return make_canonical(X), y


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
    """Raise a DataError that names the first row and column with a NaN or an infinity."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):  # a NaN or an infinity would show in the sum
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if sparse.issparse(X):
        row = int(np.searchsorted(X.indptr, np.argmax(bad), side="right")) - 1
        column = int(X.indices[np.argmax(bad)])
    else:
        row, column = (int(k) for k in np.unravel_index(np.argmax(bad), X.shape))
    what = "NaN" if np.isnan(values[bad][0]) else "infinity"
    raise DataError(
        f"X contains {what} at row {row}, column {column} (counted from 0)",
        remedy="drop such rows or fill them in, for example with sklearn.impute.SimpleImputer",
    )


def make_canonical(X: Any) -> Any:
    """``X`` unchanged if dense; if CSR, with the column indices of each row checked, sorted and unique."""
    if not sparse.issparse(X):
        return X
    # Viewed as unsigned, negative indices are the largest numbers, so the maximum finds them as well.
    if X.nnz and X.indices.view(X.indices.dtype.str.replace("i", "u")).max() >= X.shape[1]:
        raise DataError(
            f"X has a column index outside 0..{X.shape[1] - 1}", remedy="build it with the right shape"
        )
    if not X.has_canonical_format:  # repeated or unsorted indices: the copy adds up repeated entries
        X = X.copy()
        X.sum_duplicates()
    return X
