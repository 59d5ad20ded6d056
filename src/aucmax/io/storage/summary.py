"""Facts that are added to a model file after the training, such as a threshold."""

import os
from typing import Any

from . import container
from .codec import decode, encode
from .models import read_kind


def add_to_summary(path: str | os.PathLike, entries: dict[str, Any]) -> None:
    """Write a model file anew, with more entries in its summary."""
    header, arrays = read_kind(path, "model")
    with container.decoding(path):
        header["summary"] = encode(decode(header["summary"], arrays) | entries, arrays)
    container.write(path, header, arrays)
