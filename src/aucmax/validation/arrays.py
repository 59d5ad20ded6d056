"""Validation of ``X``: finite numbers, as a dense array in C order or in canonical CSR."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from .columns import has_dates, refuse_unusable_columns, warn_of_identifiers
from .errors import DataError
from .namespaces import find_arrays, name_type, refuse_other_device

ARRAY_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": (np.float64, np.float32),
    "order": "C",
    "ensure_all_finite": False,  # check_finite names the row and the column
}

BLOCK_ROWS = 2**14  # checked at a time where a sum is not finite


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Validate ``X`` as scikit-learn does and return it, copied only if it is not in the form above."""
    return _check(estimator, X, reset=reset)[0]


def check_labelled(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, np.ndarray]:
    """``check_rows`` for ``X`` with one label for each row in ``y``."""
    X, y = _check(estimator, X, y, reset=reset)
    if reset:
        warn_of_identifiers(estimator, X)
    return X, y


def _check(estimator: Any, X: Any, *y: Any, reset: bool) -> list[Any]:
    options = array_options(estimator, X)
    with naming_unusable_columns(X):
        found = validate_data(estimator, X, *y, reset=reset, **options)
    X, *labels = found if y else (found,)
    check_finite(X, getattr(estimator, "feature_names_in_", None))
    return [make_canonical(X), *labels]


def array_options(estimator: Any, X: Any) -> dict[str, Any]:
    """What scikit-learn has to check; a DataError where the estimator cannot use the library of ``X``."""
    arrays = find_arrays(X)
    if arrays is None:
        return ARRAY_OPTIONS
    if not get_tags(estimator).array_api_support:
        raise DataError(
            f"{type(estimator).__name__} takes NumPy arrays, and X is a {name_type(X)}",
            remedy="copy it to a NumPy array, or use AUCClassifier",
        )
    if "float64" not in arrays.xp.__array_namespace_info__().dtypes(device=X.device, kind="real floating"):
        raise DataError(f"X is on {X.device}, which has no float64", remedy="move it to another device")
    return {**ARRAY_OPTIONS, "accept_sparse": False, "dtype": (arrays.xp.float64, arrays.xp.float32)}


@contextmanager
def naming_unusable_columns(X: Any) -> Iterator[None]:
    """Raise an error that names what cannot be converted: columns of a data frame, an array on a GPU."""
    if has_dates(X):
        refuse_unusable_columns(X)
    try:
        yield
    except (TypeError, ValueError, RuntimeError):
        refuse_other_device(X)
        refuse_unusable_columns(X)
        raise


def check_finite(X: Any, names: Sequence[str] | None = None) -> None:
    """Raise a DataError that names the first row and column with a NaN or an infinity."""
    arrays = find_arrays(X)
    values = X.data if sparse.issparse(X) else X
    xp: Any = np
    options: dict[str, Any] = {"dtype": np.float64}
    if arrays is not None:
        xp, options = arrays.xp, {}
    with np.errstate(over="ignore", invalid="ignore"):
        if bool(xp.isfinite(xp.sum(values, **options))):
            return  # a NaN or an infinity would show in the sum, which may also have overflowed
    for start in range(0, values.shape[0], BLOCK_ROWS):
        block = values[start : min(start + BLOCK_ROWS, values.shape[0]), ...]
        if not bool(xp.all(xp.isfinite(block))):
            block = block if arrays is None else arrays.get(block)
            first = tuple(np.argwhere(~np.isfinite(block))[0].tolist())
            row, column = start + first[0], first[-1]
            if sparse.issparse(X):
                column = int(X.indices[row])
                row = int(np.searchsorted(X.indptr, row, side="right")) - 1
            raise infinite_error(block[first], row, column, names)


def infinite_error(value: float, row: int, column: int, names: Sequence[str] | None = None) -> DataError:
    """The error for a NaN or an infinity in ``X``."""
    what, remedy = "infinity", "replace it with NaN and fill it in, or with a finite number"
    if np.isnan(value):
        what = "NaN"
        remedy = "drop such rows or fill them in, for example with sklearn.impute.SimpleImputer"
    place = column if names is None else repr(str(names[column]))
    return DataError(f"X contains {what} at row {row}, column {place} (counted from 0)", remedy=remedy)


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
