"""Adapters to other libraries: rows as dicts, one at a time, for river."""

from .river import RiverAUC

__all__ = ["RiverAUC"]
