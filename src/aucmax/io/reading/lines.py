"""Read text by whole lines, and keep count of bytes and lines."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...validation.errors import DataError
from .source import Source

BLOCK = 1 << 20
HEADER_AND_ROW = 2  # lines without which the columns of live data cannot be recognised
MAX_LINE = 1 << 28  # bytes; a file with a longer line is not text


class Lines:
    """The lines of a source; the next one starts at ``byte`` and has the number ``line``.

    If they are ``live``, those of a pipe are given out as they come.
    """

    def __init__(self, source: Source, live: bool = False) -> None:
        self._live = live
        self.byte = 0
        self.line = 1
        self._source = source
        self._block = b""
        self._ends: np.ndarray = np.empty(0, dtype=np.intp)  # of the lines of the block
        self._next_byte = self._next_line = 0  # within the block

    def batches(self, n_lines: int) -> Iterator[tuple[bytes, int]]:
        """All further lines, ``n_lines`` at a time, with the number of the first one."""
        line = self.line
        while text := self.take(n_lines):
            yield text, line
            line = self.line

    def take(self, n_lines: int, at_least: int = 1) -> bytes:
        """The next lines, fewer at the end, none after it; ``at_least`` so many if they are live."""
        parts = []
        left, size = n_lines, 0
        while left:
            n_here = min(left, len(self._ends) - self._next_line)
            end = int(self._ends[self._next_line + n_here - 1]) if n_here == left else len(self._block)
            parts.append(self._block[self._next_byte : end])
            size = size + len(parts[-1]) if n_here == 0 else 0
            if size > MAX_LINE:
                problem = f"the line is longer than {MAX_LINE:,} bytes"
                place = f"line {self.line + n_lines - left}"
                raise DataError(problem, remedy="check that this is a text file", place=place)
            self._next_byte, self._next_line = end, self._next_line + n_here
            left -= n_here
            enough = n_lines - left >= at_least and parts[-1][-1:] in b"\n"
            if self._live and enough and self._source.is_idle():
                break
            if left and not self._load(self._source.read(BLOCK)):
                break
        text = b"".join(parts)
        self.byte += len(text)
        self.line += n_lines - left + (bool(text) and not text.endswith(b"\n"))
        return text

    def peek(self, n_lines: int) -> bytes:
        """The next lines, which stay unread."""
        byte, line = self.byte, self.line
        text = self.take(n_lines, at_least=HEADER_AND_ROW)
        self._load(text + self._block[self._next_byte :])
        self.byte, self.line = byte, line
        return text

    def read_rest(self) -> bytes:
        """All further bytes."""
        return self._block[self._next_byte :] + self._source.read()

    def seek(self, byte: int, line: int) -> None:
        """Skip to a later line, given its first byte and its number."""
        inside = self._next_byte + byte - self.byte
        if inside <= len(self._block):
            self._next_byte = inside
            self._next_line = int(np.searchsorted(self._ends, inside, side="right"))
        else:
            self._source.skip(inside - len(self._block))
            self._load(b"")
        self.byte, self.line = byte, line

    def _load(self, block: bytes) -> bool:
        self._block, self._next_byte, self._next_line = block, 0, 0
        self._ends = line_ends(block) + 1
        return bool(block)

    def position(self) -> dict[str, Any]:
        """The start of the next line, as ``stream(start=...)`` takes it."""
        return {"byte": int(self.byte), "line": int(self.line)}


def line_ends(text: bytes) -> np.ndarray:
    """Where the line breaks of a text are."""
    return np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)


def blocks(source: Source, size: int) -> Iterator[tuple[bytes, int]]:
    """The whole text in blocks of about ``size`` bytes, cut at line ends, each with its first line number."""
    rest, line = b"", 1
    while block := source.read(size):
        end = block.rfind(b"\n") + 1
        if end:
            text = rest + block[:end]
            yield text, line
            line += text.count(b"\n")
            rest = block[end:]
        else:
            rest += block
    if rest:
        yield rest, line
