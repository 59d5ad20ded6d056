"""Errors for data and parameters that cannot be used: where, what is wrong, and what to do about it."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

Located = TypeVar("Located", bound="DataError")
_SETTING = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")


def as_argument(name: str, value: str | None) -> str:
    """Spell a setting as a caller of the library writes it."""
    return name if value is None else f"{name}={value}"


def spell_settings(template: str, setting: Callable[[str, str | None], str] = as_argument) -> str:
    """Replace each ``{name}`` and ``{name=value}`` of a template by ``setting(name, value)``.

    Examples
    --------
    >>> spell_settings('give {n_features=7} or {missing="zero"}')
    'give n_features=7 or missing="zero"'
    """
    return _SETTING.sub(lambda found: setting(found[1], found[2]), template)


class DataError(ValueError):
    """Data that cannot be used. The message is one sentence: ``file, place: problem; remedy.``

    Parameters
    ----------
    problem : str
        What is wrong. It may quote the data: braces in it mean nothing.
    remedy : str, optional
        What to do about it, a template without text from the data. A setting stands in it as ``{name}`` or
        ``{name=value}``, so that each front end can write it as its users do: ``n_features=7`` in Python,
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

    def located(self: Located, file: str | None = None, place: str | None = None) -> Located:
        """The same error, with the file and the place filled in where they were unknown."""
        self.file, self.place = self.file or file, self.place or place
        return self

    def render(self, setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The sentence, with the settings of the remedy written by ``setting(name, value)``."""
        where = ", ".join(part for part in (self.file, self.place) if part)
        remedy = "" if self.remedy is None else f"; {spell_settings(self.remedy, setting)}."
        return f"{where}: {self.problem}{remedy}" if where else self.problem + remedy

    def __str__(self) -> str:
        return self.render()


class ParameterError(ValueError):
    """A parameter out of its range.

    Parameters
    ----------
    owner : str or None
        The estimator that has the parameter; None for the argument of a function.
    name : str
        The parameter.
    allowed : str
        The values that it may have, in words; other parameters stand in it as ``{name=value}``.
    got : object
        The value it has.

    Examples
    --------
    >>> print(ParameterError("SOLAM", "max_iter", "a whole number of at least 1", 0))
    SOLAM: max_iter must be a whole number of at least 1; got 0.
    """

    def __init__(self, owner: str | None, name: str, allowed: str, got: Any) -> None:
        super().__init__(owner, name, allowed, got)
        self.owner, self.name, self.allowed, self.got = owner, name, allowed, got

    def render(self, setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The sentence, with parameters written by ``setting(name, value)``."""
        return (
            f"{setting(self.name, None)} must be {spell_settings(self.allowed, setting)}; got {self.got!r}."
        )

    def __str__(self) -> str:
        return f"{self.owner}: {self.render()}" if self.owner else self.render()
