"""Data files in; models, checkpoints, ONNX and SQL out."""

from typing import TYPE_CHECKING

from ..validation.errors import DataError
from .reading.reader import Chunk, Chunks, Table, read, stream
from .storage.checkpoints import load_checkpoint, save_checkpoint
from .storage.models import load_model, save_model

if TYPE_CHECKING:
    from .columns.curves import column_curve
    from .columns.table_encoder import TableEncoder
    from .export.onnx import register_onnx, to_onnx
    from .export.sql import to_sql

_LATER = {  # they import scikit-learn, which a command that only scores does not need
    "TableEncoder": "columns.table_encoder",
    "column_curve": "columns.curves",
    "register_onnx": "export.onnx",
    "to_onnx": "export.onnx",
    "to_sql": "export.sql",
}

__all__ = [
    "Chunk",
    "Chunks",
    "DataError",
    "Table",
    "TableEncoder",
    "column_curve",
    "load_checkpoint",
    "load_model",
    "read",
    "register_onnx",
    "save_checkpoint",
    "save_model",
    "stream",
    "to_onnx",
    "to_sql",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LATER[name]}", __name__), name)
