"""Columns of new data that have no values, or values of another size than in training, as by another unit."""

import numpy as np

from ...validation.errors import list_first, warn_caller
from .checks import MIN_CHECKED, RawColumns
from .encoding import ColumnEncoding, TableEncoding
from .errors import MOST_SHOWN, TableWarning, quoted
from .learning import column_ranges

# A column without any value is named if most training rows had one, and if there are so many rows for the
# share of training rows that had none: the rows of a customer may all lack what one customer in ten lacks.
ROWS_FOR_MISSING_SHARE = 2000
# A value is far from those of training if it is outside their range and so many times larger or smaller than
# their mean: prices rise, time goes on, and a customer may differ from all others, but by less.
FACTOR = 10.0
MOST = 0.5  # share of the values that have to be far


class NewData:
    """Counts, by column, the values of rows that are encoded as training rows were."""

    def __init__(self, encoding: TableEncoding) -> None:
        self._measured = encoding.of_kind("number", "date")
        self._texts = encoding.of_kind("text")
        self._sizes = np.array([usual_sizes(column) for column in self._measured]).reshape(-1, 2)
        self._n_rows = 0
        self._n_known = np.zeros(len(encoding.columns), dtype=np.int64)
        self._n_far = np.zeros(len(self._measured), dtype=np.int64)
        self._low, self._high = column_ranges(np.empty((0, len(self._measured))))

    def add(self, raw: RawColumns) -> None:
        """Count the values of further rows; missing ones are NaN."""
        low, high = column_ranges(raw.measured)
        self._n_rows += len(raw.measured)
        texts = [np.count_nonzero(codes >= 0) for codes, _ in raw.texts]
        missing = np.isnan(raw.measured)
        gaps = missing.sum(axis=0) if missing.any() else np.zeros(len(low), dtype=np.int64)
        self._n_known += [*(len(missing) - gaps), *texts]
        for k, column in enumerate(self._measured):
            if low[k] < column.low or high[k] > column.high:
                sizes, (least, most) = np.abs(raw.measured[:, k]), self._sizes[k]
                self._n_far[k] += np.count_nonzero((sizes < least) | (sizes > most))
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)

    def warn(self) -> None:
        """Warn of columns without values, and of those with values far from those of training."""
        columns = [*self._measured, *self._texts]
        empty = [
            f"{quoted(column.name)} ({100 * (1 - missing_share(column)):.3g} % of the training rows had one)"
            for column, n_known in zip(columns, self._n_known.tolist(), strict=True)
            if n_known == 0 and is_suspicious_gap(column, self._n_rows)
        ]
        if empty:
            problem = (
                f"none of the {self._n_rows:,} rows has a value in column {list_first(empty, MOST_SHOWN)}"
            )
            remedy = "the scores do without it; check where the data come from"
            warn_caller(TableWarning(problem, remedy))
        far = [
            f"{quoted(column.name)} ({n_far:,} of {n_known:,} values; {low:.4g} to {high:.4g} here, "
            f"{column.low:.4g} to {column.high:.4g} in training)"
            for column, n_far, n_known, low, high in zip(
                self._measured, self._n_far, self._n_known, self._low, self._high, strict=False
            )
            if n_known >= MIN_CHECKED and n_far > MOST * n_known
        ]
        if far:
            problem = f"values far from those of the training rows in column {list_first(far, MOST_SHOWN)}"
            remedy = "their scores are guesses; check that the unit is the same"
            warn_caller(TableWarning(problem, remedy))


def usual_sizes(column: ColumnEncoding) -> tuple[float, float]:
    """Between which sizes a value is not far from those of training; all sizes where that is not known."""
    sizes, mean = (abs(column.low), abs(column.high)), abs(column.fill)
    if column.kind == "date" or not column.n_known:
        return 0.0, np.inf
    if column.low < 0.0 < column.high:  # the mean may be near 0
        return 0.0, FACTOR * max(sizes)
    if not mean:  # missing values are replaced by 0
        return 0.0, np.inf
    return min(*sizes, mean / FACTOR), max(*sizes, mean * FACTOR)


def missing_share(column: ColumnEncoding) -> float:
    """Share of the training rows without a value."""
    return column.n_missing / max(column.n_missing + column.n_known, 1)


def is_suspicious_gap(column: ColumnEncoding, n_rows: int) -> bool:
    """Whether so many rows without any value are a mistake rather than chance."""
    share = missing_share(column)
    is_usually_known = column.n_known > column.n_missing
    return is_usually_known and n_rows >= max(MIN_CHECKED, ROWS_FOR_MISSING_SHARE * share)
