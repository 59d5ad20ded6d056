"""The error for data that cannot be used: where, what is wrong, and what to do about it."""

import re
from collections.abc import Callable

_REFERENCE = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")


def as_argument(name: str, value: str | None) -> str:
    """A setting as a caller of the library writes it."""
    return name if value is None else f"{name}={value}"


class DataError(ValueError):
    """Data that cannot be used, told in one sentence: ``file, place: problem; remedy.``

    Parameters
    ----------
    problem : str
        What is wrong.
    remedy : str, optional
        What to do about it. A setting stands in it as ``{name}`` or ``{name=value}``, so that each
        front end can write it as its users do: ``n_features=7`` in Python, ``--n-features 7`` in a shell.
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

    def render(self, setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The sentence, with settings written by ``setting(name, value)``."""
        where = ", ".join(part for part in (self.file, self.place) if part)
        what = self.problem if self.remedy is None else f"{self.problem}; {self.remedy}."
        text = f"{where}: {what}" if where else what
        return _REFERENCE.sub(lambda found: setting(found[1], found[2]), text)

    def __str__(self) -> str:
        return self.render()
