"""Data for the commands: files, addresses and known data sets."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import Reading

if TYPE_CHECKING:
    import numpy as np

    from ..io.reading.options import Chunk, Chunks, Table


def load(path: str, reading: Reading, features: list[str] | None = None) -> "Table":
    """All rows of a file, or of a known data set where no such file is."""
    from .. import io

    if is_known(path):
        return _known(path, reading)
    check_there(path)
    try:
        return io.read(path, features=features, **reading._asdict())
    except io.DataError as error:
        raise hinted(recounted(error, reading), reading) from error


def _known(name: str, reading: Reading) -> "Table":
    """A known data set, unless its features are counted otherwise than the model's."""
    from .. import datasets
    from ..validation.errors import DataError

    table = datasets.load(name)
    if {table.zero_based, reading.zero_based} == {False, True}:
        here, there = (0, 1) if table.zero_based else (1, 0)
        raise DataError(
            f"{name} counts its features from {here}, but the training data from {there}; give data that "
            "count as those do."
        )
    return table


def chunks(path: str, reading: Reading, size: int, start: Any = 0, features: Any = None) -> "Chunks":
    """The rows of a file, or of a known data set, ``size`` at a time."""
    from ..io.reading.options import Chunks

    return Chunks(_chunks(path, reading, size, start, features))


def _chunks(
    path: str, reading: Reading, size: int, start: Any, features: Any
) -> Generator["Chunk", None, int]:
    from .. import io

    if is_known(path):
        yield from _slices(load(path, reading), size, start)
        return 0
    check_there(path)
    try:
        rows = io.stream(path, size, features=features, start=start, **reading._asdict())
        return (yield from rows)
    except io.DataError as error:
        raise hinted(recounted(error, reading), reading) from error


def _slices(table: "Table", size: int, start: int) -> Iterator["Chunk"]:
    from ..io.reading.options import Chunk

    for begin in range(start, table.X.shape[0], size):
        end: Any = min(begin + size, table.X.shape[0])  # as a position, which in files is a dictionary
        y = None if table.y is None else table.y[begin:end]
        yield Chunk(table.X[begin:end], y, table.feature_names, end, 0, table.zero_based)


def recounted(error: ValueError, reading: Reading) -> ValueError:
    """The error with other advice than ``zero_based=``, which is no option of the commands."""
    what, found, _ = str(error).partition("; give zero_based=")
    if not found:
        return error
    if reading.zero_based is None:
        advice = "leave out --n-features, or raise --batch-size until the first chunk has a feature 0"
        return type(error)(f"{what}; if features are counted from 0, {advice}.")
    advice = "number its features as theirs, or leave feature 0 out"
    return type(error)(f"{what}, as the training data do; {advice}.")


def hinted(error: ValueError, reading: Reading) -> ValueError:
    """The error with a word about --label, where a table was read without one and has columns of text."""
    if reading.label is not None or ": text in the column" not in str(error):
        return error
    return type(error)(f"{str(error).removesuffix('.')}; if a column has the labels, name it with --label.")


def is_known(path: str) -> bool:
    """Whether this is the name of a data set and of no file."""
    if path == "-" or "/" in path or Path(path).exists():
        return False
    from .. import datasets

    return path in datasets.list()


def check_there(path: str) -> None:
    """Raise an error with the data sets whose names are closest, where a bare name is nothing at all."""
    if path == "-" or "/" in path or (path and Path(path).exists()):
        return
    import difflib

    from .. import datasets
    from ..validation.errors import DataError

    if not path:
        raise DataError("the name of the data is empty; give a file, an address or a known data set.")
    close = " or ".join(difflib.get_close_matches(path, datasets.list()))
    advice = f"did you mean {close}?" if close else "check the name."
    raise DataError(f"{path} is neither a file nor a known data set; {advice}")


def labels(table: Any, path: str) -> "np.ndarray":
    """The labels of a table that must have some."""
    from ..validation.errors import DataError

    if table.y is None:
        raise DataError(f"{path} has no labels; name their column with --label.")
    return table.y


def two_classes(table: Any, path: str) -> "np.ndarray":
    """The labels of a table that is to be split into folds: of two classes, with rows enough of each."""
    import numpy as np

    from ..validation.errors import DataError

    y = labels(table, path)
    classes, counts = np.unique(y, return_counts=True)
    check_two(classes, path)
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        raise DataError(
            f"{path} has {counts[rarest]} row of class {classes[rarest]} among {len(y):,}, but folds need 2 "
            "or more of each class; give more rows of that class."
        )
    return y


def check_two(classes: "np.ndarray", path: str) -> None:
    """Raise an error that names the file if these are not two labels."""
    from ..validation.errors import DataError

    if len(classes) < 2:
        raise DataError(
            f"all rows of {path} are of one class ({classes[0]}), but ranking needs two; give rows of both."
        )
    if len(classes) > 2:
        shown = ", ".join(map(str, classes[:5].tolist())) + (", ..." if len(classes) > 5 else "")
        raise DataError(
            f"{path} has {len(classes):,} different labels ({shown}), but ranking needs two; keep the rows "
            "of two, or give all but one of them the same name."
        )


def positive_index(positive: str | None, classes: "np.ndarray", path: str) -> int:
    """Which of two labels is to rank high, the second unless said; numbers may be written in any form."""
    from ..validation.errors import DataError

    if positive is None:
        return 1
    for k, label in enumerate(classes.tolist()):
        if positive == str(label) or (not isinstance(label, str) and _number(positive) == label):
            return k
    raise DataError(
        f"--positive {positive!r} is not a label of {path}, whose labels are {classes[0]} and {classes[1]}."
    )


def swap_classes(result: dict[str, Any]) -> dict[str, Any]:
    """The classes the other way round, with the same AUC; whoever scores by a model file follows their order.

    The estimator in the file keeps scikit-learn's sorted ``classes_``.
    """
    return {"classes": result["classes"][::-1], "positives": result["rows"] - result["positives"]}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def check_known(y: "np.ndarray", classes: "np.ndarray", path: str) -> None:
    """Raise an error that names the file if it has a label that is neither of the two."""
    import numpy as np

    from ..validation.errors import DataError

    strange = np.setdiff1d(y, classes)
    if len(strange):
        raise DataError(
            f"{path} has the label {strange[0]}, but the model knows only {classes[0]} and {classes[1]}; "
            "leave such rows out."
        )
