"""Line breaks inside quotes: which lines of a text belong together as one row."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from .lines import Lines, line_ends

MAX_LINES = 1000  # of one row; a quote that is not closed within so many is an ordinary character


class QuotedBreaks(NamedTuple):
    """Numbers (from 0) of the line breaks within quotes, and whether the last quote is not closed."""

    breaks: set[int]
    is_open: bool


@cache
def _patterns(delimiter: str) -> tuple[re.Pattern, re.Pattern, re.Pattern]:
    """Patterns of a quote that opens a cell, of a cell in quotes, and of one that the text ends within."""
    mark = re.escape(delimiter.encode())
    inside = rb'"[^"]*(?:""[^"]*)*'
    opening = re.compile(rb"(?:(?<=" + mark + rb')|(?<=\n)|\A)"')
    return opening, re.compile(inside + rb'"(?=' + mark + rb"|\r?\n|\Z)"), re.compile(inside + rb"\Z")


def find_quoted_breaks(text: bytes, delimiter: str) -> QuotedBreaks:
    """Find the line breaks within quotes; only lines with an odd number of quotes are parsed."""
    if b'"' not in text:
        return QuotedBreaks(set(), False)
    ends = line_ends(text)
    quotes = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 34)
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    counts = np.searchsorted(quotes, ends)
    if not (counts & 1).any():
        return QuotedBreaks(set(), False)
    return _follow_quotes(text, delimiter, ends.tolist(), counts.tolist())


def _follow_quotes(text: bytes, delimiter: str, ends: list[int], counts: list[int]) -> QuotedBreaks:
    """Parse the lines with an odd number of quotes.

    The unparsed part of line ``k`` starts at byte ``start``, after ``quotes_before`` quotes.
    """
    opening, closed, unfinished = _patterns(delimiter)
    inside: set[int] = set()
    k = start = quotes_before = 0
    while k < len(ends):
        found = opening.search(text, start, ends[k]) if (counts[k] - quotes_before) & 1 else None
        if found is None:
            k, start, quotes_before = k + 1, ends[k] + 1, counts[k]
            continue
        last = min(k + MAX_LINES, len(ends) - 1)
        cell = closed.match(text, found.end() - 1, ends[last] + 1)
        if cell is None:
            if last == len(ends) - 1 and unfinished.match(text, found.end() - 1):
                return QuotedBreaks(inside, True)
            quotes_before += text.count(b'"', start, found.end())
            start = found.end()  # the quote is an ordinary character
            continue
        quotes_before += text.count(b'"', start, cell.end())
        start = cell.end()
        while ends[k] < start:
            inside.add(k)
            k += 1
    return QuotedBreaks(inside, False)


def batches(lines: Lines, n_lines: int, delimiter: str) -> Iterator[tuple[bytes, int, set[int]]]:
    """Batches of ``n_lines`` lines, or more to complete a row, and their line breaks within quotes.

    Each text comes with the number of its first line.
    """
    while True:
        line = lines.line
        text = lines.take(n_lines)
        if not text:
            return
        continued = find_quoted_breaks(text, delimiter)
        if continued.is_open and text.endswith(b"\n"):
            last = text.count(b"\n") - 1
            continued = find_quoted_breaks(text + lines.peek(MAX_LINES), delimiter)
            n_more = 0
            while last + n_more in continued.breaks:
                n_more += 1
            text += lines.take(n_more)
        yield text, line, {k for k in continued.breaks if k < lines.line - line}


def first_record(text: bytes, delimiter: str) -> bytes:
    """The first row of a text, which may go over several lines."""
    breaks = find_quoted_breaks(text, delimiter).breaks
    end = k = 0
    while (end := text.find(b"\n", end) + 1) and k in breaks:
        k += 1
    return text[:end] if end else text
