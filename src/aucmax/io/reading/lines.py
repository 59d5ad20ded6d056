"""Text by whole lines, with the byte and the line where each piece starts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .source import Source, failure

BLOCK = 1 << 20
LONGEST = 1 << 28  # bytes; a longer "line" is no text


class Lines:
    """Whole lines of a source, a given number or about a given size at a time."""

    def __init__(self, source: Source) -> None:
        self.byte = 0
        self.line = 1
        self._source = source
        self._block = b""
        self._ends: np.ndarray = np.empty(0, dtype=np.intp)  # of the lines of the block
        self._at = self._k = 0  # the next byte and the next line of the block

    def take(self, n_lines: int) -> bytes:
        """The next lines, fewer at the end, none after it."""
        parts = []
        left, size = n_lines, 0
        while left:
            n_here = min(left, len(self._ends) - self._k)
            end = int(self._ends[self._k + n_here - 1]) if n_here == left else len(self._block)
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

    def look(self, n_lines: int) -> bytes:
        """The next lines, which stay the next ones."""
        byte, line = self.byte, self.line
        text = self.take(n_lines)
        self._load(text + self._block[self._at :])
        self.byte, self.line = byte, line
        return text

    def rest(self) -> bytes:
        """All that is left."""
        return self._block[self._at :] + self._source.read()

    def go(self, byte: int, line: int) -> None:
        """Pass over all before a place further on."""
        inside = self._at + byte - self.byte
        if inside <= len(self._block):
            self._at, self._k = inside, int(np.searchsorted(self._ends, inside, side="right"))
        else:
            self._source.skip(inside - len(self._block))
            self._load(b"")
        self.byte, self.line = byte, line

    def _read(self) -> bool:
        self._load(self._source.read(BLOCK))
        return bool(self._block)

    def _load(self, block: bytes) -> None:
        self._block, self._at, self._k = block, 0, 0
        self._ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == 10) + 1

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
