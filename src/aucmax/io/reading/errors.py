"""Errors about data files that have another remedy on the command line, and parts of messages."""

from ...validation.errors import DataError

CORRECT_LINE = 'correct the line, or leave such rows out with {on_bad_rows="skip"}'  # a remedy
LONGEST_LABEL = 200  # characters; a longer text is a mistake


class UnknownFormat(DataError):
    """The format of a file is not recognised."""


class MissingValue(DataError):
    """A value is missing in a row, and no option says how to fill it."""


class FeatureZero(DataError):
    """LIBSVM text has a feature 0 although its features are counted from 1."""


class TooManyFeatures(DataError):
    """LIBSVM text has a feature beyond the number of features expected."""


def quoted(text: bytes | str) -> str:
    """A piece of the input, shortened and quoted for a message."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")
