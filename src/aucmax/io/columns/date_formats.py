"""Dates as people write them, ``2024-12-31``, ``31.12.24``, ``12/31/2024 9:05 PM``, and times of day."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .number_formats import NEARLY_ALL, share

DATE = pa.timestamp("us")
_HALF_DAY = 43_200_000_000  # microseconds
_CLOCK = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?"
_TIME = rf"(?:[T ] ?{_CLOCK}(?: ?(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?))?)?$"
_TIME_ALONE = f"^{_CLOCK}$"
_YEAR_FIRST = rf"^[0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}{_TIME}"
_DAY, _MONTH = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_YEAR = "(?:[0-9]{4}|[0-9]{2})"
_DOTTED = rf"^{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}"  # the day is always first
_DAY_FIRST = rf"^{_DAY}(?:/{_MONTH}/|-{_MONTH}-){_YEAR}{_TIME}"
_MONTH_FIRST = rf"^{_MONTH}(?:/{_DAY}/|-{_DAY}-){_YEAR}{_TIME}"
DATE_FORMS = (_YEAR_FIRST, _DOTTED, _DAY_FIRST, _MONTH_FIRST, _TIME_ALONE)
_SLASHED = r"^([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4}|[0-9]{2}\b)"
# Steps that turn a date into ISO 8601; a year of two digits is one from 1930 to 2029, as in spreadsheets. A
# time without a date is on the first day of 1970.
_TO_ISO = (
    (r"^([0-9]{1,2}:)", r"1970-01-01 \1"),
    (r" ?[AaPp][Mm]", ""),
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
    """Whether nearly all values of a column are dates, with one order of day and month, or times of day."""
    clear = f"{_YEAR_FIRST}|{_DOTTED}"
    forms = (f"{clear}|{_DAY_FIRST}", f"{clear}|{_MONTH_FIRST}", _TIME_ALONE)
    return any(share(values, form) >= NEARLY_ALL for form in forms)


def find_day_first(columns: Iterable[Any]) -> bool | None:
    """Whether the day comes before the month in columns of dates with slashes; None if none shows it."""
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
    dates = _apply_am_pm(pa.array(_parse(encoded.dictionary, day_first), DATE), encoded.dictionary)
    found = dates.take(encoded.indices)
    bad = pc.and_(found.is_null(), encoded.indices.is_valid())
    return found, bad.to_numpy(zero_copy_only=False)


def _parse(texts: Any, day_first: bool | None) -> Any:
    """The date in each text, null where there is none."""
    by_slash = {None: _DOTTED, True: _DAY_FIRST, False: _MONTH_FIRST}[day_first]
    forms = (_YEAR_FIRST, _DOTTED, by_slash, _TIME_ALONE)
    iso = pc.if_else(pc.match_substring_regex(texts, "|".join(forms)), texts, None)
    slashed = r"\3-\2-\1" if day_first else r"\3-\1-\2"
    for pattern, replacement in ((_SLASHED, slashed), *_TO_ISO):
        iso = pc.replace_substring_regex(iso, pattern, replacement)
    try:
        return pc.cast(iso, DATE)
    except pa.ArrowInvalid:  # such as 30 February: look at each
        return [_date(text) for text in iso.to_pylist()]


def _apply_am_pm(dates: Any, texts: Any) -> Any:
    """Times with PM are in the afternoon; 12 AM is midnight."""
    afternoon = pc.match_substring_regex(texts, "[Pp][Mm]$")
    morning = pc.match_substring_regex(texts, "[Aa][Mm]$")
    if not pc.any(pc.or_(afternoon, morning)).as_py():
        return dates
    hour = pc.hour(dates)
    later = pc.and_(afternoon, pc.less(hour, 12)).cast(pa.int64())
    earlier = pc.and_(morning, pc.equal(hour, 12)).cast(pa.int64())
    shift = pc.multiply(pc.subtract(later, earlier), _HALF_DAY)
    return pc.add(dates, shift.cast(pa.duration("us")))


def _date(text: str | None) -> Any:
    try:
        return pa.scalar(text).cast(DATE).as_py()
    except pa.ArrowInvalid:
        return None
