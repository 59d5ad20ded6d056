"""Files that are there whole or not at all, whatever happens while they are written."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a file for bytes that takes the place of ``path`` when the block ends without an error.

    The bytes go to ``.NAME.part`` in the same folder, reach the disk, and then take the name in one
    step, so that after a crash or a power cut the old file or the new one is there. A ``.part``
    left by a killed process is overwritten by the next write. ``"-"`` is standard output, and what
    is not a regular file, such as a pipe or a terminal, is written to directly.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "notes") as file:
    ...         size = file.write(b"whole")
    ...     print(os.listdir(folder))
    ['notes']
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = None
    direct = mode is not None and not stat.S_ISREG(mode)
    part = target if direct else target.with_name(f".{target.name}.part")
    try:
        with open(part, "wb") as file:
            if mode is not None and not direct:
                os.chmod(part, stat.S_IMODE(mode))
            yield file
            file.flush()
            if not direct:
                os.fsync(file.fileno())
        if not direct:
            os.replace(part, target)
            _sync_folder(target.parent)
    except BaseException as error:
        if not direct:
            with suppress(OSError):
                part.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            error.filename = str(path)  # whose disk is full, for example
        raise


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut; not every system can, and none needs it to go on."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
