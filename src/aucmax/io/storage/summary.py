"""Facts that are added to a model file after the training, such as a threshold."""

import os
from typing import Any

import numpy as np

from . import container
from .codec import decode, encode
from .models import read_kind


def add_to_summary(path: str | os.PathLike, entries: dict[str, Any]) -> None:
    """Write a model file anew, with more entries in its summary."""
    header, arrays = read_kind(path, "model")
    written: list[np.ndarray] = []  # all arrays anew: those of entries that are replaced must not stay
    with container.decoding(path):
        for key in ("parameters", "fitted", "summary"):
            value = decode(header[key], arrays)
            header[key] = encode(value | entries if key == "summary" else value, written)
    container.write(path, header, written)
