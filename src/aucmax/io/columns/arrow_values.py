"""Columns of an Arrow table as NumPy arrays: numbers, text and labels."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ...validation.errors import DataError
from ...validation.parameters import parse_number
from .date_formats import to_dates
from .errors import LONGEST_LABEL

MICROSECONDS_PER_DAY = 86_400e6


def column_kind(dtype: pa.DataType) -> str:
    """``number``, ``text`` or ``date`` (a day, a point in time, a time of day); else the type's name."""
    types, value = pa.types, dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    if types.is_string(value) or types.is_large_string(value) or types.is_string_view(value):
        return "text"
    if types.is_date(value) or types.is_timestamp(value) or types.is_time(value):
        return "date"
    number_types = (types.is_integer, types.is_floating, types.is_decimal, types.is_duration)
    tests = (*number_types, types.is_boolean, types.is_null)
    return "number" if any(test(value) for test in tests) else str(dtype)


def as_text(values: Any, nulls: Sequence[str] = ()) -> Any:
    """Text without the spaces around it, which are ignored as they are around numbers.

    The texts in ``nulls`` are missing values.
    """
    texts = pyarrow.compute.utf8_trim_whitespace(values.cast(pa.string()))
    if not nulls:
        return texts
    is_null = pyarrow.compute.is_in(texts, pa.array(nulls))
    return pyarrow.compute.if_else(is_null, None, texts) if pyarrow.compute.any(is_null).as_py() else texts


def as_floats(values: Any) -> np.ndarray:
    """Numbers as float64, durations in seconds, NaN where they are missing."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_duration(values.type):
        return as_floats(values.cast(pa.duration("us"), safe=False).cast(pa.int64())) / 1e6
    return values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def as_numbers(values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Numbers as float64, and a mask of the texts that are no numbers; None if the column is not text."""
    is_text = column_kind(values.type) == "text"
    return parse_texts(as_text(values), parse_number) if is_text else (as_floats(values), None)


def parse_texts(values: Any, parse: Callable[[str], float | None]) -> tuple[np.ndarray, np.ndarray]:
    """The number in each text, NaN where there is none, and a mask of the texts that are no numbers."""
    codes, distinct = dictionary_codes(values)
    parsed = [*map(parse, distinct), np.nan]  # code -1, a missing text, is the last one
    numbers = np.array([np.nan if number is None else number for number in parsed])
    return numbers[codes], np.array([number is None for number in parsed])[codes]


def as_days(values: Any, day_first: bool | None = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Days since 1970, NaN where missing, and a mask of what is no date; None if all are dates.

    The time of day is the fraction of a day; a time without a date is on the first day of 1970. Text may have
    any form that ``to_dates`` knows.
    """
    kind, bad = column_kind(values.type), None
    if kind == "number":  # a column without any value, or numbers where dates are expected
        return np.full(len(values), np.nan), ~is_missing(values)
    if kind == "text":
        values, bad = to_dates(as_text(values), day_first)
    elif pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    dtype = pa.time64("us") if pa.types.is_time(values.type) else pa.timestamp("us")
    microseconds = values.cast(dtype, safe=False).cast(pa.int64()).cast(pa.float64(), safe=False)
    return microseconds.to_numpy(zero_copy_only=False) / MICROSECONDS_PER_DAY, bad


def is_missing(values: Any) -> np.ndarray:
    """A mask of the missing values."""
    return values.is_null().to_numpy(zero_copy_only=False)


def dictionary_codes(values: Any) -> tuple[np.ndarray, list[str]]:
    """``(codes, distinct)``: each row's index into the list of distinct values, -1 where it is missing."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary.to_pylist()


def as_labels(values: Any, kind: str | None) -> tuple[np.ndarray, np.ndarray, str | None]:
    """``(labels, mask of the bad ones, kind)``.

    ``kind`` is None for labels that are stored as numbers; labels in text are of the kind of the first one:
    ``integer``, ``number`` or ``text``.
    """
    if pa.types.is_boolean(values.type):
        return values.fill_null(False).to_numpy(), np.zeros(len(values), dtype=bool), None
    if column_kind(values.type) != "text":
        numbers = as_floats(values)
        y = values.fill_null(0).to_numpy() if pa.types.is_integer(values.type) else numbers
        return y, ~np.isfinite(numbers) & ~is_missing(values), None
    codes, distinct = dictionary_codes(as_text(values))
    distinct = [*distinct, ""]  # code -1, a missing label, is the last one
    present = codes[codes >= 0]
    if kind is None and len(present):
        first = distinct[present[0]]
        number = parse_number(first)
        is_whole = number is not None and "." not in first and number.is_integer()
        kind = "text" if number is None or np.isnan(number) else "integer" if is_whole else "number"
    if kind == "text":
        too_long = np.array([len(text) > LONGEST_LABEL for text in distinct])
        texts = np.array([text[:LONGEST_LABEL] for text in distinct], dtype=np.str_)
        return texts[codes], too_long[codes], kind
    parsed = map(parse_number, distinct)
    numbers = np.array([np.nan if number is None else number for number in parsed])
    bad = ~np.isfinite(numbers)
    good = numbers[~bad]
    if kind == "integer" and (np.abs(good) < 2**53).all() and (good % 1 == 0).all():
        numbers = np.where(bad, 0, numbers).astype(np.int64)
    return numbers[codes], bad[codes] & ~is_missing(values), kind


@contextmanager
def pyarrow_errors(remedy: str = "check that the file is complete") -> Iterator[None]:
    """Turn the errors of pyarrow about a damaged file into a DataError."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DataError(f"cannot be read ({reason})", remedy=remedy) from error
