"""Bad input stops here: rows, labels and weights as the kernels want them, or one clear sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

CHECKS: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": (np.float64, np.float32),
    "order": "C",
    "ensure_all_finite": False,  # check_finite says where
}


def check_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """``X`` validated as scikit-learn does: dense C-ordered or canonical CSR, not copied if it is."""
    X = validate_data(estimator, X, reset=reset, **CHECKS)
    check_finite(X)
    return canonical(X)


def check_labelled(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, np.ndarray]:
    """The same, with a label for each row."""
    X, y = validate_data(estimator, X, y, reset=reset, **CHECKS)
    check_finite(X)
    return canonical(X), y


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
    raise ValueError(
        f"Input X contains {what} at row {row}, column {column} (counted from 0); "
        f"drop such rows or fill them in, for example with sklearn.impute.SimpleImputer."
    )


def canonical(X: Any) -> Any:
    """``X`` with the indices of each row sorted, without repetition and within its columns."""
    if not sparse.issparse(X):
        return X
    # As numbers without a sign, negative indices are the largest: one look finds both kinds.
    if X.nnz and X.indices.view(X.indices.dtype.str.replace("i", "u")).max() >= X.shape[1]:
        raise ValueError(
            f"Input X has a column index outside 0..{X.shape[1] - 1}; build it with the right shape."
        )
    if not X.has_canonical_format:  # repeated or unsorted indices: sum them in a copy
        X = X.copy()
        X.sum_duplicates()
    return X


def check_classes(y: Any, classes: Any = None) -> np.ndarray:
    """The two labels, sorted; ``classes`` where the data need not hold both."""
    labels = _distinct(np.asarray(y if classes is None else classes))
    if len(labels) > 2 or labels.dtype.kind not in "biuU":  # two such are labels without a closer look
        check_classification_targets(labels if classes is None else y)
    if len(labels) > 2:
        kind = type_of_target(labels)
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            f"Labels seen: {_listed(labels)}; make one of them the positive class, "
            f"or use sklearn.multiclass.OneVsRestClassifier."
        )
    if len(labels) < 2:
        hint = "give rows of two classes" if classes is not None else "give rows of both classes"
        raise ValueError(
            f"Two classes are needed to rank; all labels are of one class: {_listed(labels)}; {hint}."
        )
    return labels


def _distinct(y: np.ndarray) -> np.ndarray:
    """The labels, sorted: ``np.unique``, several times as fast where there are two numbers."""
    if y.size and y.dtype.kind in "biu":
        ends = np.array([y.min(), y.max()])
        if np.all((y == ends[0]) | (y == ends[1])):
            return ends[: 1 + int(ends[0] != ends[1])]
    with labels_in_order():
        return np.unique(y)


@contextmanager
def labels_in_order() -> Iterator[None]:
    """Where labels are sorted: a ValueError for those that cannot be."""
    try:
        yield
    except TypeError:
        raise ValueError("y mixes labels that have no order; give two labels of one type.") from None


def check_known(y: np.ndarray, classes: np.ndarray) -> None:
    """Raise a ValueError that names a label outside ``classes``."""
    known = (y == classes[0]) | (y == classes[1])
    if not np.all(known):
        strange = np.setdiff1d(y, classes)
        raise ValueError(
            f"y has the label {_listed(strange[:1])}, which is not one of the classes {_listed(classes)}."
        )


def check_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Weights as a float64 array: finite, not negative, one a row."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        input_name="sample_weight",
        ensure_min_samples=0,
        ensure_all_finite=False,
    )
    if weights.ndim == 0:
        weights = np.full(n_rows, weights[()])
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must be 1D with {n_rows} numbers, one a row; got shape {weights.shape}."
        )
    if not np.isfinite(weights).all():
        row = int(np.argmin(np.isfinite(weights)))
        what = "NaN" if np.isnan(weights[row]) else "infinity"
        raise ValueError(f"sample_weight is {what} at row {row}; give a number, or 0 to leave the row out.")
    if n_rows and weights.min() < 0:
        raise ValueError(
            f"sample_weight must not be negative; row {int(weights.argmin())} has {weights.min():g}."
        )
    return weights


def check_total(weight: float) -> None:
    """Raise a ValueError unless a sum of weights, and its inverse, are numbers."""
    if not 1e-300 < weight < 1e300:
        raise ValueError(
            f"The sample weights add up to {weight:g}; multiply all by a number that brings them near 1."
        )


def signed_weights(y: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``+weight`` for a positive (``classes[1]``), ``-weight`` for a negative: one array for the kernels."""
    return np.where(y == classes[1], weights, -weights)


def _listed(labels: Any) -> str:
    shown = ", ".join(repr(label) for label in np.asarray(labels).tolist()[:10])
    return shown + (", ..." if len(labels) > 10 else "")
