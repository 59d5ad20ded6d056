"""Several files as one data set: lists, folders, patterns such as ``sales/*.csv``, and zip archives."""

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...validation.errors import DataError
from .archives import zip_members
from .formats import has_known_extension
from .source import Source, can_reopen, input_name, is_remote, open_source


def list_files(path: Any) -> list[Any]:
    """The files that an input stands for, in the order in which they are read."""
    if isinstance(path, (list, tuple)) and not hasattr(path, "archive"):
        if not path:
            raise DataError("the list of files is empty", remedy="give at least one file")
        return [file for each in path for file in list_files(each)]
    if not isinstance(path, (str, Path)) or str(path) == "-" or is_remote(path):
        return [path]
    try:
        if os.path.isdir(path) and str(path):
            return [file for each in _files_in_folder(path) for file in list_files(each)]
        if os.path.isfile(path):
            return list(zip_members(path)) or [path]
    except OSError as error:
        remedy = "check the path and that the file is complete"
        raise DataError(f"cannot be read ({error.strerror})", remedy=remedy, file=str(path)) from error
    if is_pattern(path):
        found = sorted(glob.glob(str(path), recursive=True))
        if not found:
            raise DataError("no file matches this pattern", remedy="check the path", file=str(path))
        return [file for each in found for file in list_files(each)]
    return [path]


def is_pattern(path: Any) -> bool:
    """Whether a path is a pattern such as ``sales/*.csv``, and not the name of a file."""
    return isinstance(path, (str, Path)) and glob.has_magic(str(path)) and not os.path.exists(path)


def _files_in_folder(folder: str | Path) -> list[Path]:
    """The data files in a folder and its folders; names with a leading dot or underscore do not count."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        found += [Path(parent, name) for name in names if name[0] not in "._"]
    data = sorted(path for path in found if has_known_extension(path.name) or path.suffix.lower() == ".zip")
    if not data:
        problem = "it is a folder without data files"
        raise DataError(problem, remedy="give the files themselves", file=str(folder))
    return data


class FileSet:
    """The files of a data set in order; the first is open already, as it may be a pipe."""

    def __init__(self, paths: list[Any], first: Source, format: str | None) -> None:
        self.paths = paths
        self.first = first
        self._format = format
        self._first_is_used = False

    def __len__(self) -> int:
        return len(self.paths)

    def name(self, k: int) -> str:
        """What messages call a file."""
        return input_name(self.paths[k])

    @contextmanager
    def open(self, k: int) -> Iterator[Source]:
        """A file, from its beginning. Errors while it is open name it."""
        if k == 0 and not self._first_is_used:
            self._first_is_used = True
            yield self.first
            return
        with open_source(self.paths[k], self._format) as source:
            if source.format.reader != self.first.format.reader:
                problem = f"it is {source.format.title}, but {self.first.name} is {self.first.format.title}"
                raise DataError(problem, remedy="give files of one kind")
            yield source

    def can_reopen(self) -> bool:
        """Whether all files can be read a second time."""
        return all(map(can_reopen, self.paths))


@contextmanager
def open_files(path: Any, format: str | None) -> Iterator[FileSet]:
    """Open the files that an input stands for."""
    paths = list_files(path)
    with open_source(paths[0], format) as first:
        yield FileSet(paths, first, format)
