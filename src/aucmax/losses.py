"""Margin losses by name, and ``Loss``, the class to derive your own from."""

from .pairs.losses import LOSSES, Loss, get_loss, pair_value

__all__ = ["LOSSES", "Loss", "get_loss", "pair_value"]
