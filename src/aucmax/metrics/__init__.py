"""Metrics: AUC, its confidence interval, partial AUC, the mean loss over pairs, and AUC of a stream."""

from .auc import auc
from .delong import AUCDifference, AUCInterval, auc_difference, auc_interval
from .pairs import pair_loss
from .partial import partial_auc
from .streaming import StreamingAUC

__all__ = [
    "AUCDifference",
    "AUCInterval",
    "StreamingAUC",
    "auc",
    "auc_difference",
    "auc_interval",
    "pair_loss",
    "partial_auc",
]
