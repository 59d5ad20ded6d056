"""Columns of an Arrow table as NumPy arrays: numbers, text and labels."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from .lines import parse_number

LONGEST_LABEL = 200  # characters


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is text, plain or as a dictionary."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def kind_of(kind: pa.DataType) -> str:
    """``number`` or ``text``, or the name of an Arrow type that is neither."""
    types, value = pa.types, kind.value_type if pa.types.is_dictionary(kind) else kind
    if is_text(value):
        return "text"
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null)
    return "number" if any(test(value) for test in tests) else str(kind)


def as_text(values: Any) -> Any:
    """Text without the spaces around it, which are ignored as they are around numbers."""
    return pyarrow.compute.utf8_trim_whitespace(values.cast(pa.string()))


def as_floats(values: Any) -> np.ndarray:
    """Numbers as float64, NaN where they are missing."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def nulls(values: Any) -> np.ndarray:
    """A mask of the missing values."""
    return values.is_null().to_numpy(zero_copy_only=False)


def dictionary_codes(values: Any) -> tuple[np.ndarray, list[str]]:
    """The number of each row's value in a list of the distinct values, -1 where it is missing."""
    encoded = values.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary.to_pylist()


def as_labels(values: Any, kind: str | None) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Labels as an array, a mask of the bad ones, and the kind of labels that are stored as text.

    The first label gives the kind, ``integer``, ``number`` or ``text``, where it is not known yet.
    """
    if pa.types.is_boolean(values.type):
        return values.fill_null(False).to_numpy(), np.zeros(len(values), dtype=bool), None
    if not is_text(values.type):
        numbers = as_floats(values)
        y = values.fill_null(0).to_numpy() if pa.types.is_integer(values.type) else numbers
        return y, ~np.isfinite(numbers) & ~nulls(values), None
    codes, distinct = dictionary_codes(as_text(values))
    distinct = [*distinct, ""]  # code -1, a missing label, is the last one
    present = codes[codes >= 0]
    if kind is None and len(present):
        kind = _kind(distinct[present[0]])
    if kind == "text":
        too_long = np.array([len(text) > LONGEST_LABEL for text in distinct])
        texts = np.array([text[:LONGEST_LABEL] for text in distinct], dtype=np.str_)
        return texts[codes], too_long[codes], kind
    parsed = [parse_number(text) for text in distinct]
    numbers = np.array([np.nan if number is None else number for number in parsed])
    bad = ~np.isfinite(numbers)
    good = numbers[~bad]
    if kind == "integer" and (np.abs(good) < 2**53).all() and (good % 1 == 0).all():
        numbers = np.where(bad, 0, numbers).astype(np.int64)
    return numbers[codes], bad[codes] & ~nulls(values), kind


def _kind(text: str) -> str:
    number = parse_number(text)
    if number is None or np.isnan(number):
        return "text"
    return "integer" if "." not in text and number.is_integer() else "number"
