"""Data files in, models and checkpoints out."""

from .checkpoints import load_checkpoint, save_checkpoint
from .models import load_model, save_model
from .options import Chunk, Chunks, Table
from .readers import read, stream
from .source import DataError

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
