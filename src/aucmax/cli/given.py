"""Which options a command line has, and errors for those without effect."""

from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path

import typer

from ..io.reading.file_set import list_files
from ..io.reading.formats import FORMATS
from ..io.reading.source import open_source
from ..validation.errors import DataError
from .messages import as_option

_TEXT = ("delimiter", "decimal", "skip_lines", "header", "na_values", "day_first")
_TABLE = ("label", "categorical", "missing", *_TEXT)
_WITHOUT_EFFECT = {"libsvm": _TABLE, "parquet": _TEXT, "arrow": _TEXT}  # by format


_given: ContextVar[frozenset[str]] = ContextVar("given", default=frozenset())


def remember_given(context: typer.Context) -> None:
    """Keep the names of the parameters that the command line gives; the others have their defaults."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    _given.set(frozenset(name for name, source in sources.items() if source and source.name == "COMMANDLINE"))


def given_options() -> frozenset[str]:
    """The names of the parameters that the command line gives."""
    return _given.get()


def check_effect(names: Iterable[str], why_not: str) -> None:
    """Raise an error if one of these options is given, which has no effect here, and say why."""
    for name in sorted(given_options().intersection(names)):
        raise typer.BadParameter(f"{as_option(name, None)} has no effect {why_not}.")


def check_reading_options(data: str | list[str] | None) -> None:
    """Raise an error if an option of reading is given that has no effect on files of this format."""
    given = given_options().intersection(_TABLE)
    if data is None or data == []:
        check_effect(given, "without DATA")
    if not given or not data or data == "-":
        return
    try:
        first = list_files(data)[0]
        if isinstance(first, str) and not Path(first).is_file():
            return  # a data set, an address, or an error that reading explains
        with open_source(first) as source:
            format = source.format.name
    except DataError:
        return
    check_effect(_WITHOUT_EFFECT.get(format, ()), f"on {FORMATS[format].title}; leave it out")
