"""Types and functions shared by training in memory and training on a stream."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from ..io.columns.options import ReadOptions
from .data import DataPath, data_name


class TrainingJob(NamedTuple):
    """The data and the settings of a training."""

    data: DataPath
    reading: ReadOptions
    loss: str  # "auto": found with the penalty, or the squared hinge on a stream
    l2: float | None  # None: chosen by cross-validation, or 0 on a stream
    seed: int
    positive: str | None
    test: str | None
    max_fpr: float | None = None  # judge by partial AUC
    test_size: float | None = None  # share of the rows that are kept for the test
    curves: bool = False  # try a spline for each number


class TrainedModel(NamedTuple):
    """A model, the report of its training, the options to read data for it, and the seconds of each part.

    ``kept`` and the texts of ``warnings`` are stored in the model file beside the report.
    """

    model: Any
    result: dict[str, Any]
    reading: ReadOptions
    seconds: dict[str, float]
    kept: dict[str, Any] | None = None
    warnings: list[str] | None = None


def describe_training(
    job: TrainingJob, model: Any, loss: str, l2: float, rows: int, positives: int, skipped: int
) -> dict[str, Any]:
    """The part of the report that every training has."""
    return {
        "estimator": type(model).__name__,
        "data": Path(data_name(job.data)).name,
        "rows": rows,
        "features": model.n_features_in_,
        "positives": positives,
        "skipped": skipped,
        "classes": model.classes_.tolist(),
        "loss": loss,
        "l2": l2,
    }


class Timer:
    """Seconds of each part of a command."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def record(self, part: str) -> None:
        """Add the time since the last call to a part."""
        now = time.perf_counter()
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self._last
        self._last = now
