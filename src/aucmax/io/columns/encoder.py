"""Turn Arrow tables into X and y: skip or refuse bad rows, and apply the encoding of the columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from ...validation.errors import DataError
from .arrow_values import as_days, as_labels, as_numbers, as_text, dictionary_codes, is_missing
from .checks import Findings, RawColumns, check_columns
from .encoding import REFERENCE_DAY, TableEncoding
from .errors import LONGEST_LABEL, MissingValue, NoLabels, quoted
from .feature_names import SAME_COLUMNS
from .features import FeatureMaker, Matrix
from .learning import learn_encoding
from .options import ReadOptions
from .schema import Schema

_BLOCK = 1024  # rows copied at a time, so that they stay in the cache
_FILL = 'fill it in, for example with {missing="mean"}, or leave such rows out with {on_bad_rows="skip"}'
_CORRECT = 'correct it, or leave such rows out with {on_bad_rows="skip"}'
_FINITE = _CORRECT.replace(", or", ', read it as missing (in CSV: {na_values=["inf"]}), or')


class BadRows:
    """The rows of a table that cannot be used; the first one of each kind has an error."""

    def __init__(self, n_rows: int, place: Callable[[int], tuple[str, str]]) -> None:
        self._place = place
        self._mask = np.zeros(n_rows, dtype=bool)
        self._errors: list[tuple[int, DataError]] = []

    def add(self, mask: np.ndarray, problem: str, remedy: str = _CORRECT) -> None:
        """Add the rows where the mask is set."""
        self._add(mask, DataError(problem, remedy=remedy))

    def add_missing(self, mask: np.ndarray, column: str) -> None:
        """Add the rows where the value of a column is missing."""
        self._add(mask, MissingValue(f"a missing value in column {quoted(column)}", remedy=_FILL))

    def add_unlabelled(self, mask: np.ndarray, column: str) -> None:
        """Add the rows that have no label."""
        if len(mask) > 1 and mask.all():
            problem = f"none of the {len(mask):,} rows from here on has a label in {column}"
            self._add(mask, NoLabels(problem, remedy="give rows with labels, or another column as {label}"))
        else:
            self.add(mask, f"no label in {column}")

    def _add(self, mask: np.ndarray, error: DataError) -> None:
        if mask.any():
            row = int(np.argmax(mask))
            self._mask |= mask
            self._errors.append((row, error.located(*self._place(row))))

    def good_rows(self, skip: bool) -> np.ndarray | None:
        """A mask of the good rows, None if all are good; without ``skip``, raise the first error."""
        if not self._errors:
            return None
        if not skip:
            raise min(self._errors, key=lambda found: found[0])[1]
        return ~self._mask


class Encoder:
    """Turns tables with the columns of a schema into X and y; ``skipped`` counts the bad rows.

    The first table teaches the encoding if the schema has none. ``label_kind`` is how labels stored as text
    are read, see ``as_labels``; None if not known yet.
    """

    def __init__(self, schema: Schema, options: ReadOptions, label_kind: str | None = None) -> None:
        self.schema = schema
        self.options = options
        self.label_kind = label_kind
        self.skipped = 0
        self.ids: Any = None  # of the last rows
        self.findings = Findings({}, {})  # about the columns of the first rows of a stream
        self._maker: FeatureMaker | None = None
        n_measured = len(schema.numbers) + len(schema.dates)
        self._sums = np.zeros(n_measured)
        self._counts, self._gaps = np.zeros(n_measured), np.zeros(n_measured)
        # Without values from training, the means of the rows so far fill what is missing.
        learns = options.encoding is None and options.means is None and schema.encoding is not None
        self._fills_with_means = learns and options.missing != "zero"

    def state(self) -> dict[str, Any]:
        """What the next chunk depends on, as part of a position in the file."""
        sums = {"sums": self._sums, "counts": self._counts, "gaps": self._gaps}
        return {"labels": self.label_kind} | {name: values.tolist() for name, values in sums.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a position."""
        self.label_kind = state["labels"]
        self._sums, self._counts, self._gaps = (np.array(state[name]) for name in ("sums", "counts", "gaps"))

    @property
    def encoding(self) -> TableEncoding | None:
        """The encoding of the rows so far, to encode other rows alike."""
        found = self.schema.encoding
        return found.with_fills(self._means(), self._gaps) if found and self._fills_with_means else found

    def _means(self) -> np.ndarray:
        """The means of numbers and dates in the rows so far, 0 without values."""
        with np.errstate(over="ignore"):
            return np.nan_to_num(self._sums / np.maximum(self._counts, 1))

    def encode(
        self, table: pa.Table, place: Callable[[int], tuple[str, str]], y: np.ndarray | None = None
    ) -> tuple[Matrix, np.ndarray | None]:
        """X and y of a table; ``place`` says where a row is: file and line; ``y``: labels from elsewhere."""
        bad = BadRows(table.num_rows, place)
        y = self._labels(table, bad) if y is None else np.asarray(y)
        measured = self._measured(table, bad)
        texts = [as_text(table.column(column)) for column in self.schema.texts]
        if not self._fills_missing:
            for column, values in zip(self.schema.texts, texts, strict=True):
                bad.add_missing(is_missing(values), column)
        ids = None if self.schema.id is None else table.column(self.schema.id)
        kept = bad.good_rows(self.options.skip_bad_rows)
        if kept is not None:
            rows = pa.array(kept)
            measured, y = measured[kept], None if y is None else y[kept]
            texts = [values.filter(rows) for values in texts]
            ids = None if ids is None else ids.filter(rows)
        self.ids = ids
        self.skipped += table.num_rows - len(measured)
        return self._features(RawColumns(measured, [dictionary_codes(values) for values in texts], y)), y

    @property
    def _fills_missing(self) -> bool:
        known = self.schema.encoding
        return self.options.fills_missing if known is None else known.fills_missing

    def _measured(self, table: pa.Table, bad: BadRows) -> np.ndarray:
        """Numbers and days of dates, with NaN where they are missing."""
        names = [*self.schema.numbers, *self.schema.dates]
        columns = []
        for name in self.schema.numbers:
            values, no_numbers = as_numbers(table.column(name))
            if no_numbers is not None:
                bad.add(no_numbers, f"a text in column {quoted(name)} that is not a number")
            columns.append(values)
        for name in self.schema.dates:
            values, no_dates = as_days(table.column(name), self.options.day_first)
            if no_dates is not None:
                bad.add(no_dates, f"a value in column {quoted(name)} that is not a date")
            columns.append(values - REFERENCE_DAY)
        X = np.empty((table.num_rows, len(names)))
        for start in range(0, len(X), _BLOCK):
            for k, values in enumerate(columns):
                X[start : start + _BLOCK, k] = values[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # a NaN or an infinity would show in the sum
                return X
        for name, values in zip(names, columns, strict=True):
            bad.add(np.isinf(values), f"an infinite value in column {quoted(name)}", _FINITE)
            if not self._fills_missing:
                bad.add_missing(np.isnan(values), name)
        return X

    def _labels(self, table: pa.Table, bad: BadRows) -> np.ndarray | None:
        if self.schema.label is None:
            return None
        values = table.column(self.schema.label)
        column = f"column {quoted(self.schema.label)}"
        bad.add_unlabelled(is_missing(values), column)
        y, bad_labels, self.label_kind = as_labels(values, self.label_kind)
        problems = {None: "is not finite", "text": f"is longer than {LONGEST_LABEL} characters"}
        problem = problems.get(self.label_kind, "is not a finite number, but the first label is")
        bad.add(bad_labels, f"a label in {column} {problem}")
        return y

    def _features(self, raw: RawColumns) -> Matrix:
        """X of the good rows; the first ones teach the encoding if it is not known."""
        if self.schema.encoding is not None and self.options.check_columns and self._maker is None:
            self.findings = check_columns(self.schema, raw, whole_file=False)
        if self.schema.encoding is None:
            learnt = learn_encoding(self.schema, self.options, self._training_rows(raw))
            raw = raw.select(*self.schema.places_in(learnt))
            self._sums, self._counts, self._gaps = np.zeros((3, raw.measured.shape[1]))
            self.schema = self.schema.with_encoding(learnt)
        encoding = self.schema.encoding
        assert encoding is not None
        if self._maker is None:
            self._maker = FeatureMaker(encoding)
        missing = self._fill(raw.measured, encoding)
        X = self._maker.make(raw.measured, missing, raw.texts)
        expected = self.options.n_features
        if expected is not None and X.shape[1] != expected:
            problem = f"it has {X.shape[1]} features where {expected} are expected"
            raise DataError(problem, remedy=SAME_COLUMNS)
        return X

    def _training_rows(self, raw: RawColumns) -> RawColumns:
        """The rows that teach the encoding."""
        choose = self.options.training_rows
        return raw if choose is None or raw.y is None else raw.take(choose(raw.y))

    def warn_of_unseen_levels(self) -> None:
        """Warn of texts that the training data do not have."""
        if self._maker is not None and self.options.encoding is not None:
            self._maker.unseen.warn()

    def _fill(self, X: np.ndarray, encoding: TableEncoding) -> np.ndarray | None:
        """Replace missing values in place, and add the others to the sums that give the means."""
        missing, n_missing = None, 0
        with np.errstate(over="ignore", invalid="ignore"):
            sums = X.sum(axis=0)
            if encoding.fills_missing and np.isnan(sums).any():
                missing = np.isnan(X)
                X[missing] = 0.0
                sums, n_missing = X.sum(axis=0), missing.sum(axis=0)
            if self.options.encoding is None:
                self._sums += sums
                self._counts += len(X) - n_missing
                self._gaps += n_missing
        if missing is not None:
            fills: Any = [column.fill for column in encoding.of_kind("number", "date")]
            if self._fills_with_means:
                fills = self._means()
            X[missing] = np.broadcast_to(fills, X.shape)[missing]
        return missing
