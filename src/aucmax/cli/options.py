"""Arguments and options that several commands share."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.reading.formats import FORMATS
from ..io.reading.options import CATEGORICAL, MISSING, ON_BAD_ROWS, ReadOptions


def one_of_option(option: str, choices: tuple[str, ...], help: str) -> Any:
    """An option that takes one of some words."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}.")
        return value

    return typer.Option(option, metavar="|".join(choices), callback=check, help=help)


_FORMATS = ", ".join(format.title for format in FORMATS.values())
_DATA_HELP = f"File ({_FORMATS}), URL, name of a data set such as a9a, or - for standard input."

Data = Annotated[str, typer.Argument(metavar="DATA", help=_DATA_HELP)]
ModelIn = Annotated[str, typer.Argument(metavar="MODEL", help="Model file, or - for standard input.")]
Label = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the labels, by name or number (0 is the first)."),
]
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The positive label; default: the second in sorted order.")
]
NFeatures = Annotated[
    int | None, typer.Option("--n-features", metavar="N", min=1, help="Number of LIBSVM or hashed features.")
]
Categorical = Annotated[
    str | None, one_of_option("--categorical", CATEGORICAL, "How to encode text columns.")
]
Missing = Annotated[str | None, one_of_option("--missing", MISSING, "How to fill missing values.")]
OnBadRows = Annotated[
    str, one_of_option("--on-bad-rows", ON_BAD_ROWS, "Stop at a row that cannot be used, or skip it.")
]
Id = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column that names the rows; it is no feature.")
]


def columns_option(option: str, help: str) -> Any:
    """An option that takes names of columns, with commas between them or one at a time."""
    return typer.Option(option, metavar="COLUMNS", help=help)


Drop = Annotated[list[str] | None, columns_option("--drop", "Columns to leave out: A,B,C.")]
Columns = Annotated[list[str] | None, columns_option("--columns", "Columns to use; default: all.")]
CategoricalColumns = Annotated[
    list[str] | None, columns_option("--categorical-columns", "Columns to take as text, such as codes.")
]
NumericColumns = Annotated[
    list[str] | None, columns_option("--numeric-columns", "Columns to take as numbers.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Random seed.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def check_max_fpr(value: float | None) -> float | None:
    """Raise an error unless this can be a false positive rate."""
    if value is not None and not 0 < value <= 1:
        raise typer.BadParameter(f"{value:g} is not a number above 0 and at most 1.")
    return value


def read_options(
    label: Label = None,
    n_features: NFeatures = None,
    categorical: Categorical = None,
    missing: Missing = None,
    on_bad_rows: OnBadRows = "error",
    id: Id = None,
    drop: Drop = None,
    columns: Columns = None,
    categorical_columns: CategoricalColumns = None,
    numeric_columns: NumericColumns = None,
) -> ReadOptions:
    """The options of reading; a label of digits is a column number."""
    column = int(label) if label is not None and label.isdecimal() else label
    options = ReadOptions(column, n_features, categorical, missing, on_bad_rows, id=id)
    return options._replace(
        drop=drop or None,
        columns=columns or None,
        categorical_columns=categorical_columns or None,
        numeric_columns=numeric_columns or None,
    )


def with_shared_options(run: Callable[..., None]) -> Callable[..., None]:
    """Add ``--debug`` to a command, and the options of ``read_options`` if it has a parameter ``reading``.

    ``--debug`` itself is handled by ``app.main``, since it applies to errors in the options too.
    """
    own = dict(inspect.signature(run).parameters)
    shared = dict(inspect.signature(read_options).parameters) if own.pop("reading", None) else {}

    def command(debug: Debug = False, **given: Any) -> None:
        if shared:
            given["reading"] = read_options(**{name: given.pop(name) for name in shared})
        run(**given)

    debug = inspect.signature(command).parameters["debug"]
    parameters = [each.replace(kind=each.KEYWORD_ONLY) for each in (*own.values(), *shared.values(), debug)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__doc__ = run.__doc__
    return command


def check_output(option: str, path: str, *others: str | None) -> None:
    """Raise an error before the work starts if its result could not be written to ``path``.

    ``others`` are the other files of the command, which must not be overwritten.
    """
    folder = Path(path).resolve().parent
    if path == "-" or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()):
        return  # a device such as /dev/stdout is written to directly
    if Path(path).is_dir():
        raise typer.BadParameter(f"{option} {path} is a folder; give the name of a file.")
    if Path(path).resolve() in [Path(other).resolve() for other in others if other is not None]:
        raise typer.BadParameter(f"{option} {path} would overwrite another file of the command; rename one.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"{option} {path} cannot be written: {folder} is not a writable folder.")
