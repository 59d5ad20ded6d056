"""Data files in; models, checkpoints, ONNX and SQL out."""

from ..lazy import public_names

__all__, __getattr__, _ = public_names(__name__, __path__[0])
