"""Errors and warnings of the library, worded for the command line: options in place of arguments."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from ..io.columns.errors import FeatureZero, UnknownFormat
from ..io.reading.formats import FORMATS
from ..validation.errors import DataError, ParameterError, SettingWarning, format_settings

# Placeholders for what follows the equals sign in --threshold recall=R and the other goals.
_GOAL_VALUES = {"recall": "R", "precision": "P", "alerts": "N", "cost": "FP:FN"}


def as_option(name: str, value: str | None) -> str:
    """Spell a setting of the library as an option of a command.

    Examples
    --------
    >>> as_option("on_bad_rows", '"skip"')
    '--on-bad-rows skip'
    >>> as_option("precision", None)
    '--threshold precision=P'
    """
    if name == "day_first" and value == "False":
        return "--month-first"
    if name in _GOAL_VALUES:
        return f"--threshold {name}={value or _GOAL_VALUES[name]}"
    option = f"--{name.replace('_', '-')}"
    if value is None or value == "True":  # a flag
        return option
    return f"{option} " + value.strip("[]\"'")


def error_message(error: Any) -> str:
    """What went wrong and what to do about it."""
    if hasattr(error, "format_message"):  # a wrong command line
        return f"{_usage_problem(error)} (see --help)"
    return _as_data_error(error).render(as_option)


def error_object(error: Any, code: int) -> dict[str, Any]:
    """An error as the object that ``--json`` prints: what is wrong, where, what to do, and the exit code."""
    if hasattr(error, "format_message"):
        data_error = DataError(_usage_problem(error), remedy="see --help", file="command line")
    else:
        data_error = _as_data_error(error)
    where = ", ".join(part for part in (data_error.file, data_error.place) if part) or None
    remedy = None if data_error.remedy is None else format_settings(data_error.remedy, as_option)
    return {"error": {"what": data_error.problem, "where": where, "remedy": remedy, "exit_code": code}}


def _usage_problem(error: Any) -> str:
    """What is wrong with the command line, in the words of typer, unless a command of ours raised it."""
    is_ours = isinstance(error, typer.BadParameter) and error.param is None
    return error.message if is_ours else error.format_message()


def _as_data_error(error: Any) -> DataError:
    """Any error as a DataError, which has separate parts: where, what and, if known, what to do."""
    if isinstance(error, DataError):
        return _with_option_remedy(error)
    if isinstance(error, FileNotFoundError) and error.filename:
        return DataError("there is no such file or folder", remedy="check the name", file=error.filename)
    if isinstance(error, FileNotFoundError):
        return DataError("the name of a file is empty", remedy="give one")
    if isinstance(error, IsADirectoryError):
        return DataError("it is a folder", remedy="give the name of a file", file=error.filename)
    if isinstance(error, OSError):
        return DataError(error.strerror or str(error), file=error.filename)
    if isinstance(error, MemoryError):
        remedy = "add {stream} to train, or give fewer rows"
        return DataError("the data do not fit in memory", remedy=remedy)
    if isinstance(error, ParameterError):
        return DataError(error.render(as_option))
    if isinstance(error, Exception) and not isinstance(error, (ValueError, ImportError)):
        return DataError(f"unexpected {type(error).__name__}: {error} (--debug shows where)")
    return DataError(str(error))


def _with_option_remedy(error: DataError) -> DataError:
    """The error, with another remedy where that of the library names an argument that is not an option."""
    if isinstance(error, UnknownFormat):
        *titles, last = [format.title for format in FORMATS.values()]
        error.remedy = f"give {', '.join(titles)} or {last}"
    elif isinstance(error, FeatureZero):
        error.remedy = (
            "if features are counted from 0, leave out {n_features}, or raise {batch_size} until the first "
            "chunk has a feature 0"
        )
    return error


def warning_text(message: Any) -> str:
    """A warning of the library, with options in place of arguments."""
    if type(message).__name__ == "NotConverged":  # by name, to avoid importing scikit-learn
        return f"{message.problem}; raise --l2 or give another --loss."
    return message.render(as_option) if isinstance(message, SettingWarning) else str(message)


def print_warning(message: Any, *_: Any) -> None:
    """Print a warning in one line on standard error; replaces ``warnings.showwarning``."""
    print("aucmax: warning:", " ".join(warning_text(message).split()), file=sys.stderr)


@contextmanager
def recording_warnings() -> Iterator[list[str]]:
    """Inside the block, also collect the texts of shown warnings in a list, each once."""
    texts: list[str] = []
    with warnings.catch_warnings():
        show = warnings.showwarning

        def record(message: Any, *rest: Any) -> None:
            text = " ".join(warning_text(message).split())
            if text not in texts:  # a resumed run may read rows again that it was warned of
                texts.append(text)
            show(message, *rest)

        warnings.showwarning = record  # type: ignore[assignment]
        yield texts


@contextmanager
def naming_columns(names: Sequence[str] | None) -> Iterator[None]:
    """Inside the block, put column names into the library's warnings: its arrays have none."""
    with warnings.catch_warnings():
        show = warnings.showwarning
        warnings.showwarning = lambda message, *rest: show(  # type: ignore[assignment]
            message.named(names) if hasattr(message, "named") else message, *rest
        )
        yield
