"""Metrics: AUC and partial AUC with intervals, the top of the list, thresholds, pairs, streams."""

from .auc import auc
from .delong import AUCInterval
from .difference import AUCDifference, auc_difference
from .intervals import auc_interval, partial_auc_interval
from .operating import OperatingPoint, operating_point
from .pairs import pair_loss
from .partial import partial_auc
from .streaming import StreamingAUC
from .top import Rate, TopRates, TopTable, average_precision, top

__all__ = [
    "AUCDifference",
    "AUCInterval",
    "OperatingPoint",
    "Rate",
    "StreamingAUC",
    "TopRates",
    "TopTable",
    "auc",
    "auc_difference",
    "auc_interval",
    "average_precision",
    "operating_point",
    "pair_loss",
    "partial_auc",
    "partial_auc_interval",
    "top",
]
