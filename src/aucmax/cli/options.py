"""Arguments and options that several commands share."""

import inspect
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.columns.options import CATEGORICAL, DECIMAL, MISSING, ON_BAD_ROWS, READ_RULES, ReadOptions
from ..io.reading.file_set import list_files
from ..io.reading.formats import FORMATS
from ..validation.errors import DataError
from ..validation.parameters import parse_number
from .data import DataPath
from .given import check_reading_options, remember_given
from .progress import set_quiet


def one_of_option(choices: tuple[str, ...], help: str) -> Any:
    """An option that takes one of some words."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            listed = ", ".join(choice if choice.isalpha() else repr(choice) for choice in choices)
            raise typer.BadParameter(f"{value!r} is not one of {listed}.")
        return value

    return typer.Option(metavar="|".join(choices), callback=check, help=help)


def whole_option(least: int, help: str) -> Any:
    """An option that takes a whole number."""

    def parse(text: str | int) -> int:
        digits = str(text)
        if not (digits.isascii() and digits.removeprefix("-").isdecimal() and int(digits) >= least):
            raise typer.BadParameter(f"{digits!r} is not a whole number of at least {least}.")
        return int(digits)

    return typer.Option(metavar="N", parser=parse, help=help)


def number_option(least: float, metavar: str, help: str) -> Any:
    """An option that takes a finite number of at least ``least``."""

    def parse(text: str | float) -> float:
        value = parse_number(str(text))
        if value is None or not least <= value < math.inf:
            raise typer.BadParameter(f"{text!r} is not a number of at least {least:g}.")
        return value

    return typer.Option(metavar=metavar, parser=parse, help=help)


def share_option(metavar: str, help: str, up_to_1: bool = False) -> Any:
    """An option that takes a number above 0 and below 1, or ``up_to_1``."""

    def parse(text: str | float) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (0 < value < 1 or (up_to_1 and value == 1)):
            allowed = "above 0 and at most 1" if up_to_1 else "between 0 and 1"
            raise typer.BadParameter(f"{text} is not a number {allowed}.")
        return value

    return typer.Option(metavar=metavar, parser=parse, help=help)


def text_option(metavar: str, help: str) -> Any:
    """An option that takes any text."""
    return typer.Option(metavar=metavar, help=help)


def output_option(metavar: str, help: str) -> Any:
    """The option ``--output``."""
    return typer.Option("--output", "-o", metavar=metavar, help=help)


_FORMATS = ", ".join(format.title for format in FORMATS.values())
_DATA_HELP = (
    f"Files ({_FORMATS}; gz, bz2, xz, zst or zip), folders, patterns in quotes ('sales/*.csv') or URLs, "
    "several read as one; or the name of a data set such as a9a, or - for standard input."
)

Data = Annotated[list[str], typer.Argument(metavar="DATA...", help=_DATA_HELP, show_default=False)]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="Model file, or - for standard input.")]
Positive = Annotated[
    str | None, text_option("LABEL", "The positive label; default: the second in sorted order.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, whole_option(0, "Random seed.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

_HEADER = {"auto": None, "yes": True, "no": False}
_READING: dict[str, tuple[Any, Any]] = {  # type and option, by the name in ReadOptions
    "label": (str, text_option("COLUMN", "Column of the labels, by name or number (0 is the first).")),
    "n_features": (int, whole_option(1, "Number of LIBSVM or hashed features.")),
    "categorical": (str, one_of_option(CATEGORICAL, "How to encode text columns.")),
    "missing": (str, one_of_option(MISSING, "How to fill missing values.")),
    "on_bad_rows": (str, one_of_option(ON_BAD_ROWS, "Stop at a row that cannot be used, or skip it.")),
    "id": (str, text_option("COLUMN", "Column that names the rows; it is no feature.")),
    "drop": (list[str], text_option("COLUMNS", "Columns to leave out: A,B,C.")),
    "columns": (list[str], text_option("COLUMNS", "Columns to use; default: all.")),
    "categorical_columns": (list[str], text_option("COLUMNS", "Columns to take as text, such as codes.")),
    "numeric_columns": (list[str], text_option("COLUMNS", "Columns to take as numbers.")),
    "delimiter": (str, text_option("C", "Character between columns; tab for a tab (default: found).")),
    "decimal": (str, one_of_option(DECIMAL, "Decimal mark (default: found).")),
    "skip_lines": (int, whole_option(0, "Lines above the header (default: title lines are found).")),
    "header": (str, one_of_option(tuple(_HEADER), "Whether the first line has the names of the columns.")),
    "na_values": (
        list[str],
        text_option("A,B,...", "Further texts for missing values, beside NA, null, None, ?, - and the like."),
    ),
    "day_first": (
        bool,
        typer.Option("--day-first/--month-first", help="Whether 1/2/2024 is 1 February (default: found)."),
    ),
}


def _reading_parameter(name: str, kind: Any, option: Any) -> inspect.Parameter:
    default = "auto" if name == "header" else ReadOptions._field_defaults[name]
    if default is None:
        kind = kind | None
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, default=default, annotation=Annotated[kind, option])


_READING_PARAMETERS = {name: _reading_parameter(name, *found) for name, found in _READING.items()}


def read_options(given: dict[str, Any]) -> ReadOptions:
    """The options of reading from those of the command line; a label of digits is a column number."""
    label, delimiter = given["label"], given["delimiter"]
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)
        if not READ_RULES["delimiter"].allows(delimiter):
            problem = (
                f"--delimiter {delimiter!r} is not a single character other than a letter, digit or quote"
            )
            raise typer.BadParameter(f"{problem}; tab and space are known by name.")
    texts = [text for value in given["na_values"] or () for text in value.split(",")]
    if any(not text.strip() for text in texts):
        raise typer.BadParameter("--na-values has an empty text, which is a missing value anyway.")
    parsed = {
        "label": int(label) if label is not None and label.isdecimal() else label,
        "delimiter": delimiter,
        "header": _HEADER[given["header"]],
        "na_values": texts,
    }
    options: dict[str, Any] = {
        name: None if value == [] else value for name, value in (given | parsed).items()
    }
    return ReadOptions(**options)


def with_shared_options(run: Callable[..., None]) -> Callable[..., None]:
    """Add ``--quiet`` and ``--debug``, and the options of reading if it has a parameter ``reading``.

    ``--debug`` itself is handled by ``app.main``, since it applies to errors in the options too.
    """
    own = dict(inspect.signature(run).parameters)
    shared = _READING_PARAMETERS if own.pop("reading", None) else {}

    def command(context: typer.Context, quiet: Quiet = False, debug: Debug = False, **given: Any) -> None:
        remember_given(context)
        set_quiet(quiet)
        if isinstance(given.get("data"), list):
            given["data"] = given["data"][0] if len(given["data"]) == 1 else given["data"]
        if shared:
            check_reading_options(given["data"])
            given["reading"] = read_options({name: given.pop(name) for name in shared})
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
    with suppress(OSError):
        if Path(path).is_char_device():
            with open(path, "wb", buffering=0) as device:
                return device.isatty()
    return False


def _resolved(others: tuple[DataPath | None, ...]) -> set[Path]:
    """The files that the inputs of a command stand for."""
    files: list[Any] = []
    for other in others:
        with suppress(DataError):  # raised again when it is read
            files += [] if other is None else list_files(other)
    return {Path(getattr(file, "archive", file)).resolve() for file in files}
