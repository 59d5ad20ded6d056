"""Columns that cannot be used as they are, or that are probably a mistake: named, with what to do."""

import sys
import warnings
from collections.abc import Iterator
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy import sparse

from .errors import DataError
from .namespaces import as_numpy

MOST_NAMED = 5
SAMPLE_ROWS = 2000
FIRST_ROWS = 200  # fewer rows are not looked at; most columns are ruled out by so many
INSIDE = (__name__.partition(".")[0] + ".", "numpy.", "sklearn.callback.")  # modules between caller and fit
MAX_WHOLE = 2.0**53  # beyond, every float is a whole number
DISTINCT = 0.99  # share of distinct values from which whole numbers may be identifiers


def list_names(names: list[str]) -> str:
    """At most five names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def name_columns(estimator: Any, columns: np.ndarray) -> str:
    """Columns by name where the data had names, else by number."""
    known = getattr(estimator, "feature_names_in_", None)
    return list_names([repr(str(known[j])) if known is not None else str(j) for j in columns])


def find_unusable_columns(X: Any) -> Iterator[tuple[str, str]]:
    """Name and kind (text, category or date) of each column of a data frame that is not of numbers."""
    for name in X.columns:
        values, kind = np.asarray(X[name]), str(X[name].dtype).lower()
        given = next((value for value in values if value is not None), None)
        if values.dtype.kind in "Mm" or isinstance(given, date | time | timedelta):
            yield str(name), "date"
            continue
        try:
            values.astype(np.float64)
        except (TypeError, ValueError):
            yield str(name), "category" if kind.startswith(("categor", "enum")) else "text"


def refuse_unusable_columns(X: Any) -> None:
    """Raise a DataError that names the columns of a data frame that are no numbers, and what to do."""
    found = list(find_unusable_columns(X)) if is_frame(X) else []
    if not found:
        return
    kinds = {kind for _, kind in found}
    remedies = []
    if kinds & {"text", "category"}:
        remedies.append("encode text with sklearn.preprocessing.OneHotEncoder or OrdinalEncoder")
    if "date" in kinds:
        remedies.append("make numbers of dates, such as days since the first")
    columns = list_names([f"{name!r} ({kind})" for name, kind in found])
    raise DataError(f"X has columns that are not numbers: {columns}", remedy=", ".join(remedies))


def is_frame(X: Any) -> bool:
    """Whether ``X`` has named columns, as data frames do."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def has_dates(X: Any) -> bool:
    """Whether a data frame has columns of dates or times, which scikit-learn would convert if all are."""
    kinds = {str(kind).lower() for kind in X.dtypes} if is_frame(X) else set()
    return any(kind.startswith(("date", "time", "duration", "period")) for kind in kinds)


def warn_of_identifiers(estimator: Any, X: Any) -> None:
    """Warn of dense columns of nearly unique whole numbers, found in a sample of the rows."""
    if sparse.issparse(X) or X.shape[0] < FIRST_ROWS:
        return
    sample = as_numpy(X[:: -(-X.shape[0] // SAMPLE_ROWS), :])
    columns = np.arange(X.shape[1])
    for n_rows in (8, FIRST_ROWS, len(sample)):  # few rows rule out most columns
        part = sample[:n_rows, columns]
        columns = columns[np.all((part == np.floor(part)) & (np.abs(part) < MAX_WHOLE), axis=0)]
        if not len(columns):
            return
        ordered = np.sort(sample[:n_rows, columns], axis=0)
        distinct = 1 + np.sum(ordered[1:] != ordered[:-1], axis=0)
        columns = columns[distinct >= (DISTINCT * len(ordered) if n_rows > 8 else 2)]
    if len(columns):
        warn_caller(
            f"{type(estimator).__name__}: nearly every row has another whole number in column "
            f"{name_columns(estimator, columns)}; if these are identifiers, leave them out."
        )


def warn_of_constant_columns(estimator: Any, spread: np.ndarray) -> None:
    """Warn of columns without spread, which get no weight."""
    constant = np.flatnonzero(spread == 0.0)
    if len(constant):
        warn_caller(
            f"{type(estimator).__name__}: {len(constant)} of {len(spread)} columns are constant and get "
            f"weight 0: column {name_columns(estimator, constant)}."
        )


def warn_caller(message: str | Warning) -> None:
    """Warn at the line that called this package, through however many functions."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
