"""Arguments and options that several commands share."""

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.columns.options import CATEGORICAL, DECIMAL, MISSING, ON_BAD_ROWS, READ_RULES, ReadOptions
from ..io.reading.formats import FORMATS
from ..validation.errors import DataError
from .given import check_reading_options, remember_given
from .progress import set_quiet

DataPath = str | list[str]  # one input of a command, or several read as one


def one_of_option(option: str, choices: tuple[str, ...], help: str) -> Any:
    """An option that takes one of some words."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            listed = ", ".join(choice if choice.isalpha() else repr(choice) for choice in choices)
            raise typer.BadParameter(f"{value!r} is not one of {listed}.")
        return value

    return typer.Option(option, metavar="|".join(choices), callback=check, help=help)


def whole_option(least: int, help: str, *names: str) -> Any:
    """An option that takes a whole number."""

    def parse(text: str | int) -> int:
        digits = str(text)
        if not (digits.isascii() and digits.removeprefix("-").isdecimal() and int(digits) >= least):
            raise typer.BadParameter(f"{digits!r} is not a whole number of at least {least}.")
        return int(digits)

    return typer.Option(*names, metavar="N", parser=parse, help=help)


_HEADER = {"auto": None, "yes": True, "no": False}
_FORMATS = ", ".join(format.title for format in FORMATS.values())
_DATA_HELP = (
    f"Files ({_FORMATS}; gz, bz2, xz, zst or zip), folders, patterns in quotes ('sales/*.csv') or URLs, "
    "several read as one; or the name of a data set such as a9a, or - for standard input."
)

Data = Annotated[list[str], typer.Argument(metavar="DATA...", help=_DATA_HELP, show_default=False)]
ModelIn = Annotated[str, typer.Argument(metavar="MODEL", help="Model file, or - for standard input.")]
Label = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the labels, by name or number (0 is the first)."),
]
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The positive label; default: the second in sorted order.")
]
NFeatures = Annotated[int | None, whole_option(1, "Number of LIBSVM or hashed features.")]
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
Delimiter = Annotated[
    str | None, typer.Option(metavar="C", help="Character between columns; tab for a tab (default: found).")
]
Decimal = Annotated[str | None, one_of_option("--decimal", DECIMAL, "Decimal mark (default: found).")]
SkipLines = Annotated[
    int | None,
    whole_option(0, "Lines above the header (default: title lines are found)."),
]
Header = Annotated[
    str, one_of_option("--header", tuple(_HEADER), "Whether the first line has the names of the columns.")
]
NaValues = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B,...", help="Further texts for missing values, beside NA, null, None, ?, - and the like."
    ),
]
DayFirst = Annotated[
    bool | None,
    typer.Option("--day-first/--month-first", help="Whether 1/2/2024 is 1 February (default: found)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, whole_option(0, "Random seed.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def parse_rate(text: str | float) -> float:
    """A false positive rate."""
    return _parse_number(text, lambda value: 0 < value <= 1, "a number above 0 and at most 1")


def parse_share(text: str | float) -> float:
    """A part of the rows, neither none nor all."""
    return _parse_number(text, lambda value: 0 < value < 1, "a number between 0 and 1")


def _parse_number(text: str | float, allows: Callable[[float], bool], allowed: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not allows(value):
        raise typer.BadParameter(f"{text} is not {allowed}.")
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
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    skip_lines: SkipLines = None,
    header: Header = "auto",
    na_values: NaValues = None,
    day_first: DayFirst = None,
) -> ReadOptions:
    """The options of reading; a label of digits is a column number."""
    column = int(label) if label is not None and label.isdecimal() else label
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)
        if not READ_RULES["delimiter"].allows(delimiter):
            problem = (
                f"--delimiter {delimiter!r} is not a single character other than a letter, digit or quote"
            )
            raise typer.BadParameter(f"{problem}; tab and space are known by name.")
    texts = [text for given in na_values or () for text in given.split(",")]
    if any(not text.strip() for text in texts):
        raise typer.BadParameter("--na-values has an empty text, which is a missing value anyway.")
    options = ReadOptions(column, n_features, categorical, missing, on_bad_rows, id=id)
    return options._replace(
        drop=drop or None,
        columns=columns or None,
        categorical_columns=categorical_columns or None,
        numeric_columns=numeric_columns or None,
        delimiter=delimiter,
        decimal=decimal,
        skip_lines=skip_lines,
        header=_HEADER[header],
        na_values=texts or None,
        day_first=day_first,
    )


def with_shared_options(run: Callable[..., None]) -> Callable[..., None]:
    """Add ``--quiet`` and ``--debug``, and the options of ``read_options`` if it has a parameter ``reading``.

    ``--debug`` itself is handled by ``app.main``, since it applies to errors in the options too.
    """
    own = dict(inspect.signature(run).parameters)
    shared = dict(inspect.signature(read_options).parameters) if own.pop("reading", None) else {}

    def command(context: typer.Context, quiet: Quiet = False, debug: Debug = False, **given: Any) -> None:
        remember_given(context)
        set_quiet(quiet)
        if isinstance(given.get("data"), list):
            given["data"] = given["data"][0] if len(given["data"]) == 1 else given["data"]
        if shared:
            check_reading_options(given["data"])
            given["reading"] = read_options(**{name: given.pop(name) for name in shared})
        run(**given)

    context, *always = (inspect.signature(command).parameters[name] for name in ("context", "quiet", "debug"))
    all_of_them = (context, *own.values(), *shared.values(), *always)
    parameters = [each.replace(kind=each.KEYWORD_ONLY) for each in all_of_them]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__doc__ = run.__doc__
    return command


def check_output(option: str, path: str, *others: DataPath | None, binary: bool = False) -> None:
    """Raise an error before the work starts if its result could not be written to ``path``.

    ``others`` are the other files of the command, which must not be overwritten. A ``binary`` file is not
    written to a terminal.
    """
    if binary and _is_terminal(path):
        problem = f"{option} {path} would write a binary file to the terminal"
        raise typer.BadParameter(f"{problem}; give the name of a file, or pipe it to another program.")
    folder = Path(path).resolve().parent
    if path == "-" or (Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()):
        return  # a device such as /dev/stdout is written to directly
    if Path(path).is_dir():
        raise typer.BadParameter(f"{option} {path} is a folder; give the name of a file.")
    if Path(path).resolve() in _resolved(others):
        raise typer.BadParameter(f"{option} {path} would overwrite another file of the command; rename one.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"{option} {path} cannot be written: {folder} is not a writable folder.")


def _is_terminal(path: str) -> bool:
    if path == "-":
        return sys.stdout.isatty()
    try:
        if not Path(path).is_char_device():
            return False
        with open(path, "wb", buffering=0) as device:
            return device.isatty()
    except OSError:
        return False


def _resolved(others: tuple[DataPath | None, ...]) -> set[Path]:
    """The files that the inputs of a command stand for."""
    from ..io.reading.file_set import list_files

    found = set()
    for other in others:
        try:
            files = [] if other is None else list_files(other)
        except DataError:  # said when it is read
            files = []
        found |= {Path(getattr(file, "archive", file)).resolve() for file in files}
    return found
