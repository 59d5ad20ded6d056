"""What training in memory and on a stream have in common: the job, its result, and sentences about it."""

import time
from typing import Any, NamedTuple

from ..io.columns.encoding import TableEncoding
from ..io.columns.options import ReadOptions
from .data import DataPath, file_name
from .rendering import pluralize


class TrainingJob(NamedTuple):
    """The data and the settings of a training."""

    data: DataPath
    reading: ReadOptions
    loss: str = "auto"  # auto: chosen by cross-validation, or the squared hinge on a stream
    l2: float | None = None  # None: chosen by cross-validation, or 0 on a stream
    seed: int = 0
    positive: str | None = None
    test: str | None = None
    max_fpr: float | None = None  # choose and evaluate by partial AUC
    test_size: float | None = None  # share of the rows that is held out for the test
    curves: bool = False  # try a spline for each numeric column


class TrainedModel(NamedTuple):
    """A model, the report of its training, the options to read data for it, and the seconds of each part.

    ``stored`` goes into the model file with the report, but is not printed.
    """

    model: Any
    result: dict[str, Any]
    reading: ReadOptions
    seconds: dict[str, float]
    stored: dict[str, Any] | None = None


def describe_training(
    job: TrainingJob, model: Any, loss: str, l2: float, rows: int, positives: int, skipped: int
) -> dict[str, Any]:
    """The part of the report that training in memory and on a stream have in common."""
    return {
        "estimator": type(model).__name__,
        "data": file_name(job.data),
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


def describe_columns(reading: ReadOptions) -> str | None:
    """What was done with texts, dates and missing values; None if all columns are complete numbers."""
    encoding = reading.encoding
    if encoding is None:
        return None
    parts = []
    texts = encoding.of_kind("text")
    dates, times = ([date for date in encoding.of_kind("date") if date.clock == clock] for clock in (0, 1))
    if texts and encoding.n_buckets:
        parts.append(f"{pluralize(len(texts), 'text column')} hashed to {encoding.n_buckets:,} features")
    elif texts:
        n_levels, n_rare = (sum(len(getattr(text, name)) for text in texts) for name in ("levels", "pooled"))
        rare = f", and rare values ({n_rare:,}) share one more in each column" if n_rare else ""
        levels = f"{pluralize(n_levels, 'feature')}, one for each value"
        parts.append(f"{pluralize(len(texts), 'text column')} became {levels}{rare}")
    if dates:
        hour = ", hour" if any("hour=" in level for date in dates for level in date.levels) else ""
        parts.append(f"{pluralize(len(dates), 'date')} as year, month, weekday{hour} and days")
    if times:
        parts.append(f"{pluralize(len(times), 'time')} of day as hours")
    parts += describe_missing(encoding, "0" if reading.missing == "zero" else "the mean")
    return "columns: " + "; ".join(parts) if parts else None


def describe_missing(encoding: TableEncoding, fill: str) -> list[str]:
    """What was done with missing values: numbers and dates are filled in, texts are not."""
    parts = []
    for kinds, noun, done in (
        (("number", "date"), "missing value", f"replaced by {fill}"),
        (("text",), "missing text", "left empty"),
    ):
        columns = encoding.of_kind(*kinds)
        n_missing = sum(column.n_missing for column in columns)
        n_flagged = sum(column.indicator for column in columns)
        flagged = f", and marked by a feature of {pluralize(n_flagged, 'column')}" if n_flagged else ""
        if n_missing and encoding.fills_missing:
            parts.append(f"{pluralize(n_missing, noun)} {done}{flagged}")
    return parts


def describe_curves(found: dict[str, Any]) -> str:
    """Whether curves or straight lines were chosen, and their AUC."""
    if not found["columns"]:
        return "curves: no column has enough values for one, so all are straight lines"
    scores = f"{found['curves']:.4f} against {found['straight']:.4f} of straight lines in cross-validation"
    if found["chosen"]:
        return f"curves of {pluralize(found['columns'], 'column')}: {scores}"
    return f"straight lines: curves were not better ({scores})"
