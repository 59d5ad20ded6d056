"""Errors and warnings about the columns of a table, and parts of messages."""

from collections import Counter, defaultdict
from collections.abc import Callable

from ...validation.errors import DataError, SettingWarning, as_argument, format_settings

MOST_SHOWN = 3  # columns or values named in a warning
LONGEST_LABEL = 200  # characters; a longer text is a mistake


class MissingValue(DataError):
    """A value is missing in a row, and no option says how to fill it."""


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


class UnseenLevels:
    """Counts the rows whose text is none of the values that training saw."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, column: str, level: str, count: int) -> None:
        """Add rows of a column with that value."""
        self._counts[column][level] += count

    def warn(self) -> None:
        """Warn of what was counted, if anything was."""
        if not self._counts:
            return
        parts = []
        for column, levels in self._counts.items():
            common = [quoted(level) for level, _ in levels.most_common(MOST_SHOWN)]
            more = ", ..." if len(levels) > MOST_SHOWN else ""
            rows = f"{levels.total():,} row{'s' if levels.total() > 1 else ''}"
            parts.append(f"{rows} of column {quoted(column)} ({', '.join(common)}{more})")
        from ...validation.columns import warn_caller  # imports SciPy

        listed = ", ".join(parts[:MOST_SHOWN]) + (", ..." if len(parts) > MOST_SHOWN else "")
        remedy = "they are scored as rare values are, or by the other columns alone"
        warn_caller(TableWarning(f"values that the training data do not have: {listed}", remedy))
