"""Linear models that maximise AUC: exactly, or online in one pass."""

from .lazy import public_names

__version__ = "0.2.0"

__all__, __getattr__, __dir__ = public_names(__name__, __path__[0])
