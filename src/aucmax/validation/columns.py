"""Columns that cannot be used as they are, or that are probably a mistake: named, with what to do."""

from collections.abc import Iterator, Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy import sparse

from .errors import DataError, warn_caller
from .namespaces import as_numpy

MOST_NAMED = 5
SAMPLE_ROWS = 2000
FIRST_ROWS = 200  # fewer rows are not looked at; most columns are ruled out by so many
MAX_WHOLE = 2.0**53  # beyond, every float is a whole number
OFTEN = 0.9  # share of a few rows with an entry in a column that may have one in nearly every row
DISTINCT = 0.99  # share of distinct values from which whole numbers may be identifiers

MOST_WILD = 5  # values of a column that may be called wild
DOMINANCE = 100.0  # by which they raise its standard deviation: raised less, the AUC is hardly lower
GROUPS, GROUP_ROWS, GROUP_DOMINANCE = 3, 16, 20.0  # few rows, and a spread that rules few columns out wrongly


def list_names(names: list[str]) -> str:
    """At most five names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


class ColumnWarning(UserWarning):
    """A warning of columns, by name where the names of all columns are known, else by number.

    The template of the message has ``{columns}`` in their place; ``details`` are put after each, in brackets.
    """

    def __init__(
        self, template: str, columns: Any, names: Sequence[str] | None, details: Sequence[str] = ()
    ) -> None:
        super().__init__(template, columns, names, details)
        self.template, self.columns, self.names, self.details = template, columns, names, details

    def named(self, names: Sequence[str] | None) -> "ColumnWarning":
        """This warning, with names for the columns if they had none."""
        return self if self.names else ColumnWarning(self.template, self.columns, names, self.details)

    def __str__(self) -> str:
        names = self.names
        listed = [str(j) if names is None else repr(str(names[j])) for j in self.columns]
        if self.details:
            listed = [f"{name} ({detail})" for name, detail in zip(listed, self.details, strict=True)]
        return self.template.format(columns=list_names(listed))


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
        remedies.append("encode text with aucmax.io.TableEncoder or sklearn.preprocessing.OneHotEncoder")
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
    """Warn of columns of nearly unique whole numbers, found in a sample of the rows.

    Of a sparse X only columns with an entry in nearly every row can be: encoded tables have such columns.
    """
    if X.shape[0] < FIRST_ROWS:
        return
    columns = np.arange(X.shape[1])
    if sparse.issparse(X):
        columns = _stored_columns(_spaced_rows(X, FIRST_ROWS))
        if not len(columns):
            return
    sample = _spaced_rows(X, SAMPLE_ROWS)
    if sparse.issparse(X):
        sample = sample[:, columns].toarray()
    columns = columns[nearly_unique_whole_numbers(as_numpy(sample))]
    if len(columns):
        template = (
            ": nearly every row has another whole number in column {columns}; if these are identifiers, "
        )
        warn_of_columns(estimator, template + "leave them out.", columns)


def _spaced_rows(X: Any, n_rows: int) -> Any:
    """At most so many rows, evenly spaced."""
    return X[:: -(-X.shape[0] // n_rows), :]


def nearly_unique_whole_numbers(sample: np.ndarray) -> np.ndarray:
    """Indices of the columns of a dense sample that may hold identifiers."""
    columns = np.arange(sample.shape[1])
    for n_rows in (8, FIRST_ROWS, len(sample)):  # few rows rule out most columns
        part = sample[:n_rows, columns]
        columns = columns[np.all((part == np.floor(part)) & (np.abs(part) < MAX_WHOLE), axis=0)]
        if not len(columns):
            break
        ordered = np.sort(sample[:n_rows, columns], axis=0)
        distinct = 1 + np.sum(ordered[1:] != ordered[:-1], axis=0)
        columns = columns[distinct >= (DISTINCT * len(ordered) if n_rows > 8 else 2)]
    return columns


def warn_of_wild_values(estimator: Any, X: Any, spread: np.ndarray) -> None:
    """Warn of columns whose ``spread`` is that of a few values, beside which all others are nearly equal.

    Nearly all columns are ruled out by a few rows, in three groups, of which a wild value can spoil one. A
    column that is constant in a group, as a rare indicator is, is not looked at.
    """
    if X.shape[0] < GROUPS * GROUP_ROWS:
        return
    columns, rows = np.arange(X.shape[1]), _spaced_rows(X, GROUPS * GROUP_ROWS)
    is_sparse = sparse.issparse(X)
    if is_sparse:
        columns = _stored_columns(rows)
        rows = rows[:, columns].toarray()
    usual = np.min([as_numpy(rows)[k::GROUPS].std(axis=0) for k in range(GROUPS)], axis=0)
    found = {}
    for j in columns[(usual > 0.0) & (spread[columns] > GROUP_DOMINANCE * usual)].tolist():
        values = X[:, [j]].toarray().ravel() if is_sparse else X[:, j]
        row = find_wild_value(values.astype(np.float64))
        if row is not None:  # the command line standardises sparse numbers, so their values are not told
            found[j] = f"row {row}" if is_sparse else f"{values[row]:g} in row {row}"
    if found:
        problem = ": a few values are so far from the others that these hardly count, in column {columns}"
        problem += ", rows counted from 0"
        remedy = "; correct them, or clip the column, or transform it by scikit-learn's QuantileTransformer."
        warn_of_columns(estimator, problem + remedy, list(found), list(found.values()))


def _stored_columns(rows: Any) -> np.ndarray:
    """The columns of some sparse rows that have an entry in nearly all of them."""
    return np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= OFTEN * rows.shape[0])


def find_wild_value(values: np.ndarray) -> int | None:
    """The row of the value farthest from the others, if few such values have nearly all of the spread.

    They must be apart from all others: between the largest values of a long tail there is no such gap.
    """
    distance = np.abs(values - np.median(values))
    far = np.argpartition(distance, -MOST_WILD - 1)[-MOST_WILD - 1 :]
    far = far[np.argsort(-distance[far])]
    apart = distance[far[:-1]] > DOMINANCE * distance[far[1:]]
    if not apart.any() or distance[far[-1]] == 0.0:
        return None
    others = np.delete(values, far[: 1 + int(np.argmax(apart))])
    return int(far[0]) if values.std() > DOMINANCE * others.std() else None


def warn_of_sizes(estimator: Any, X: np.ndarray, largest: float) -> None:
    """Warn if all numbers of dense rows are so large or so small that their squares are none."""
    sizes = np.abs(X)
    highest, lowest = sizes.max(initial=0.0), sizes.min(initial=np.inf, where=sizes > 0.0)
    if largest < lowest < np.inf or 0.0 < highest < 1.0 / largest:
        problem, remedy = ("large", "divide") if highest > 1.0 else ("small", "multiply")
        warn_caller(
            f"{type(estimator).__name__}: all numbers of X are too {problem} to square, so the model may "
            f"learn nothing; {remedy} them by a constant."
        )


def warn_of_constant_columns(estimator: Any, spread: np.ndarray) -> None:
    """Warn of columns without spread, which get no weight."""
    constant = np.flatnonzero(spread == 0.0)
    if len(constant):
        template = f": {len(constant)} of {len(spread)} columns are constant and get weight 0: column "
        warn_of_columns(estimator, template + "{columns}.", constant)


def warn_of_columns(estimator: Any, template: str, columns: Any, details: Sequence[str] = ()) -> None:
    """Warn of columns of the data that an estimator is fitted to."""
    names = getattr(estimator, "feature_names_in_", None)
    warn_caller(ColumnWarning(type(estimator).__name__ + template, columns, names, details))
