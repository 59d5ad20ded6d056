"""The command line: ``aucmax train``, ``predict``, ``evaluate``, ``compare``, ``inspect`` and ``demo``."""

from .app import main

__all__ = ["main"]
