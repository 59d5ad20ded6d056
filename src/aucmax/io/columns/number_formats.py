"""Numbers as people write them: ``1.234,56 €``, ``12.5 %``, ``$1,234``; and the decimal mark of a file."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...validation.parameters import parse_number

NEARLY_ALL = 0.9  # of the values of a column must be of a kind; the others are taken for mistakes
_SPACE = "[ \u00a0\u202f]"
_CODES = "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|TRY|USD|ZAR"
_UNIT = rf"(?:[A-Z]{{0,2}}\p{{Sc}}|{_CODES}|kr|Kč|zł|Ft)"
_SIGN = "[+\u2212-]"
# A form has @ in place of the mark of thousands, and ~ in place of the decimal mark.
_DIGITS = rf"(?:[0-9]{{1,3}}(?:(?:@|['’]|{_SPACE})[0-9]{{3}})+|[0-9]+)"
_BODY = rf"(?:{_DIGITS}(?:~[0-9]*)?|~[0-9]+)(?:[eE][+-]?[0-9]+)?"
_START = rf"(?:{_SIGN}{_SPACE}?)?(?:{_UNIT}{_SPACE}?)?|{_UNIT}{_SPACE}?{_SIGN}"
_FORM = rf"^(?:{_START}){_BODY}{_SPACE}?(?:%|{_UNIT})?$"
# Only one reading: a decimal mark that cannot be one of thousands, or both marks.
_CLEAR = (
    r"^\P{N}*(?:0|[0-9]{4,}|[0-9]{1,3}(?:@[0-9]{3})+|)~[0-9]+|^\P{N}*[0-9]+~"
    r"(?:[0-9]{1,2}|[0-9]{4,})(?:[^0-9@~]|$)|^\P{N}*[0-9]{1,3}(?:@[0-9]{3}){2,}(?:[^0-9@]|$)"
)
OTHER_MARK = {".": ",", ",": "."}


def _with_marks(form: str, decimal: str) -> str:
    return form.replace("@", rf"\{OTHER_MARK[decimal]}").replace("~", rf"\{decimal}")


FORMS = {decimal: _with_marks(_FORM, decimal) for decimal in OTHER_MARK}
_CLEAR_FORMS = {decimal: _with_marks(_CLEAR, decimal) for decimal in OTHER_MARK}


def parse_plain(text: str, decimal: str, words: Mapping[str, float] = MappingProxyType({})) -> float | None:
    """A number without decoration, or the one that a word stands for; None if the text is neither."""
    if text in words:
        return words[text]
    return None if decimal == "," and "." in text else parse_number(text.replace(decimal, "."))


def share(values: Any, form: str) -> float:
    """Share of the values present, which are text without spaces around it, that have a form."""
    present = len(values) - values.null_count
    return pc.sum(pc.match_substring_regex(values, form)).as_py() / present if present else 0.0


def are_numbers(values: Any, decimal: str) -> bool:
    """Whether nearly all values of a column are numbers with this decimal mark."""
    return share(values, FORMS[decimal]) >= NEARLY_ALL


def find_decimal(columns: Iterable[Any]) -> str | None:
    """The decimal mark of most columns of text that show it clearly; None if no column does."""
    clear = dict.fromkeys(OTHER_MARK, 0)
    for values in columns:
        for decimal in OTHER_MARK:
            if are_numbers(values, decimal) and share(values, _CLEAR_FORMS[decimal]) > 0:
                clear[decimal] += 1
    best = max(clear, key=clear.__getitem__)
    return best if clear[best] else None


def are_partly_percent(values: Any) -> bool:
    """Whether some values have a percent sign and others, which are not 0, have none."""
    return share(values, "%") > 0.0 and share(values, r"%|^[+\p{Pd}]?[0.,]+$") < 1.0


def is_code(values: Any) -> bool:
    """Whether these are codes, such as postal codes, and not amounts.

    Codes are whole numbers of the same length, 3 digits or more, of which some begin with a zero.
    """
    texts = values.drop_null().to_pylist()
    is_whole = bool(texts) and all(text.isdecimal() for text in texts) and len(set(map(len, texts))) == 1
    return is_whole and len(texts[0]) >= 3 and any(text[0] == "0" for text in texts)


def to_numbers(values: Any, decimal: str) -> tuple[pa.Array, np.ndarray]:
    """Numbers in a column of text, and a mask of the values that are none."""
    values = pc.utf8_trim_whitespace(values)
    good = pc.match_substring_regex(values, FORMS[decimal])
    bare = pc.replace_substring_regex(pc.if_else(good, values, None), rf"%|{_UNIT}", "")
    bare = pc.replace_substring_regex(bare, rf"['’{OTHER_MARK[decimal]}]|{_SPACE}", "")
    bare = pc.replace_substring(pc.replace_substring(bare, decimal, "."), "\u2212", "-")
    numbers = pc.cast(pc.replace_substring_regex(bare, r"^\+", ""), pa.float64())
    return numbers, pc.fill_null(pc.invert(good), False).to_numpy(zero_copy_only=False)
