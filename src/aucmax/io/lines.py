"""Text by whole lines, with the byte and the line where each piece starts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .source import Source, failure

BLOCK = 1 << 20
LONGEST = 1 << 28  # bytes; a longer "line" is no text


class Lines:
    """Whole lines of a source, a given number or about a given size at a time."""

    def __init__(self, source: Source, byte: int = 0, line: int = 1) -> None:
        self.byte = byte
        self.line = line
        self._source = source
        self._block = b""
        self._at = 0
        self._ends = np.empty(0, dtype=np.intp)
        self._k = 0
        if byte:
            source.skip(byte)

    def take(self, n_lines: int) -> bytes:
        """The next lines, fewer at the end, none after it."""
        parts = []
        left, size = n_lines, 0
        while left:
            n_here = min(left, len(self._ends) - self._k)
            end = self._ends[self._k + n_here - 1] if n_here else len(self._block)
            parts.append(self._block[self._at : end])
            size = size + len(parts[-1]) if n_here == 0 else 0
            if size > LONGEST:
                raise failure(self._source.name, f"line {self.line + n_lines - left}", *_ENDLESS)
            self._at, self._k = end, self._k + n_here
            left -= n_here
            if left and not self._read():
                break
        text = b"".join(parts)
        self.byte += len(text)
        self.line += n_lines - left + (bool(text) and not text.endswith(b"\n"))
        return text

    def _read(self) -> bool:
        self._block = self._source.read(BLOCK)
        self._at = self._k = 0
        self._ends = np.flatnonzero(np.frombuffer(self._block, dtype=np.uint8) == 10) + 1
        return bool(self._block)

    def position(self) -> dict[str, Any]:
        """Where the next line starts."""
        return {"byte": int(self.byte), "line": int(self.line)}


_ENDLESS = ("the line does not end", "give a text file, or its format")


def blocks(source: Source, size: int) -> Iterator[tuple[bytes, int]]:
    """All the text in blocks of about a size, each of whole lines, with the number of its first line."""
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
