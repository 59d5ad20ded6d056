"""Write a file completely or not at all, even if the process is killed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a binary file that replaces ``path`` when the block ends without an error.

    The bytes go to ``.NAME.part`` in the same folder, are synchronised to disk, and are then renamed in
    one step: after a crash or a power cut either the old or the new file exists. The next write
    overwrites a ``.part`` file that a killed process left. ``"-"`` is standard output; pipes, terminals
    and other special files are written to directly.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _name_in_errors(path, target), open(target, "wb") as file:
            yield file
        return
    part = target.with_name(f".{target.name}.part")
    with _name_in_errors(path, part):
        try:
            with open(part, "wb") as file:
                with suppress(FileNotFoundError):  # keep the permissions of the file that is replaced
                    part.chmod(target.stat().st_mode & 0o7777)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    with suppress(OSError):  # write the new directory entry to disk, on file systems that support it
        handle = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _name_in_errors(path: str | os.PathLike, written: Path) -> Iterator[None]:
    """Put the name that the user gave, not that of the ``.part`` file, into errors such as "disk full"."""
    try:
        yield
    except OSError as error:
        if error.filename in (None, str(written)):
            error.filename = str(path)
        raise
