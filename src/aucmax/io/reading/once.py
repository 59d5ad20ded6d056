"""An input that can be read only once, such as a pipe, opened twice."""

import io
from collections import deque
from collections.abc import Callable
from typing import Any, BinaryIO

BUFFER = 1 << 16  # bytes


class OnceReadable:
    """Opens an input twice: what is read of it the first time is kept, and comes again the second time.

    ``open_input`` gives its file, and whether it is a pipe. Where the file can seek, nothing is kept.
    """

    def __init__(self, name: str, open_input: Callable[[], tuple[Any, bool]]) -> None:
        self.name = name
        self._open_input = open_input
        self._file: Any = None
        self._is_pipe = self._keeps = False
        self._kept: deque[bytes] = deque()

    def open(self) -> tuple[BinaryIO, bool]:
        """The input from its beginning, and whether it is a pipe; to close it does not end the input."""
        if self._file is None:
            self._file, self._is_pipe = self._open_input()
            self._start = self._file.tell() if self.can_seek() else 0
            self._keeps = not self.can_seek()
        else:
            self._keeps = False
            if self.can_seek():
                self.seek(self._start, io.SEEK_SET)
        return io.BufferedReader(_View(self), BUFFER), self._is_pipe

    def can_seek(self) -> bool:
        """Whether the input can seek by itself."""
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int) -> int:
        """Seek in the input."""
        return int(self._file.seek(offset, whence))

    def read(self, size: int) -> bytes:
        """The next bytes, kept or new, as soon as there are some; empty at the end."""
        if self._kept and not self._keeps:
            block = self._kept.popleft()
            if len(block) > size:
                self._kept.appendleft(block[size:])
            return block[:size]
        read: Any = getattr(self._file, "read1", self._file.read)
        block = read(size)
        if self._keeps:
            self._kept.append(block)
        return block


class _View(io.RawIOBase):
    """The input as a file of its own."""

    def __init__(self, source: OnceReadable) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._source.can_seek()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._source.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        block = self._source.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)
