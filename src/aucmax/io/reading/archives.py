"""Zip archives: which members are data, and how to open one."""

import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...validation.errors import DataError
from .formats import has_known_extension

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # first bytes, also of an archive without files
_WORKBOOK = ("xl/workbook.xml", "content.xml", "xl/workbook.bin")  # of Excel and LibreOffice


class ZipMember(NamedTuple):
    """A file in a zip archive."""

    archive: str | Path
    name: str

    def __str__(self) -> str:
        return f"{self.archive}/{self.name}"


def zip_members(path: str | Path) -> list[ZipMember]:
    """The data files in an archive, in the order of their names; none if the file is no zip archive."""
    with open(path, "rb") as file:
        if file.read(4) not in ZIP:
            return []
    with _as_data_errors(path), zipfile.ZipFile(path) as archive:
        return [ZipMember(path, name) for name in _data_members(archive)]


def open_member(member: ZipMember, stack: ExitStack) -> Any:
    """Open a member of an archive."""
    with _as_data_errors(member):
        archive = stack.enter_context(zipfile.ZipFile(member.archive))
        return stack.enter_context(archive.open(member.name))


def open_only_member(file: Any, stack: ExitStack) -> Any:
    """The single data file of an archive that is not a path: a copy of it is held in memory."""
    with _as_data_errors(None):
        archive = stack.enter_context(zipfile.ZipFile(io.BytesIO(file.read())))
        names = _data_members(archive)
        if len(names) > 1:
            problem = f"it is a zip archive of {len(names)} files"
            raise DataError(problem, remedy="save it and give its path: all its files are then read as one")
        return stack.enter_context(archive.open(names[0]))


@contextmanager
def _as_data_errors(path: Any) -> Iterator[None]:
    """Turn what zipfile raises for damage, a password or an unknown compression into a DataError."""
    file = None if path is None else str(path)
    try:
        yield
    except DataError as error:
        raise error.located(file) from None
    except (zipfile.BadZipFile, RuntimeError, ValueError, LookupError, OverflowError, struct.error) as error:
        remedy = "check that the file is complete, or unpack it and give the files"
        raise DataError(f"cannot be unpacked ({error})", remedy=remedy, file=file) from error


def _data_members(archive: zipfile.ZipFile) -> list[str]:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if any(name in _WORKBOOK for name in names):
        raise DataError("it is a workbook of a spreadsheet", remedy="save the sheet as CSV")
    visible = [name for name in names if not any(part[0] in "._" for part in name.split("/") if part)]
    found = sorted(name for name in visible if has_known_extension(name)) or sorted(visible)
    if not found:
        raise DataError("it is a zip archive without files", remedy="give a file with rows")
    return found
