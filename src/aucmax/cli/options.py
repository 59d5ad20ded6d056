"""Arguments and options that several commands share."""

import os
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer


class Categorical(str, Enum):
    """What becomes of columns of words."""

    onehot = "onehot"
    hash = "hash"


class Missing(str, Enum):
    """What becomes of missing values."""

    zero = "zero"
    mean = "mean"


class BadRows(str, Enum):
    """What becomes of rows that cannot be read."""

    error = "error"
    skip = "skip"


DATA_HELP = (
    "File (LIBSVM, CSV, TSV, Parquet, Arrow), address, name of a known data set, or - for standard input."
)

Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)]
ModelIn = Annotated[str, typer.Argument(metavar="MODEL", help="Model file, or - for standard input.")]
Label = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the labels, by name or number (0 is the first)."),
]
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="Label to rank high; else the second in sorted order.")
]
Width = Annotated[
    int | None, typer.Option("--n-features", metavar="N", min=1, help="Number of features of LIBSVM text.")
]
Words = Annotated[Categorical | None, typer.Option("--categorical", help="Accept columns of words, and how.")]
Gaps = Annotated[Missing | None, typer.Option("--missing", help="Accept missing values, and fill them so.")]
Bad = Annotated[BadRows, typer.Option("--on-bad-rows", help="Refuse rows that cannot be read, or skip them.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all that is random.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


class Reading(NamedTuple):
    """How data files are read; None leaves a choice to the reader."""

    label: str | int | None = None
    n_features: int | None = None
    categorical: str | None = None
    missing: str | None = None
    on_bad_rows: str = "error"
    zero_based: bool | None = None  # no options: these are learnt from the training data, for all that follow
    means: Any = None

    @classmethod
    def of(cls, label: str | None, width: int | None, words: Any, gaps: Any, bad: BadRows) -> "Reading":
        """From what the command line gave."""
        column = int(label) if label is not None and label.isdecimal() else label
        return cls(column, width, words and words.value, gaps and gaps.value, bad.value)

    def filled(self, known: dict[str, Any]) -> "Reading":
        """With the choices of the training where this one leaves them open."""
        open_ones: dict[str, Any] = {
            name: known.get(name) for name, value in self._asdict().items() if value is None
        }
        return self._replace(**open_ones)


def check_output(option: str, path: str, *others: str | None) -> None:
    """Better to know that a file cannot be written before the work than after it.

    ``others`` are the names of files that the command needs for something else.
    """
    folder = Path(path).resolve().parent
    if path == "-" or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()):
        return  # what is no file, such as /dev/stdout, is written to in its place
    if Path(path).is_dir():
        raise typer.BadParameter(f"{option} {path} is a folder; give the name of a file.")
    if Path(path).resolve() in [Path(other).resolve() for other in others if other is not None]:
        raise typer.BadParameter(f"{option} {path} would replace another file of the command; rename one.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"{option} {path} cannot be written: {folder} is not a folder to write to.")
