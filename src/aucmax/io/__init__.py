"""Data files in, models and checkpoints out."""

from ..validation.errors import DataError
from .reading.reader import Chunk, Chunks, Table, read, stream
from .storage.checkpoints import load_checkpoint, save_checkpoint
from .storage.models import load_model, save_model

__all__ = [
    "Chunk",
    "Chunks",
    "DataError",
    "Table",
    "load_checkpoint",
    "load_model",
    "read",
    "save_checkpoint",
    "save_model",
    "stream",
]
