"""Read the data of a command (a file, a URL or a named data set) and check their labels."""

import difflib
import time
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..io.columns.errors import UnknownLabel
from ..io.columns.options import ReadOptions
from ..io.columns.schema import Schema
from ..io.reading.file_set import is_pattern, list_files
from ..io.reading.reader import Chunk, Chunks, Position, Rows, Table, read, stream
from ..io.reading.source import COMPRESSED, can_reopen
from ..validation.errors import DataError, list_first
from ..validation.labels import check_known_labels, check_two_classes, list_labels
from ..validation.parameters import parse_number
from .progress import ProgressBar, Step
from .rendering import pluralize

CHUNK = 10_000  # rows read at a time
MOST_LABELS = 5  # shown with their counts
DataPath = str | list[str]  # one input of a command, or several read as one


def data_name(path: DataPath) -> str:
    """The name of the data of a command, for messages."""
    if isinstance(path, str):
        return "standard input" if path == "-" else path
    return f"{path[0]} and {len(path) - 1} more"


def file_name(path: DataPath) -> str:
    """Like ``data_name``, without the folder."""
    return Path(data_name(path)).name


def load(path: DataPath, options: ReadOptions) -> Table:
    """All rows of some files or of a named data set."""
    is_dataset = isinstance(path, str) and _is_dataset(path)
    with Step(f"reading {data_name(path)}"):
        return _load_dataset(str(path), options) if is_dataset else read(path, **options._asdict())


def can_read_again(path: DataPath) -> bool:
    """Whether the data can be read a second time: standard input and other pipes cannot."""
    return (isinstance(path, str) and _is_dataset(path)) or all(map(can_reopen, list_files(path)))


def chunks(path: DataPath, options: ReadOptions, size: int, start: Any = 0) -> Chunks:
    """The rows of some files or of a named data set, ``size`` at a time."""
    if isinstance(path, str) and _is_dataset(path):
        reader: Any = TableInMemory
        return Chunks(lambda: nullcontext(reader(_load_dataset(path, options))), size, start)
    return stream(path, size, start=start, **options._asdict())


class TableInMemory:
    """A table with the interface of a file's reader; positions are row numbers."""

    encoder = None
    skipped = 0

    def __init__(self, table: Table) -> None:
        self.schema = Schema(table.feature_names, table.zero_based)
        self.found = table.found
        self._table = table

    def chunks(self, batch_size: int, start: Position) -> Iterator[Rows]:
        """The rows from ``start`` on, ``batch_size`` at a time."""
        assert isinstance(start, int)
        X, y, *_ = self._table
        for begin in range(start, X.shape[0], batch_size):
            end = min(begin + batch_size, X.shape[0])
            yield Rows(X[begin:end], None if y is None else y[begin:end], end)


def _load_dataset(name: str, options: ReadOptions) -> Table:
    """A named data set; its features must count from 0 or from 1, as those of the training data."""
    from .. import datasets

    if options.chosen_columns:
        problem = f"{name} is LIBSVM text, which has no columns to choose from"
        raise DataError(problem, remedy=f"leave out {{{options.chosen_columns[0]}}}")
    table = datasets.load(name)
    if {table.zero_based, options.zero_based} == {False, True}:
        first, expected = (0, 1) if table.zero_based else (1, 0)
        problem = f"{name} counts its features from {first}, but the training data from {expected}"
        raise DataError(problem, remedy=f"give data that count from {expected}")
    return table


def _is_dataset(path: str) -> bool:
    """Whether this is the name of a data set; an error if it is neither that nor a file that may exist."""
    if path == "-" or "/" in path or is_pattern(path) or (path and Path(path).exists()):
        return False
    from .. import datasets

    names = datasets.list()
    if path in names:
        return True
    if not path:
        raise DataError(
            "the name of the data is empty", remedy="give a file, a URL or the name of a data set"
        )
    similar = " or ".join(difflib.get_close_matches(path, names))
    hint = f" (did you mean {similar}?)" if similar else ""
    problem = f"{path} is neither a file nor a known data set{hint}"
    raise DataError(problem, remedy="check the name")


class ReadingProgress(ProgressBar):
    """Shows the number of rows read, the speed and, where positions are in bytes, the time left."""

    def __init__(self, path: DataPath, n_rows: int = 0) -> None:
        super().__init__()
        self._sizes = _text_sizes(path)
        self._n_rows, self._n_rows_at_start, self._started = n_rows, n_rows, time.monotonic()

    def add(self, n_rows: int, position: Any, detail: str = "") -> None:
        """Count ``n_rows`` more rows, the last of which ends at ``position``."""
        self._n_rows += n_rows
        speed = (self._n_rows - self._n_rows_at_start) / max(time.monotonic() - self._started, 1e-9)
        done: tuple[int, int | None] = 0, None
        if self._sizes is not None and isinstance(position, dict) and "byte" in position:
            done = sum(self._sizes[: position["file"]]) + position["byte"], sum(self._sizes)
        self.update(f"{self._n_rows:,} rows  {speed:,.0f} rows/s{detail}", *done)


def _text_sizes(path: DataPath) -> list[int] | None:
    """Sizes of the files; None where positions are not in bytes: pipes, compressed files and URLs."""
    files = list_files(path)
    if not all(isinstance(file, (str, Path)) and Path(file).is_file() for file in files):
        return None
    for file in files:
        with open(file, "rb") as opened:
            if opened.read(6).startswith(tuple(COMPRESSED)):
                return None
    return [Path(file).stat().st_size for file in files]


def labels(table: Table | Chunk, path: DataPath) -> np.ndarray:
    """The labels of a table; an error if it has none."""
    if table.y is not None:
        return table.y
    raise DataError("it has no labels", remedy="name their column with {label}", file=data_name(path))


def check_labels(found: np.ndarray, path: DataPath, classes: np.ndarray | None = None) -> None:
    """Raise an error unless the labels are among ``classes`` or, for None, are two distinct ones."""
    try:
        check_two_classes(found) if classes is None else check_known_labels(found, classes)
    except DataError as error:
        raise error.located(data_name(path)) from None


def find_label(
    path: DataPath, options: ReadOptions, others: np.ndarray, start: Position = 0
) -> UnknownLabel | None:
    """The error for the first row after ``start`` whose label is none of the ``others``; None if unknown.

    The data are read again: this is only called where a training ends because of such a label.
    """
    options = options.for_training()._replace(
        classes=others.tolist(), on_bad_rows="error", check_columns=False
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            deque(chunks(path, options, CHUNK, start) if can_read_again(path) else [], maxlen=0)
    except UnknownLabel as error:
        return error
    except DataError:  # another bad row comes before
        pass
    return None


def two_labels(y: np.ndarray, path: DataPath, options: ReadOptions) -> tuple[np.ndarray, np.ndarray]:
    """The two labels and how many rows have each; an error that says where the rarest of more is."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) > 2:
        order = np.argsort(-counts, kind="stable")
        listed = [f"{list_labels(classes[[k]])} ({pluralize(counts[k], 'row')})" for k in order]
        start, found = "it has", None
        if len(classes) <= MOST_LABELS:
            start = f"the label {list_labels(classes[order[-1:]])} is the rarest of"
            found = find_label(path, options, classes[order[:-1]])
        error = DataError(
            f"{start} {len(classes):,} labels where two are needed: {list_first(listed, MOST_LABELS)}",
            remedy="correct such rows, keep those of two labels, or give all labels but one the same name",
        )
        if found is not None:
            error.located(found.file, found.place)
        raise error.located(data_name(path))
    check_labels(classes, path)
    return classes, counts


def check_two_rows_per_class(y: np.ndarray, path: DataPath, options: ReadOptions) -> np.ndarray:
    """Return the labels; an error unless they are of two classes, each with two rows for cross-validation."""
    classes, counts = two_labels(y, path, options)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        problem = f"it has only 1 row of class {classes[rarest]}, but cross-validation needs 2 of each class"
        raise DataError(problem, remedy="give more rows of that class", file=data_name(path))
    return y


def split_train_test(is_second: np.ndarray, test_size: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers for training and test, stratified; ``is_second`` marks rows of the second class."""
    from sklearn.model_selection import StratifiedShuffleSplit

    splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
    train, test = next(splitter.split(is_second, is_second))
    return np.sort(train), np.sort(test)


def positive_index(positive: str | None, classes: np.ndarray, path: DataPath) -> int:
    """Index of the positive class, by default the second; ``+1`` and ``1.0`` are the same number."""
    if positive is None:
        return 1
    for k, label in enumerate(classes.tolist()):
        if positive == str(label) or (not isinstance(label, str) and parse_number(positive) == label):
            return k
    problem = f"--positive {positive!r} is not a label of {data_name(path)}, whose labels are"
    raise DataError(f"{problem} {classes[0]} and {classes[1]}", remedy="give one of these")


def swap_classes(result: dict[str, Any]) -> dict[str, Any]:
    """The entries of a result that change if the first class ranks high; the AUC does not.

    ``predict`` takes the order from the result: the estimator in the model file keeps scikit-learn's sorted
    ``classes_``.
    """
    return {"classes": result["classes"][::-1], "positives": result["rows"] - result["positives"]}
