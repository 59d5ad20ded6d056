"""Say in a sentence how the columns of a table became features."""

from ..io.columns.options import ReadOptions
from .rendering import pluralize


def describe_columns(reading: ReadOptions) -> str | None:
    """What was done with texts, dates and missing values; None if all columns are complete numbers."""
    encoding = reading.encoding
    if encoding is None:
        return None
    parts = []
    texts = encoding.of_kind("text")
    dates, clocks = ([date for date in encoding.of_kind("date") if date.clock == clock] for clock in (0, 1))
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
    if clocks:
        parts.append(f"{pluralize(len(clocks), 'time')} of day as hours")
    n_missing = sum(column.n_missing for column in encoding.columns)
    n_flagged = sum(column.indicator for column in encoding.columns)
    if n_missing and encoding.fills_missing:
        fill = "0" if reading.missing == "zero" else "the mean"
        flagged = f", and marked by a feature of {pluralize(n_flagged, 'column')}" if n_flagged else ""
        parts.append(f"{pluralize(n_missing, 'missing value')} replaced by {fill}{flagged}")
    return "columns: " + "; ".join(parts) if parts else None
