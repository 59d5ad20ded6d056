"""Errors and warnings of the library, worded for the command line: options in place of arguments."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from ..io.reading.errors import FeatureZero, UnknownFormat
from ..io.reading.formats import FORMATS
from ..validation.errors import DataError, ParameterError, SettingWarning, format_settings


def as_option(name: str, value: str | None) -> str:
    """Spell a setting of the library as an option of a command.

    Examples
    --------
    >>> as_option("on_bad_rows", '"skip"')
    '--on-bad-rows skip'
    """
    if name == "day_first" and value == "False":
        return "--month-first"
    option = f"--{name.replace('_', '-')}"
    value = None if value == "True" else value  # a flag
    return option if value is None else f"{option} {value.strip(chr(34) + chr(39))}"


def error_message(error: Exception) -> str:
    """What went wrong and what to do about it."""
    if isinstance(error, typer.BadParameter) and error.param is None:
        return f"{error.message} (see --help)"
    if hasattr(error, "format_message"):  # another wrong command line, found by typer
        return error.format_message() + " (see --help)"
    if isinstance(error, DataError):
        return _with_option_remedy(error).render(as_option)
    if isinstance(error, ParameterError):
        return error.render(as_option)
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"{error.filename}: there is no such file or folder; check the name."
    if isinstance(error, FileNotFoundError):
        return "the name of a file is empty; give one."
    if isinstance(error, IsADirectoryError):
        return f"{error.filename} is a folder; give the name of a file."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return "the data do not fit in memory; add --stream to train, or give fewer rows"
    if isinstance(error, (ValueError, ImportError, OSError)):
        return str(error)
    return f"unexpected {type(error).__name__}: {error} (--debug shows where)"


def error_object(error: Any, code: int) -> dict[str, Any]:
    """An error as the object that ``--json`` prints: what is wrong, where, what to do, and the exit code."""
    where, remedy = None, None
    if isinstance(error, DataError):
        error = _with_option_remedy(error)
        where = ", ".join(part for part in (error.file, error.place) if part) or None
        remedy = None if error.remedy is None else format_settings(error.remedy, as_option)
        what = error.problem
    else:
        what = error_message(error) if isinstance(error, Exception) else str(error)
    found = {"what": what, "where": where, "remedy": remedy, "exit_code": code}
    return {"error": found}


def _with_option_remedy(error: DataError) -> DataError:
    """The error with another remedy, where the library's names an argument that is not an option."""
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


@contextmanager
def recording_warnings() -> Iterator[list[str]]:
    """Within, the texts of warnings that are shown are added to a list too."""
    texts: list[str] = []
    with warnings.catch_warnings():
        show = warnings.showwarning

        def record(message: Any, *rest: Any) -> None:
            texts.append(" ".join(warning_text(message).split()))
            show(message, *rest)

        warnings.showwarning = record  # type: ignore[assignment]
        yield texts


@contextmanager
def naming_columns(names: Sequence[str] | None) -> Iterator[None]:
    """Within, warnings of the library name columns as the data do: the arrays it is given have no names."""
    with warnings.catch_warnings():
        show = warnings.showwarning
        warnings.showwarning = lambda message, *rest: show(  # type: ignore[assignment]
            message.named(names) if hasattr(message, "named") else message, *rest
        )
        yield
