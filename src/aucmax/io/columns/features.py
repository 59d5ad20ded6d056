"""Apply the encoding of a table: from filled numbers, days and texts to the columns of X."""

from collections import Counter, defaultdict
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from .curves import spline_columns
from .encoding import DATE_LEVELS, DATE_PARTS, REFERENCE_DAY, ColumnEncoding, TableEncoding

N_MONTHS, HOURS = 12, 24
MICROSECONDS = 3_600_000_000  # of an hour
Codes = tuple[np.ndarray, list[str]]
Matrix: TypeAlias = np.ndarray | sparse.csr_array


class FeatureMaker:
    """Makes the features of rows; ``unseen`` counts, by column, the texts that training did not see."""

    def __init__(self, encoding: TableEncoding) -> None:
        self.encoding = encoding
        self.unseen: dict[str, Counter[str]] = defaultdict(Counter)
        self._is_plain = not encoding.n_buckets and all(column.is_plain for column in encoding.columns)
        starts = np.cumsum([0, *(len(column.flags) for column in encoding.columns)])
        self._starts = dict(zip([column.name for column in encoding.columns], starts.tolist(), strict=False))
        self._n_flags = int(starts[-1])
        self._levels = {
            column.name: {level: k for k, level in enumerate(column.levels)} for column in encoding.columns
        }
        order = encoding.order
        self._order = None if order == sorted(order) else order

    def make(self, measured: np.ndarray, missing: np.ndarray | None, texts: list[Codes]) -> Matrix:
        """X of some rows: a dense array, or CSR if there are texts.

        ``measured`` has the numbers and the days of dates, with values in place of those that are missing;
        ``missing`` is the mask of these, None if there are none; ``texts`` are by ``dictionary_codes``.
        """
        if self._is_plain:
            X: Any = measured
        else:
            flags = self._flags(measured, missing, texts)
            X = self._measures(measured, missing)
            if flags is not None and texts:
                X = sparse.hstack([sparse.csr_array(X), flags], format="csr")
            elif flags is not None:
                X = np.hstack([X, flags.toarray()])
        return X if self._order is None else X[:, self._order]

    def _measures(self, measured: np.ndarray, missing: np.ndarray | None) -> np.ndarray:
        """The features that have any value."""
        columns = self.encoding.of_kind("number", "date")
        if all(column.kind == "number" and not column.knots for column in columns):
            return measured
        parts = []
        for k, column in enumerate(columns):
            values = measured[:, k]
            if column.kind == "date":
                parts += [calendar_years(values)] * column.year
                values = hours(values) if column.clock else _whole_days(values, missing, k)
            parts += [*spline_columns(values, column.knots).T] if column.knots else [values]
        return np.column_stack(parts)

    def _flags(
        self, measured: np.ndarray, missing: np.ndarray | None, texts: list[Codes]
    ) -> sparse.csr_array | None:
        """The features that are 0 or 1, and the hashed ones."""
        width = self._n_flags + self.encoding.n_buckets
        found: list[np.ndarray] = []
        for k, column in enumerate(self.encoding.of_kind("number", "date")):
            is_missing = None if missing is None else missing[:, k]
            if column.kind == "date":
                found += self._date_flags(column, measured[:, k], is_missing)
            if column.indicator and is_missing is not None:
                last = self._starts[column.name] + len(column.flags) - 1
                found.append(np.where(is_missing, last, -1))
        for column, (codes, distinct) in zip(self.encoding.of_kind("text"), texts, strict=True):
            found.append(self._text_flags(column, codes, distinct))
        if not found:
            return None if not width else sparse.csr_array((len(measured), width))
        return _indicators(np.stack(found, axis=1, dtype=np.int32), width)

    def _date_flags(
        self, column: ColumnEncoding, days: np.ndarray, is_missing: np.ndarray | None
    ) -> list[np.ndarray]:
        start, known = self._starts[column.name], self._levels[column.name]
        place = np.array([start + known[level] if level in known else -1 for level in DATE_LEVELS])
        found, first = [], 0
        for codes, levels in zip(date_codes(days), DATE_PARTS.values(), strict=True):
            ids = place[first + codes]
            found.append(ids if is_missing is None else np.where(is_missing, -1, ids))
            first += len(levels)
        return found

    def _text_flags(self, column: ColumnEncoding, codes: np.ndarray, distinct: list[str]) -> np.ndarray:
        if column.hashed:
            from sklearn.utils import murmurhash3_32

            hashes = [murmurhash3_32(f"{column.name}={value}".encode(), positive=True) for value in distinct]
            place = [self._n_flags + number % self.encoding.n_buckets for number in hashes]
            return np.array([*place, -1])[codes]  # code -1, a missing value, is the last one
        start, known = self._starts[column.name], self._levels[column.name]
        pool = start + len(known) if column.pooled else -1
        missing = start + len(column.flags) - 1 if column.indicator else -1
        place = [start + known[value] if value in known else pool for value in distinct]
        unknown = set(distinct).difference(known, column.pooled)
        if unknown:
            counts = np.bincount(codes[codes >= 0], minlength=len(distinct)).tolist()
            rows = {value: n for value, n in zip(distinct, counts, strict=True) if value in unknown}
            self.unseen[column.name].update(rows)
        return np.array([*place, missing])[codes]


def date_codes(days: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Month, weekday and hour of days since the reference, all counted from 0: see ``DATE_PARTS``."""
    dates = _dates(days)
    month = dates.astype("datetime64[M]").astype(np.int64) % N_MONTHS
    weekday = (dates.astype(np.int64) + 3) % 7  # the first day of 1970 was a Thursday
    moments = np.rint(days * (HOURS * MICROSECONDS)).astype(
        np.int64
    )  # an hour is no binary fraction of a day
    return month, weekday, moments // MICROSECONDS % HOURS


def calendar_years(days: np.ndarray) -> np.ndarray:
    """The years of days since the reference."""
    return _dates(days).astype("datetime64[Y]").astype(np.float64) + 1970.0


def hours(days: np.ndarray) -> np.ndarray:
    """The hours since midnight."""
    return HOURS * (days - np.floor(days))


def _whole_days(days: np.ndarray, missing: np.ndarray | None, k: int) -> np.ndarray:
    """Days without the time; the mean day in place of a missing date stays as it is."""
    return np.floor(days) if missing is None else np.where(missing[:, k], days, np.floor(days))


def _dates(days: np.ndarray) -> np.ndarray:
    return np.floor(days + REFERENCE_DAY).astype("datetime64[D]")


def _indicators(ids: np.ndarray, width: int) -> sparse.csr_array:
    """A matrix with a 1 in each column that a row of ``ids`` names; -1 is no column."""
    present = ids >= 0
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    matrix = sparse.csr_array((np.ones(indptr[-1]), ids[present], indptr), shape=(len(ids), width))
    matrix.sum_duplicates()
    return matrix
