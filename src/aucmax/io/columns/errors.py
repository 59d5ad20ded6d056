"""Errors and warnings about data files, and parts of messages."""

import re
from collections import Counter
from collections.abc import Callable

from ...validation.errors import (
    DataError,
    SettingWarning,
    as_argument,
    format_settings,
    list_first,
    warn_caller,
)

MOST_SHOWN = 3  # columns or values named in a warning
LONGEST_LABEL = 200  # characters; a longer text is a mistake
CORRECT_LINE = 'correct the line, or leave such rows out with {on_bad_rows="skip"}'
CORRECT_VALUE = CORRECT_LINE.replace(
    ", or", ", name such texts with {na_values} if they stand for a missing value, or"
)
_PLAIN_NAME = re.compile(r"\w[\w.-]*")  # needs no quotes in a shell


def correct_value_or_kind(column: str) -> str:
    """What to do about a text in a column that was taken for numbers or dates by its first rows."""
    value = f'=["{column}"]' if _PLAIN_NAME.fullmatch(column) else ""
    as_text = f", take the column as text with {{categorical_columns{value}}}, name"
    return CORRECT_VALUE.replace(", name", as_text)


class UnknownFormat(DataError):
    """The format of a file is not recognised."""


class FeatureZero(DataError):
    """LIBSVM text has a feature 0 although its features are counted from 1."""


class TooManyFeatures(DataError):
    """LIBSVM text has a feature beyond the number of features expected."""


class MissingValue(DataError):
    """A value is missing in a row, and no option says how to fill it."""


class UnknownLabel(DataError):
    """A label is none of those that rows may have."""


class NoLabels(DataError):
    """No row has a label."""


def quoted(text: bytes | str) -> str:
    """A piece of the input, shortened and quoted for a message."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")


class TableWarning(SettingWarning):
    """A warning of columns: a text, which may quote the data, and a template of what to do, if anything."""

    def __init__(self, problem: str, remedy: str | None) -> None:
        super().__init__(problem, remedy)
        self.problem, self.remedy = problem, remedy

    def render(self, format_setting: Callable[[str, str | None], str] = as_argument) -> str:
        """The message, with each setting of the remedy written by ``format_setting(name, value)``."""
        remedy = "" if self.remedy is None else f"; {format_settings(self.remedy, format_setting)}"
        return f"{self.problem}{remedy}."


def warn_of_unseen_levels(unseen: dict[str, Counter[str]]) -> None:
    """Warn of the texts that training did not see, given how many rows of each column have each."""
    parts = []
    for column, levels in unseen.items():
        common = list_first((quoted(level) for level, _ in levels.most_common()), MOST_SHOWN)
        rows = f"{levels.total():,} row{'s' if levels.total() > 1 else ''}"
        parts.append(f"{rows} of column {quoted(column)} ({common})")
    if parts:
        remedy = "they are scored as rare values are, or by the other columns alone"
        warn_caller(
            TableWarning(
                f"values that the training data do not have: {list_first(parts, MOST_SHOWN)}", remedy
            )
        )
