"""Errors about data files that a front end may have to tell apart: the command line gives other remedies."""

from typing import Any

from ...validation.errors import DataError


class UnknownFormat(DataError):
    """The format of a file is not recognised."""


class MissingValue(DataError):
    """A value is missing in a row, and no option says what to put in its place."""


class TextColumns(DataError):
    """Columns hold text, and no option says how to encode it; ``labelled``: a label column was named."""

    def __init__(self, problem: str, *, labelled: bool = False, **where: Any) -> None:
        super().__init__(problem, **where)
        self.labelled = labelled


class FeatureZero(DataError):
    """LIBSVM text has a feature 0 though it counts from 1; ``stated``: an option said that it does."""

    def __init__(self, problem: str, *, stated: bool = False, **where: Any) -> None:
        super().__init__(problem, **where)
        self.stated = stated


class TooManyFeatures(DataError):
    """LIBSVM text has a feature beyond the number of features expected."""

    def __init__(self, problem: str, *, expected: int = 0, found: int = 0, **where: Any) -> None:
        super().__init__(problem, **where)
        self.expected, self.found = expected, found


def quoted(text: bytes | str) -> str:
    """A piece of the input as it can stand in a message."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")
