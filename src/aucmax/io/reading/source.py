"""Where rows come from: paths, addresses, standard input and open files, decompressed; and their format."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ...validation.errors import DataError

HEAD = 1 << 16  # bytes looked at to tell the format

FORMATS = ("libsvm", "csv", "tsv", "parquet", "arrow")
_EXTENSIONS = {
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_COMPRESSED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_MARKUP = (b"{", b"[", b"<")  # JSON and HTML have commas too
_PAIR = re.compile(rb"^\s*([^\s:]+\s+)?(qid:\S*\s+)?\d+:")


def failure(name: str, place: str, what: str, advice: str) -> DataError:
    """The error for ``what`` is wrong at a place (such as ``line 7``) of the input called ``name``."""
    return DataError(what, remedy=advice, file=name, place=place)


def quoted(text: bytes | str) -> str:
    """A piece of the input as it can stand in a message."""
    shown = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")


def need(module: str, task: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f'{task} needs the package {package}; run: pip install "aucmax[cli]" {package}'
        ) from error


class Source:
    """Bytes of one input, decompressed: its name for messages, its first bytes, and the rest on demand."""

    def __init__(self, file: BinaryIO, path: Any, live: bool = False) -> None:
        self.path = path
        self.name = _name(path)
        self.format = ""
        # What comes through a pipe is handed on as it comes, not once a whole block is full.
        self._next = getattr(file, "read1", file.read) if live else file.read
        self._file = file
        self.head = self._first_lines() if live else file.read(HEAD)
        self._unread = self.head

    def _first_lines(self) -> bytes:
        head = b""
        while b"\n" not in head and len(head) < HEAD and (more := self._next(HEAD)):
            head += more
        return head

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` further bytes, all by default; none at the end."""
        if not self._unread:
            return self._next(size) if size >= 0 else self._file.read()
        if size < 0:
            return self._take(len(self._unread)) + self._file.read()
        return self._take(size)

    def _take(self, size: int) -> bytes:
        taken, self._unread = self._unread[:size], self._unread[size:]
        return taken

    def skip(self, size: int) -> None:
        """Pass over the next ``size`` bytes."""
        left = size - len(self._take(size))
        if left and self._file.seekable():
            self._file.seek(left - 1, io.SEEK_CUR)
            left = 1 - len(self._file.read(1))
        while left and (block := self._file.read(min(left, HEAD))):
            left -= len(block)
        if left:
            raise failure(self.name, "", "it ends before the point to go on from", "give the whole file")

    def seekable(self) -> BinaryIO:
        """A file for readers that jump about: the input itself from its beginning, or a copy in memory."""
        if self._file.seekable() and not isinstance(self._file, (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile)):
            self._file.seek(0)
            return self._file
        return io.BytesIO(self.read())


@contextmanager
def opened(path: Any, format: str | None = None) -> Iterator[Source]:
    """Open a path, an address, ``"-"`` for standard input or a binary file; trouble becomes a DataError."""
    name = _name(path)
    with ExitStack() as stack:
        try:
            file, live = _open(path, stack)
            source = Source(_decompressed(file, stack), path, live)
            source.format = detect(source, format)
            yield source
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise failure(
                name, "", f"cannot be read ({reason})", "check the path and that the file is whole"
            ) from error


def _name(path: Any) -> str:
    if isinstance(path, (str, Path)):
        return "standard input" if str(path) == "-" else str(path)
    return str(getattr(path, "name", "the input"))


def reopens(path: Any) -> bool:
    """Whether the input can be read a second time."""
    return isinstance(path, (str, Path)) and str(path) != "-" and (_remote(path) or Path(path).is_file())


def _remote(path: Any) -> bool:
    return isinstance(path, str) and "://" in path


def _open(path: Any, stack: ExitStack) -> tuple[Any, bool]:
    if hasattr(path, "read"):
        return path, False
    if not isinstance(path, (str, Path)):
        raise TypeError(f"path must be a string, a Path or a binary file; got {path!r}.")
    if str(path) == "-":
        return getattr(sys.stdin, "buffer", sys.stdin), True
    if _remote(path):
        fsspec = need("fsspec", f"Reading {path}")
        try:
            return stack.enter_context(fsspec.open(path, "rb")), False
        except (ValueError, ImportError) as error:
            raise failure(str(path), "", f"cannot be opened ({error})", "check the address") from error
    try:
        return stack.enter_context(Path(path).open("rb")), False
    except ValueError as error:  # a NUL in the name
        raise failure(repr(path), "", f"cannot be opened ({error})", "check the path") from error


def _decompressed(file: Any, stack: ExitStack) -> Any:
    """The file itself or, if its first bytes are those of gzip, bzip2 or xz, what it holds."""
    if hasattr(file, "peek"):
        start = file.peek(6)[:6]
    else:
        start = file.read(6)
        file.seek(0)
    for magic, opener in _COMPRESSED.items():
        if start.startswith(magic):
            return stack.enter_context(opener(file, "rb"))
    return file


def detect(source: Source, format: str | None) -> str:
    """The format as given, or told by the first bytes, the extension or the first line."""
    if format is not None:
        if format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)} or None; got {format!r}.")
        return format
    for magic, known in _BINARY.items():
        if source.head.startswith(magic):
            return known
    stem, extension = os.path.splitext(source.name.lower())
    if extension in (".gz", ".bz2", ".xz"):
        extension = os.path.splitext(stem)[1]
    return _EXTENSIONS.get(extension) or _sniffed(source)


def _sniffed(source: Source) -> str:
    for line in source.head.splitlines():
        text = line.partition(b"#")[0].strip()
        if not text:
            continue
        if _PAIR.match(text) or re.fullmatch(rb"[+-]?[0-9.]+", text):
            return "libsvm"
        if b"\t" in text:
            return "tsv"
        if (b"," in text or b";" in text) and text[:1] not in _MARKUP:
            return "csv"
        break
    if not source.head.strip():
        raise failure(source.name, "", "it is empty", "give a file with rows")
    raise failure(source.name, "", "its format cannot be told", f"give format= one of {', '.join(FORMATS)}")
