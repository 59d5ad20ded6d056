"""The command line: train, predict, evaluate, compare, inspect, reproduce, demo."""

from .app import main

__all__ = ["main"]
