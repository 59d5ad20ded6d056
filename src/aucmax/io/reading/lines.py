"""Read text by whole lines, and keep count of bytes and lines."""

import io
from collections.abc import Iterator
from itertools import islice
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
        self.byte = 0
        self.line = 1
        self._source, self._live = source, live
        self._block = io.BytesIO()  # bytes of the source, read but not taken yet

    def batches(self, n_lines: int) -> Iterator[tuple[bytes, int]]:
        """All further lines, ``n_lines`` at a time, with the number of the first one."""
        line = self.line
        while text := self.take(n_lines):
            yield text, line
            line = self.line

    def take(self, n_lines: int, at_least: int = 1) -> bytes:
        """The next lines, fewer at the end, none after it; ``at_least`` so many if they are live."""
        parts: list[bytes] = []
        n_taken, size, at_line_end = 0, 0, True  # size: of a line over several blocks
        while n_taken < n_lines:
            found = list(islice(self._block, n_lines - n_taken))
            parts += found
            at_line_end = not parts or parts[-1].endswith(b"\n")
            n_here = len(found) - (not at_line_end)
            n_taken += n_here
            size = 0 if at_line_end or n_here else size + len(parts[-1])
            if size > MAX_LINE:
                problem, place = f"the line is longer than {MAX_LINE:,} bytes", f"line {self.line + n_taken}"
                raise DataError(problem, remedy="check that this is a text file", place=place)
            if self._live and at_line_end and n_taken >= at_least and self._source.is_idle():
                break
            if n_taken < n_lines:
                block = self._source.read(BLOCK)
                if not block:
                    break
                self._block = io.BytesIO(block)
        text = b"".join(parts)
        self.byte += len(text)
        self.line += n_taken + (not at_line_end)
        return text

    def peek(self, n_lines: int) -> bytes:
        """The next lines, which stay unread."""
        byte, line = self.byte, self.line
        text = self.take(n_lines, at_least=HEADER_AND_ROW)
        self._block = io.BytesIO(text + self._block.read())
        self.byte, self.line = byte, line
        return text

    def read_rest(self) -> bytes:
        """All further bytes."""
        return self._block.read() + self._source.read()

    def seek(self, byte: int, line: int) -> None:
        """Skip to a later line, given its first byte and its number."""
        n_bytes = byte - self.byte
        self._source.skip(n_bytes - len(self._block.read(n_bytes)))
        self.byte, self.line = byte, line

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
