"""Data for the commands: files, addresses and known data sets, and checks of their labels."""

import difflib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..io.reading.options import ReadOptions
from ..io.reading.reader import Chunk, Chunks, Table, read, stream
from ..io.reading.schema import Schema
from ..validation.errors import DataError


def load(path: str, options: ReadOptions) -> Table:
    """All rows of a file, or of a known data set if there is no such file."""
    if is_known(path):
        return _load_known(path, options)
    check_exists(path)
    return read(path, **options._asdict())


def chunks(path: str, options: ReadOptions, size: int, start: Any = 0) -> Chunks:
    """The rows of a file, or of a known data set, ``size`` at a time."""
    if is_known(path):
        return Chunks(lambda: nullcontext(TableInMemory(_load_known(path, options))), size, start)
    check_exists(path)
    return stream(path, size, start=start, **options._asdict())


class TableInMemory:
    """A table with the interface of a file's reader; positions are row numbers."""

    skipped = 0

    def __init__(self, table: Table) -> None:
        self.schema = Schema(table.feature_names, table.zero_based)
        self._table = table

    def read(self) -> tuple[Any, np.ndarray | None]:
        """All rows."""
        return self._table.X, self._table.y

    def chunks(self, batch_size: int, start: int) -> Iterator[Chunk]:
        """The rows from ``start`` on, ``batch_size`` at a time."""
        X, y, names, _, zero_based = self._table
        for begin in range(start, X.shape[0], batch_size):
            end = min(begin + batch_size, X.shape[0])
            labels = None if y is None else y[begin:end]
            yield Chunk(X[begin:end], labels, names, end, zero_based=zero_based)


def _load_known(name: str, options: ReadOptions) -> Table:
    """A known data set, unless it counts its features from another number than the model's data."""
    from .. import datasets

    table = datasets.load(name)
    if {table.zero_based, options.zero_based} == {False, True}:
        here, there = (0, 1) if table.zero_based else (1, 0)
        problem = f"{name} counts its features from {here}, but the training data from {there}"
        raise DataError(problem, remedy=f"give data that count from {there}")
    return table


def is_known(path: str) -> bool:
    """Whether this is the name of a data set and not of a file."""
    if path == "-" or "/" in path or Path(path).exists():
        return False
    from .. import datasets

    return path in datasets.list()


def check_exists(path: str) -> None:
    """Raise an error with the names of similar data sets, if a bare name is neither a file nor a data set."""
    if path == "-" or "/" in path or (path and Path(path).exists()):
        return
    from .. import datasets

    if not path:
        raise DataError("the name of the data is empty", remedy="give a file, an address or a known data set")
    similar = " or ".join(difflib.get_close_matches(path, datasets.list()))
    hint = f"did you mean {similar}?" if similar else "check the name."
    raise DataError(f"{path} is neither a file nor a known data set; {hint}")


def labels(table: Table | Chunk, path: str) -> np.ndarray:
    """The labels of a table that must have some."""
    if table.y is None:
        raise DataError(f"{path} has no labels", remedy="name their column with {label}")
    return table.y


def two_classes(table: Table, path: str) -> np.ndarray:
    """The labels of a table that is to be split into folds: two classes with at least two rows each."""
    y = labels(table, path)
    classes, counts = np.unique(y, return_counts=True)
    check_two(classes, path)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        found = f"{path} has {counts[rarest]} row of class {classes[rarest]} among {len(y):,}"
        problem = f"{found}, but folds need 2 or more of each class"
        raise DataError(problem, remedy="give more rows of that class")
    return y


def check_two(classes: np.ndarray, path: str) -> None:
    """Raise an error that names the file if these are not two labels."""
    if len(classes) < 2:
        problem = f"all rows of {path} are of one class ({classes[0]}), but ranking needs two"
        raise DataError(problem, remedy="give rows of both")
    if len(classes) > 2:
        shown = ", ".join(map(str, classes[:5].tolist())) + (", ..." if len(classes) > 5 else "")
        problem = f"{path} has {len(classes):,} different labels ({shown}), but ranking needs two"
        raise DataError(problem, remedy="keep the rows of two, or give all but one of them the same name")


def check_known(y: np.ndarray, classes: np.ndarray, path: str) -> None:
    """Raise an error that names the file if it has a label that is neither of the two."""
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        problem = f"{path} has the label {unknown[0]}, but the model has only {classes[0]} and {classes[1]}"
        raise DataError(problem, remedy="remove such rows")


def positive_index(positive: str | None, classes: np.ndarray, path: str) -> int:
    """Which of two labels ranks high, by default the second; numbers may be written in any form."""
    if positive is None:
        return 1
    for k, label in enumerate(classes.tolist()):
        if positive == str(label) or (not isinstance(label, str) and _number(positive) == label):
            return k
    raise DataError(
        f"--positive {positive!r} is not a label of {path}, whose labels are {classes[0]} and {classes[1]}."
    )


def swap_classes(result: dict[str, Any]) -> dict[str, Any]:
    """The classes in the other order, with the same AUC; predictions from a model file follow this order.

    The estimator in the file keeps scikit-learn's sorted ``classes_``.
    """
    return {"classes": result["classes"][::-1], "positives": result["rows"] - result["positives"]}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
