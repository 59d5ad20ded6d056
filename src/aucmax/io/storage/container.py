"""The file format of models and checkpoints: a JSON header and raw arrays under one checksum.

8 bytes   magic number
4 bytes   version of the format        (all numbers little-endian)
8 bytes   size of the whole file
8 bytes   size of the header
header    JSON in UTF-8; its entry "arrays" lists the type, shape and order of each array
arrays    one after the other, little-endian
32 bytes  SHA-256 of everything before

Why not npz: it has no checksum of the whole file and no version, a cut-off npz fails with a message about
zip archives, and its reader accepts pickles unless told otherwise. Files of 0.1.0 have this format.
"""

import hashlib
import json
import math
import os
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...validation.errors import DataError
from .atomic import atomic_write

MAGIC = b"\x89AUCMAX\n"
FORMAT = 1
_PRELUDE = struct.Struct("<8sIQQ")
_OTHER, _COPY = "give a file that aucmax has written", "use another copy of it"  # what to do
_DIGEST_SIZE = hashlib.sha256().digest_size
_DTYPE = re.compile(r"\|b1|[|<]i1|[|<]u1|<[iu][248]|<f[248]|<U\d{1,7}")

# Errors that decoding can raise if the checksum is right but the content was not written by aucmax.
_DECODING_ERRORS = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


class ModelFileError(DataError):
    """A file that is not a complete and valid model or checkpoint."""


def write(path: str | os.PathLike, header: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write a header and its arrays atomically; the same content gives the same bytes."""
    table = [_layout(array) for array in arrays]
    text = json.dumps(header | {"arrays": table}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    encoded = text.encode()
    blobs = [
        array.astype(dtype, copy=False).tobytes(order)
        for array, (dtype, _, order) in zip(arrays, table, strict=True)
    ]
    size = _PRELUDE.size + len(encoded) + sum(map(len, blobs)) + _DIGEST_SIZE
    digest = hashlib.sha256()
    with atomic_write(path) as file:
        for part in (_PRELUDE.pack(MAGIC, FORMAT, size, len(encoded)), encoded, *blobs):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def read(path: str | os.PathLike) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read a header and its arrays, or raise a ModelFileError that says what is wrong with the file."""
    if str(path) == "-":
        return _parse("standard input", sys.stdin.buffer)
    with open(path, "rb") as file:
        return _parse(Path(path).name, file)


@contextmanager
def decoding(name: str | os.PathLike) -> Iterator[None]:
    """Raise a ModelFileError if the checksum is right but this version cannot decode the content."""
    try:
        yield
    except _DECODING_ERRORS as error:
        problem = f"it is complete, but this aucmax cannot read it: {error}"
        raise ModelFileError(problem, remedy=_OTHER, file=Path(name).name) from error


def _parse(name: str, file: BinaryIO) -> tuple[dict[str, Any], list[np.ndarray]]:
    prelude = file.read(_PRELUDE.size)
    size, header_size = _check_prelude(name, prelude)
    body = memoryview(file.read())
    found = _PRELUDE.size + len(body)
    if found < size:
        raise ModelFileError(f"it is cut off: it has {found} of its {size} bytes", remedy=_COPY, file=name)
    digest = hashlib.sha256(prelude)
    digest.update(body[:-_DIGEST_SIZE])
    if found > size or digest.digest() != body[-_DIGEST_SIZE:]:
        raise ModelFileError("it is damaged: its checksum does not match", remedy=_COPY, file=name)
    with decoding(name):
        header = json.loads(bytes(body[:header_size]))
        return header, _arrays(header["arrays"], body[header_size:-_DIGEST_SIZE])


def _check_prelude(name: str, prelude: bytes) -> tuple[int, int]:
    """``(size of the file, size of the header)``, after a check of all that precedes the header."""
    if not prelude:
        raise ModelFileError("it is empty", remedy=_OTHER, file=name)
    if not prelude.startswith(MAGIC[: len(prelude)]):
        raise ModelFileError("it is not a model or checkpoint of aucmax", remedy=_OTHER, file=name)
    if len(prelude) < _PRELUDE.size:
        raise ModelFileError(f"it is cut off: it has only {len(prelude)} bytes", remedy=_COPY, file=name)
    _, version, size, header_size = _PRELUDE.unpack(prelude)
    if version > FORMAT:
        problem = f"it was written by a newer aucmax, in format {version}, and this one reads up to {FORMAT}"
        raise ModelFileError(problem, remedy="upgrade aucmax", file=name)
    if version < 1 or _PRELUDE.size + header_size + _DIGEST_SIZE > size:
        raise ModelFileError("it is damaged: its first bytes are invalid", remedy=_COPY, file=name)
    return size, header_size


def _layout(array: np.ndarray) -> tuple[str, list[int], Any]:
    """Type, shape and order of an array, as the header lists them."""
    dtype = array.dtype.newbyteorder("<").str
    fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    return dtype, list(array.shape), "F" if fortran else "C"


def _arrays(table: list, blobs: memoryview) -> list[np.ndarray]:
    arrays, start = [], 0
    for name, shape, order in table:
        sizes_valid = all(type(size) is int and size >= 0 for size in shape)
        if not _DTYPE.fullmatch(name) or order not in ("C", "F") or not sizes_valid:
            raise ValueError(f"an array cannot have the type {name!r} and the shape {shape!r}")
        dtype = np.dtype(name)
        stop = start + math.prod(shape) * dtype.itemsize
        if stop > len(blobs):
            raise ValueError("an array is larger than the file")
        array = np.frombuffer(blobs[start:stop], dtype).reshape(shape, order=order)
        arrays.append(array.astype(dtype.newbyteorder("="), order=order))  # a copy: writable and aligned
        start = stop
    if start != len(blobs):
        raise ValueError("some bytes belong to no array")
    return arrays
