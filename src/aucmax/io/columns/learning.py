"""Learn from all rows of a table how its columns become features."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ...validation.errors import DataError, list_first, warn_caller
from .checks import FREE_TEXT, Findings, RawColumns, check_columns, has_words
from .encoding import DATE_PARTS, OTHER, ColumnEncoding, TableEncoding
from .errors import MOST_SHOWN, TableWarning, quoted
from .feature_names import enough_means
from .features import calendar_years, date_codes
from .options import ReadOptions
from .schema import Schema, make_encoding

# A level, a month or missing values in fewer rows get no weight of their own, which would be noise: where one
# row in ten is positive, 9 rows of a level have no positive at all more often than one time in three.
MIN_ROWS = 10
FOLD = 64  # rows taken as one long row: NumPy needs an eighth of the time for a minimum over long rows
MIN_MISSING = 0.01  # share of missing values from which they get a feature: fewer cannot change the AUC much


def learn_encoding(schema: Schema, options: ReadOptions, raw: RawColumns) -> TableEncoding:
    """The encoding of a table, all rows of which are given; columns that are of no use have none."""
    findings = check_columns(schema, raw, whole_file=True) if options.check_columns else Findings({}, {})
    totals = ColumnTotals.of(raw.measured, *sum_columns(raw.measured))
    n_rows = len(raw.measured)
    fills = [0.0] * len(totals.sums) if options.missing == "zero" else totals.means.tolist()
    if options.means is not None and options.missing != "zero":
        fills[: len(schema.numbers)] = enough_means(options.means, len(schema.numbers))
    columns = []
    for k, name in enumerate([*schema.numbers, *schema.dates]):
        is_number = k < len(schema.numbers)
        column = ColumnEncoding(name, "number") if is_number else learn_date(name, raw.measured[:, k])
        indicator = options.missing == "auto" and is_often_missing(totals.gaps[k], n_rows)
        columns.append(column._replace(fill=fills[k], indicator=indicator, **totals.facts(k)))
    for name, (codes, distinct) in zip(schema.texts, raw.texts, strict=True):
        columns.append(learn_text(name, codes, distinct, options))
    for column in columns:
        rare_alone = column.kind == "text" and not (column.levels or column.hashed)
        if options.check_columns and rare_alone and column.name not in schema.named_features:
            reason = FREE_TEXT if has_words(list(column.pooled)) else f"no text occurs in {MIN_ROWS} rows"
            findings.useless.setdefault(column.name, reason)
    warn_of_equal_features(columns, schema.named_features)
    columns = [column for column in columns if column.name not in findings.useless]
    findings.warn()
    if not columns:
        raise DataError("no column is left that could be a feature", remedy="name some with {columns}")
    return make_encoding(columns, schema._replace(id=schema.id or findings.id), options)


def warn_of_equal_features(columns: list[ColumnEncoding], named: Collection[str]) -> None:
    """Warn of columns of text that options name although all rows would have the same feature."""
    same = [each for each in columns if each.name in named and each.flags == [f"{each.name}={OTHER}"]]
    if same:
        listed = list_first((quoted(column.name) for column in same), MOST_SHOWN)
        problem = f"columns: no text of {listed} occurs in {MIN_ROWS} rows, so all rows have the same feature"
        warn_caller(TableWarning(problem, "it ranks nothing, as an identifier does; leave it out"))


def sum_columns(measured: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Sums of the values of each column, and the mask of those that are missing, None if none is."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = measured.sum(axis=0)
        if not np.isnan(sums).any():
            return sums, None
        missing = np.isnan(measured)
        return np.where(missing, 0.0, measured).sum(axis=0), missing


class ColumnTotals(NamedTuple):
    """Of the numbers and dates of some rows, by column: sums, numbers of values and of gaps, and ranges."""

    sums: np.ndarray
    counts: np.ndarray
    gaps: np.ndarray
    lows: np.ndarray  # the largest float where there are no values, which JSON can have
    highs: np.ndarray

    @classmethod
    def of(cls, measured: np.ndarray, sums: np.ndarray, missing: np.ndarray | None) -> "ColumnTotals":
        """Of rows with the sums and the mask that ``sum_columns`` gives."""
        gaps = np.zeros(len(sums)) if missing is None else missing.sum(axis=0, dtype=np.float64)
        return cls(sums, len(measured) - gaps, gaps, *column_ranges(measured))

    @classmethod
    def of_none(cls, n_columns: int) -> "ColumnTotals":
        """Of no rows."""
        return cls.of(np.empty((0, n_columns)), np.zeros(n_columns), None)

    def add(self, other: "ColumnTotals") -> "ColumnTotals":
        """Of these rows and others."""
        with np.errstate(over="ignore", invalid="ignore"):
            added = [one + two for one, two in zip(self[:3], other[:3], strict=True)]
        ranges = np.minimum(self.lows, other.lows), np.maximum(self.highs, other.highs)
        return ColumnTotals(added[0], added[1], added[2], *ranges)

    @property
    def means(self) -> np.ndarray:
        """Means of columns, 0 where there are no values."""
        return np.nan_to_num(self.sums / np.maximum(self.counts, 1))

    def facts(self, k: int) -> dict[str, Any]:
        """What the encoding of a column keeps of its values."""
        n_known = int(self.counts[k])
        low, high = (float(self.lows[k]), float(self.highs[k])) if n_known else (0.0, 0.0)
        return {"n_missing": int(self.gaps[k]), "n_known": n_known, "low": low, "high": high}


def column_ranges(measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of each column; where there is none, the largest float and its negative."""
    end, width = np.finfo(np.float64).max, measured.shape[1]
    n_long = len(measured) // FOLD
    found = []
    for function, start in ((np.fmin, end), (np.fmax, -end)):  # they ignore NaN
        folded = function.reduce(measured[: n_long * FOLD].reshape(FOLD, n_long * width), axis=0)
        rows = np.concatenate([folded.reshape(n_long, width), measured[n_long * FOLD :]])
        found.append(function.reduce(rows, axis=0, initial=start))
    return found[0], found[1]


def is_often_missing(n_missing: int, n_rows: int) -> bool:
    """Whether missing values get a feature of their own."""
    return n_missing >= max(MIN_ROWS, MIN_MISSING * n_rows)


def learn_text(name: str, codes: np.ndarray, distinct: list[str], options: ReadOptions) -> ColumnEncoding:
    """The levels of a text; with ``categorical="auto"`` rare ones share a feature."""
    if options.categorical == "hash":
        return ColumnEncoding(name, "text", hashed=True)
    if options.categorical == "onehot":
        return ColumnEncoding(name, "text", levels=tuple(sorted(distinct)))
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    levels, rare = (
        [distinct[k] for k in np.flatnonzero(mask)] for mask in (counts >= MIN_ROWS, counts < MIN_ROWS)
    )
    n_missing = int(np.sum(codes < 0))
    indicator = options.missing == "auto" and is_often_missing(n_missing, len(codes))
    found = ColumnEncoding(name, "text", 0.0, indicator, tuple(sorted(levels)), tuple(sorted(rare)))
    return found._replace(n_missing=n_missing, n_known=len(codes) - n_missing)


def learn_date(name: str, days: np.ndarray) -> ColumnEncoding:
    """Which parts of a date differ between rows, and occur in enough of them."""
    column = ColumnEncoding(name, "date")
    known = days[~np.isnan(days)]
    levels: list[str] = []
    for codes, names in zip(date_codes(known), DATE_PARTS.values(), strict=True):
        counts = np.bincount(codes, minlength=len(names))
        if np.count_nonzero(counts) > 1:
            levels += [names[k] for k in np.flatnonzero(counts >= MIN_ROWS)]
    years, n_days = calendar_years(known), len(np.unique(np.floor(known)))
    clock = n_days == 1 and len(np.unique(known)) > 1
    return column._replace(levels=tuple(levels), year=len(np.unique(years)) > 1, clock=clock)
