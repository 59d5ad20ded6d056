"""Dates as people write them: ``2024-12-31``, ``31.12.24``, ``12/31/2024 9:05``."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .number_formats import MOST, share

DATE = pa.timestamp("us")
_TIME = (
    r"(?:[T ] ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?))?)?$"
)
_YEAR_FIRST = rf"^[0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}{_TIME}"
_DAY, _MONTH = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_YEAR = "(?:[0-9]{4}|[0-9]{2})"
_DOTTED = rf"^{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}"  # the day is always first
_DAY_FIRST = rf"^{_DAY}(?:/{_MONTH}/|-{_MONTH}-){_YEAR}{_TIME}"
_MONTH_FIRST = rf"^{_MONTH}(?:/{_DAY}/|-{_DAY}-){_YEAR}{_TIME}"
DATE_FORMS = (_YEAR_FIRST, _DOTTED, _DAY_FIRST, _MONTH_FIRST)
_SLASHED = r"^([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4}|[0-9]{2}\b)"
# Steps that turn a date into ISO 8601; a year of two digits is one from 1930 to 2029, as in spreadsheets.
_TO_ISO = (
    (r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}|[0-9]{2}\b)", r"\3-\2-\1"),
    (r"^([0-9]{4})[/.]([0-9]{1,2})[/.]", r"\1-\2-"),
    (r"^([0-2][0-9])-", r"20\1-"),
    (r"^([3-9][0-9])-", r"19\1-"),
    (r"-([0-9])-", r"-0\1-"),
    (r"-([0-9])($|[T ])", r"-0\1\2"),
    (r"[T ] ?([0-9]{1,2}:)", r" \1"),
    (r" ([0-9]):", r" 0\1:"),
    (r"(:[0-9]{2})[.,]([0-9]{1,6})[0-9]*", r"\1.\2"),
    (r"(:[0-9.]+) ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$", r"\1"),  # the time as it is written, in any zone
)


def are_dates(values: Any) -> bool:
    """Whether nearly all values of a column of text are dates, with one order of day and month in slashes."""
    clear = f"{_YEAR_FIRST}|{_DOTTED}"
    return any(share(values, f"{clear}|{slashed}") >= MOST for slashed in (_DAY_FIRST, _MONTH_FIRST))


def find_day_first(columns: Iterable[Any]) -> bool | None:
    """Whether the day comes before the month in columns of dates with slashes; None if none tells."""
    for values in columns:
        day_first, month_first = share(values, _DAY_FIRST), share(values, _MONTH_FIRST)
        if day_first != month_first:
            return day_first > month_first
    return None


def to_dates(values: Any, day_first: bool | None) -> tuple[pa.Array, np.ndarray]:
    """Points in time in a column of text, and a mask of the values that are none.

    Where ``day_first`` is None, dates in which the month or the day comes first are none.
    """
    encoded = pc.utf8_trim_whitespace(values).combine_chunks().dictionary_encode()
    dates = pa.array(_parse(encoded.dictionary, day_first), DATE)
    found = dates.take(encoded.indices)
    bad = pc.and_(found.is_null(), encoded.indices.is_valid())
    return found, bad.to_numpy(zero_copy_only=False)


def _parse(texts: Any, day_first: bool | None) -> Any:
    """The date in each text, null where there is none."""
    forms = [_YEAR_FIRST, _DOTTED, {None: _DOTTED, True: _DAY_FIRST, False: _MONTH_FIRST}[day_first]]
    iso = pc.if_else(pc.match_substring_regex(texts, "|".join(forms)), texts, None)
    slashed = r"\3-\2-\1" if day_first else r"\3-\1-\2"
    for pattern, replacement in ((_SLASHED, slashed), *_TO_ISO):
        iso = pc.replace_substring_regex(iso, pattern, replacement)
    try:
        return pc.cast(iso, DATE)
    except pa.ArrowInvalid:  # such as 30 February: look at each
        return [_date(text) for text in iso.to_pylist()]


def _date(text: str | None) -> Any:
    try:
        return pa.scalar(text).cast(DATE).as_py()
    except pa.ArrowInvalid:
        return None
