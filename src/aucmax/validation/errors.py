"""Errors and warnings about data and parameters: where the problem is, what is wrong, and what to do."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

_INSIDE = (__name__.partition(".")[0] + ".", "numpy.", "sklearn.callback.")  # modules between caller and fit
_SETTING = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")


def as_argument(name: str, value: str | None) -> str:
    """Write a setting as an argument in Python."""
    return name if value is None else f"{name}={value}"


def format_settings(template: str, format_setting: Callable[[str, str | None], str] = as_argument) -> str:
    """Replace each ``{name}`` and ``{name=value}`` of a template by ``format_setting(name, value)``.

    Examples
    --------
    >>> format_settings('give {n_features=7} or {missing="zero"}')
    'give n_features=7 or missing="zero"'
    """
    return _SETTING.sub(lambda found: format_setting(found[1], found[2]), template)


class DataError(ValueError):
    """Data that cannot be used. The message is one sentence: ``file, place: problem; remedy.``

    Parameters
    ----------
    problem : str
        What is wrong. It may quote the data: braces in it are kept as text.
    remedy : str, optional
        What to do about it: a template, which must not quote the data. Settings are written ``{name}`` or
        ``{name=value}``, and each front end formats them for its users: ``n_features=7`` in Python,
        ``--n-features 7`` in a shell.
    file : str, optional
        Name of the input.
    place : str, optional
        Where in the input, such as ``line 7``.

    Examples
    --------
    >>> error = DataError("feature 7 is too many", remedy="give {n_features=7}", file="a.svm", place="line 2")
    >>> print(error)
    a.svm, line 2: feature 7 is too many; give n_features=7.
    >>> print(error.render(lambda name, value: f"--{name} {value}"))
    a.svm, line 2: feature 7 is too many; give --n_features 7.
    """

    def __init__(
        self, problem: str, *, remedy: str | None = None, file: str | None = None, place: str | None = None
    ) -> None:
        super().__init__(problem)
        self.problem, self.remedy, self.file, self.place = problem, remedy, file, place

    def located(self, file: str | None = None, place: str | None = None) -> "DataError":
        """This error, with the file and the place filled in if they were unknown."""
        self.file, self.place = self.file or file, self.place or place
        return self

    def render(self, format_setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The message, with each setting in the remedy written by ``format_setting(name, value)``."""
        where = ", ".join(part for part in (self.file, self.place) if part)
        remedy = "" if self.remedy is None else f"; {format_settings(self.remedy, format_setting)}."
        return f"{where}: {self.problem}{remedy}" if where else self.problem + remedy

    def __str__(self) -> str:
        return self.render()


class ParameterError(ValueError):
    """A parameter of an estimator (its ``owner``) or of a function (owner None) that is out of its range.

    ``allowed`` are the values that it may have, in words; other parameters are written ``{name=value}``.

    Examples
    --------
    >>> print(ParameterError("SOLAM", "max_iter", "a whole number of at least 1", 0))
    SOLAM: max_iter must be a whole number of at least 1; got 0.
    """

    def __init__(self, owner: str | None, name: str, allowed: str, got: Any) -> None:
        super().__init__(owner, name, allowed, got)
        self.owner, self.name, self.allowed, self.got = owner, name, allowed, got

    def render(self, format_setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The message, with each parameter written by ``format_setting(name, value)``."""
        name, allowed = format_setting(self.name, None), format_settings(self.allowed, format_setting)
        return f"{name} must be {allowed}; got {self.got!r}."

    def __str__(self) -> str:
        return f"{self.owner}: {self.render()}" if self.owner else self.render()


class SettingWarning(UserWarning):
    """A warning that names settings: a template, in which they are written ``{name}`` or ``{name=value}``.

    Examples
    --------
    >>> print(SettingWarning("{max_fpr=0.01} leaves no row; give another {max_fpr}."))
    max_fpr=0.01 leaves no row; give another max_fpr.
    """

    def render(self, format_setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The message, with each setting written by ``format_setting(name, value)``."""
        return format_settings(str(self.args[0]), format_setting)

    def __str__(self) -> str:
        return self.render()


def list_first(texts: Iterable[str], most: int) -> str:
    """The first few of some texts, and dots if there are more."""
    shown = list(islice(texts, most + 1))
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def warn_caller(message: str | Warning) -> None:
    """Warn at the line that called this package, through however many functions."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
