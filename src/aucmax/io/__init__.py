"""Data files in, models and checkpoints out."""

from .checkpoints import load_checkpoint, save_checkpoint
from .models import load_model, save_model

__all__ = ["load_checkpoint", "load_model", "save_checkpoint", "save_model"]
