"""The registry of file formats, and how the format of a file is recognised."""

import os
import re
from typing import NamedTuple

from ...validation.errors import DataError
from ..columns.errors import UnknownFormat


class Format(NamedTuple):
    """A format: how it is recognised and which class reads it."""

    name: str
    title: str
    reader: str  # module and class of a Reader; loaded on demand, since each needs other libraries
    extensions: tuple[str, ...]
    magic: tuple[bytes, ...] = ()  # first bytes


_ALL = (
    Format("libsvm", "LIBSVM text", "libsvm:LibsvmReader", (".svm", ".libsvm", ".svmlight")),
    Format("csv", "CSV", "csv:CSVReader", (".csv",)),
    Format("tsv", "TSV", "csv:CSVReader", (".tsv", ".tab")),
    Format("parquet", "Parquet", "arrow:ArrowReader", (".parquet", ".pq"), (b"PAR1",)),
    Format("arrow", "Arrow", "arrow:ArrowReader", (".arrow", ".feather"), (b"ARROW1", b"\xff\xff\xff\xff")),
)
FORMATS = {format.name: format for format in _ALL}
_EXTENSIONS = {extension: format for format in _ALL for extension in format.extensions}
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_MARKUP = (b"{", b"[", b"<")  # JSON and HTML have commas too
_PAIR = re.compile(rb"^\s*([^\s:]+\s+)?(qid:\S*\s+)?\d+:")


def find_format(requested: str | None, name: str, head: bytes) -> Format:
    """The requested format, or the one recognised by first bytes, extension or first line."""
    if requested is not None:
        if requested not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)} or None; got {requested!r}.")
        return FORMATS[requested]
    for format in _ALL:
        if format.magic and head.startswith(format.magic):
            return format
    return _EXTENSIONS.get(_extension(name)) or FORMATS[_guess_text_format(head)]


def has_known_extension(name: str) -> bool:
    """Whether the name of a file ends as those of data files do."""
    return _extension(name) in _EXTENSIONS


def _extension(name: str) -> str:
    """How the name of a file or an address ends, without the extension of compression."""
    name = name.lower().partition("?")[0] if "://" in name else name.lower()
    stem, extension = os.path.splitext(name)
    return os.path.splitext(stem)[1] if extension in _PACKED else extension


def _guess_text_format(head: bytes) -> str:
    for line in head.splitlines():
        text = line.partition(b"#")[0].strip()
        if not text:
            continue
        if _PAIR.match(text) or re.fullmatch(rb"[+-]?[0-9.]+", text):
            return "libsvm"
        if b"\t" in text:
            return "tsv"
        if any(delimiter in text for delimiter in (b",", b";", b"|")) and text[:1] not in _MARKUP:
            return "csv"
        break
    if not head.strip():
        raise DataError("it is empty", remedy="give a file with rows")
    remedy = f"give {{format}} as one of {', '.join(FORMATS)}"
    raise UnknownFormat("its format is not recognised", remedy=remedy)
