"""How delimited text is written: its encoding, delimiter, title lines and header."""

import re
from collections import Counter
from typing import NamedTuple

from ...validation.errors import DataError
from ...validation.parameters import parse_number
from ..columns.options import ReadOptions
from .csv_lines import split_line
from .lines import Lines
from .records import first_record

BOM = b"\xef\xbb\xbf"
LINES = 100  # from which the delimiter and the title lines are found
_DELIMITERS = "\t;|,"  # a comma last: it may be within numbers
_MIN_SHARE = 0.8  # of the lines have the same number of columns
_QUOTED = re.compile('"[^"]*"')
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # the first line, for Excel
_ENCODING = "cp1252"  # of Excel in Western Europe


class Dialect(NamedTuple):
    """How lines are decoded and divided into columns."""

    delimiter: str
    encoding: str  # "utf-8", or another one that is decoded chunk by chunk

    def decode(self, text: bytes) -> bytes:
        """The text as UTF-8."""
        return text if self.encoding == "utf-8" else text.decode(self.encoding, "replace").encode()

    def columns(self, line: str) -> list[str]:
        """The columns of a line, without spaces around them."""
        return [name.strip() for name in split_line(line, self.delimiter) or [line]]


def find_dialect(lines: Lines, delimiter: str | None, options: ReadOptions) -> Dialect:
    """Recognise the dialect, and skip what comes before the header or the first row."""
    lines.take(options.skip_lines or 0)
    start = lines.peek(LINES)
    encoding = find_encoding(start)
    first = start.partition(b"\n")[0].removeprefix(BOM).decode("utf-8", "backslashreplace")
    separator = _SEPARATOR_LINE.fullmatch(first.strip())
    if separator:
        lines.take(1)
        start = lines.peek(LINES)
        delimiter = delimiter or separator[1]
    known = _find_known_header(start.decode(encoding, "replace"), delimiter, options)
    if known is not None:
        lines.take(known[0])
        return Dialect(known[1], encoding)
    rows = _QUOTED.sub("", start.decode(encoding, "replace")).split("\n")
    rows = [row for row in rows if row.strip()]
    dialect = Dialect(delimiter or _find_delimiter(rows), encoding)
    _skip_to_first_row(lines, dialect, rows, titles=options.skip_lines is None)
    return dialect


def find_encoding(text: bytes) -> str:
    """UTF-8, or Windows-1252 if no character outside ASCII is UTF-8."""
    try:
        text.decode()
        return "utf-8"
    except UnicodeDecodeError:
        pass
    if b"\0" in text or any(ord(character) > 127 for character in text.decode("utf-8", "ignore")):
        return "utf-8"
    try:
        text.decode(_ENCODING)
        return _ENCODING
    except UnicodeDecodeError:
        return "utf-8"


def _find_known_header(text: str, delimiter: str | None, options: ReadOptions) -> tuple[int, str] | None:
    """The number and the delimiter of the first line with all columns of a model; None if no line has them.

    A file to be scored may have a single row, too few to tell a delimiter or a title by.
    """
    encoding = options.encoding
    if encoding is None or not encoding.columns or encoding.width is not None or options.header is False:
        return None
    needed = {column.name for column in encoding.columns}
    n_lines = LINES if options.skip_lines is None else 1
    for k, line in enumerate(text.split("\n")[:n_lines]):
        for each in delimiter or _DELIMITERS:
            if needed <= set(Dialect(each, "utf-8").columns(line.strip("\r"))):
                return k, each
    return None


def _find_delimiter(rows: list[str]) -> str:
    """The first delimiter that divides nearly all lines into the same number of columns."""
    for delimiter in _DELIMITERS:
        (count, share), *_ = Counter(row.count(delimiter) for row in rows).most_common(1) or [(0, 0)]
        if count and share >= _MIN_SHARE * len(rows):
            return delimiter
    return max(",;\t|", key=rows[0].count) if rows else ","


def _skip_to_first_row(lines: Lines, dialect: Dialect, rows: list[str], titles: bool) -> None:
    """Skip blank lines and lines of a single word or sentence above a table of several columns."""
    counts = Counter(row.count(dialect.delimiter) for row in rows)
    is_table = bool(counts) and counts.most_common(1)[0][0] > 0
    skipped = 0
    while first := first_record(lines.peek(LINES), dialect.delimiter):
        filled = [cell for cell in dialect.columns(header_text(first, dialect)) if cell]
        alone = filled[0] if titles and is_table and skipped < LINES and len(filled) == 1 else ""
        is_title = any(map(str.isalpha, alone)) and parse_number(alone) is None
        if filled and not is_title:
            return
        lines.take(max(first.count(b"\n"), 1))
        skipped += 1


def header_text(first: bytes, dialect: Dialect) -> str:
    """The first line as text; an error if it is not text or has no line feed."""
    text = dialect.decode(first).decode("utf-8", "backslashreplace").strip("\r\n")
    if "\0" in text:
        raise DataError("it is not UTF-8 text", remedy="save it as UTF-8")
    if "\r" in text and b"\n" not in first:
        raise DataError("its lines end in carriage returns alone", remedy="save it with line feeds")
    return text
