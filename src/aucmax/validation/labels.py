"""Validation of labels: there must be two, and the larger one is the positive class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DataError, list_first
from .namespaces import as_vector

MOST_SHOWN = 10  # number of labels in a message
_MISSING = ("None", "nan", "NaT", "<NA>")


def check_classes(y: ArrayLike, classes: ArrayLike | None = None) -> np.ndarray:
    """The two labels of ``y``, sorted, or those of ``classes`` if given, since ``y`` may then lack one."""
    labels, _ = distinct_labels(np.asarray(y if classes is None else classes))
    if len(labels) > 2 or labels.dtype.kind not in "biuU":  # two integers or strings are always labels
        from sklearn.utils.multiclass import check_classification_targets  # slow to import

        check_classification_targets(labels if classes is None else y)
    check_two_classes(labels)
    return labels


def check_two_classes(labels: np.ndarray) -> None:
    """Raise a DataError unless there are two distinct labels."""
    if len(labels) > 2:
        raise DataError(  # scikit-learn's estimator checks require the first two sentences
            "Only binary classification is supported. The type of the target is multiclass: "
            f"the labels are {list_labels(labels)}",
            remedy="keep the rows of two of them, or give all but one the same label (one-vs-rest)",
        )
    if len(labels) < 2:
        raise DataError(
            f"there is only one class: {list_labels(labels)}",
            remedy="AUC compares two classes, so give rows of both",
        )


def known_labels(y: np.ndarray, classes: Sequence[Any] | np.ndarray) -> NDArray[np.bool_]:
    """Which labels are among the ``classes``; numbers are not those of texts."""
    known = np.zeros(len(y), dtype=bool)
    for label in classes:
        known |= np.asarray(y == label, dtype=bool)  # one False for a number and texts
    return known


def check_known_labels(y: np.ndarray, classes: Sequence[Any] | np.ndarray) -> None:
    """Raise a DataError that names a label outside the two ``classes``."""
    if not known_labels(y, classes).all():
        unknown = np.setdiff1d(y, classes)[:1]
        raise DataError(
            f"the label {list_labels(unknown)} is not one of the classes {list_labels(classes)}",
            remedy="leave such rows out",
        )


def positive_mask(y: ArrayLike) -> NDArray[np.bool_]:
    """Whether each label is the larger one of the two that occur."""
    labels = as_vector(y, "y")
    if labels.ndim != 1 or labels.size == 0:
        raise DataError(
            f"y has shape {labels.shape}", remedy="give one label for each row, shape (n,) with n > 0"
        )
    if labels.dtype.kind in "fmM":
        check_no_missing_label(labels != labels)  # NaN and NaT differ from themselves
    found, index = distinct_labels(labels)
    check_two_classes(found)
    return index == 1


def check_no_missing_label(missing: NDArray[np.bool_]) -> None:
    """Raise a DataError that names the first row whose label is missing."""
    if missing.any():
        raise DataError(f"y has no label at row {int(missing.argmax())}", remedy="drop such rows")


def distinct_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels that occur, sorted, and the index of each row's label among them."""
    if y.size and y.dtype.kind in "biuf":  # for two numbers several times as fast as `np.unique`
        ends = np.array([y.min(), y.max()])
        is_larger = y == ends[1]
        if np.all(is_larger | (y == ends[0])):
            index = is_larger.view(np.int8)
            return (ends, index) if ends[0] != ends[1] else (ends[:1], index - 1)
    try:
        return np.unique(y, return_inverse=True)
    except TypeError:
        missing = [not isinstance(label, str) and str(label) in _MISSING for label in y]
    check_no_missing_label(np.array(missing))
    raise DataError("y mixes labels that have no order", remedy="give two labels of one type")


def list_labels(labels: Sequence[Any] | np.ndarray) -> str:
    """Up to ``MOST_SHOWN`` labels for a message, written as in Python: 0, not np.int64(0)."""
    return list_first(map(repr, np.asarray(labels).tolist()), MOST_SHOWN)
