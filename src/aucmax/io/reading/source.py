"""The decompressed bytes of an input: a path, a URL, standard input or an open file."""

import bz2
import gzip
import io
import lzma
import select
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ...validation.errors import DataError
from ...validation.optional import import_optional
from .archives import ZIP, ZipMember, open_member, open_only_member
from .formats import find_format
from .once import OnceReadable
from .transport import Utf8File, open_http

HEAD_BYTES = 1 << 16  # read to recognise the format
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
_DECOMPRESSORS = (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile, zipfile.ZipExtFile)


def _open_zstd(file: Any, mode: str) -> BinaryIO:
    pyarrow = import_optional("pyarrow", "Reading Zstandard files")
    return io.BufferedReader(
        pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd"), HEAD_BYTES
    )


# First bytes of compressed files, and the functions that open them.
COMPRESSED: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}


class Source:
    """The decompressed bytes of one input, its name for messages, its first bytes and its format."""

    def __init__(self, file: BinaryIO, path: Any, is_pipe: bool, format: str | None) -> None:
        self.path = path
        self.name = input_name(path)
        # A pipe is read as its data arrive: `read` would wait for a full block.
        self._read_next = getattr(file, "read1", file.read) if is_pipe else file.read
        self._file = file
        # For `is_idle`, which does not work for a decompressor: it may hold data that `select` does not see.
        raw = getattr(file, "raw", None)
        self._descriptor = raw.fileno() if is_pipe and isinstance(raw, io.FileIO) else None
        self.head = self._read_first_line() if is_pipe else file.read(HEAD_BYTES)
        self._unread = self.head
        self.format = find_format(format, self.name, self.head)

    def is_idle(self) -> bool:
        """Whether the next bytes of a pipe have not come yet; False where that is not known."""
        if self._descriptor is None or self._unread:
            return False
        return not select.select([self._descriptor], [], [], 0)[0]

    def _read_first_line(self) -> bytes:
        head = b""
        while b"\n" not in head and len(head) < HEAD_BYTES and (more := self._read_next(HEAD_BYTES)):
            head += more
        return head

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` further bytes, by default all; empty at the end."""
        if not self._unread:
            return self._read_next(size) if size >= 0 else self._file.read()
        if size < 0:
            return self._take_unread(len(self._unread)) + self._file.read()
        return self._take_unread(size)

    def _take_unread(self, size: int) -> bytes:
        taken, self._unread = self._unread[:size], self._unread[size:]
        return taken

    def skip(self, size: int) -> None:
        """Skip the next ``size`` bytes."""
        n_left = size - len(self._take_unread(size))
        if n_left and self._file.seekable():
            self._file.seek(n_left - 1, io.SEEK_CUR)
            n_left = 1 - len(self._file.read(1))
        while n_left and (block := self._file.read(min(n_left, HEAD_BYTES))):
            n_left -= len(block)
        if n_left:
            raise DataError("it ends before the position to resume from", remedy="give the complete file")

    def seekable(self) -> BinaryIO:
        """A file that can seek: the input itself from its beginning, or a copy in memory."""
        if self._file.seekable() and not isinstance(self._file, _DECOMPRESSORS):
            self._file.seek(0)
            return self._file
        return io.BytesIO(self.read())


@contextmanager
def open_source(path: Any, format: str | None = None) -> Iterator[Source]:
    """Open a path, a URL, a member of a zip archive, ``"-"`` for standard input or a binary file.

    Failures while it is open raise a DataError that names the input.
    """
    with ExitStack() as stack:
        try:
            file, is_pipe = _open(path, stack)
            yield Source(_decoded(file, stack), path, is_pipe, format)
        except DataError as error:
            error.located(input_name(path))
            raise
        except UnicodeDecodeError as error:  # a ValueError, so raised for text in UTF-16 only
            problem = f"it is not {error.encoding.upper()} text"
            raise DataError(problem, remedy="save it as UTF-8", file=input_name(path)) from error
        except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            remedy = "check the path and that the file is complete"
            raise DataError(f"cannot be read ({reason})", remedy=remedy, file=input_name(path)) from error


def input_name(path: Any) -> str:
    """The name of an input, for messages."""
    if isinstance(path, (str, Path, ZipMember)):
        return "standard input" if str(path) == "-" else str(path)
    return str(getattr(path, "name", "the input"))


def can_reopen(path: Any) -> bool:
    """Whether the input can be read a second time."""
    if isinstance(path, ZipMember):
        return True
    return isinstance(path, (str, Path)) and str(path) != "-" and (is_remote(path) or Path(path).is_file())


def readable_twice(path: Any, stack: ExitStack) -> Any:
    """The input, or for one that cannot be reopened what keeps its beginning until it is opened again."""
    return path if can_reopen(path) else OnceReadable(input_name(path), lambda: _open(path, stack))


def is_remote(path: Any) -> bool:
    """Whether this is a URL such as ``https://...`` or ``s3://...``."""
    return isinstance(path, str) and "://" in path


def _open(path: Any, stack: ExitStack) -> tuple[Any, bool]:
    if isinstance(path, OnceReadable):
        return path.open()
    if hasattr(path, "read"):
        return path, False
    if isinstance(path, ZipMember):
        return open_member(path, stack), False
    if not isinstance(path, (str, Path)):
        raise TypeError(f"path must be a string, a Path, a binary file or a list of them; got {path!r}.")
    if str(path) == "-":
        return _standard_input(), True
    if is_remote(path):
        return _open_remote(str(path), stack), False
    try:
        return stack.enter_context(Path(path).open("rb")), False
    except ValueError as error:  # a NUL in the name
        raise DataError(f"cannot be opened ({error})", remedy="check the path", file=repr(path)) from error


def _open_remote(url: str, stack: ExitStack) -> Any:
    """Open http and https URLs with the standard library, others with fsspec and its packages."""
    try:
        if url.lower().startswith(("http://", "https://")):
            return open_http(url, stack)
        fsspec = import_optional("fsspec", f"Reading {url}")
        return stack.enter_context(fsspec.open(url, "rb"))
    except (ValueError, ImportError) as error:
        raise DataError(f"cannot be opened ({error})", remedy="check the URL") from error


def _standard_input() -> Any:
    """Standard input as a file of its own: Python aborts at exit if a thread still waits in ``sys.stdin``."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (AttributeError, OSError, ValueError):  # replaced by an object without a descriptor
        return getattr(sys.stdin, "buffer", sys.stdin)


def _decoded(file: Any, stack: ExitStack) -> Any:
    """The file, decompressed if its first bytes say so, and converted to UTF-8 from UTF-16."""
    file, start = _peek(file)
    for magic, opener in COMPRESSED.items():
        if start.startswith(magic):
            file, start = _peek(stack.enter_context(opener(file, "rb")))
    if start.startswith(ZIP):
        file, start = _peek(open_only_member(file, stack))
    return io.BufferedReader(Utf8File(file, "utf-16"), HEAD_BYTES) if start[:2] in _UTF_16 else file


def _peek(file: Any) -> tuple[Any, bytes]:
    """The file, and its first bytes, which stay unread."""
    if hasattr(file, "peek"):
        return file, file.peek(6)[:6]
    start = file.read(6)
    file.seek(0)
    return file, start
