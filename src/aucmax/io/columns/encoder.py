"""Turn Arrow tables into X and y: skip or refuse bad rows, and apply the encoding of the columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from ...validation.errors import DataError
from ...validation.labels import known_labels, list_labels
from .arrow_values import as_days, as_labels, as_numbers, as_text, dictionary_codes, is_missing
from .checks import Findings, RawColumns, check_columns
from .encoding import REFERENCE_DAY, TableEncoding
from .errors import LONGEST_LABEL, MissingValue, NoLabels, UnknownLabel, quoted, warn_of_unseen_levels
from .feature_names import SAME_COLUMNS
from .features import FeatureMaker, Matrix
from .learning import ColumnTotals, learn_encoding, sum_columns
from .new_data import NewData
from .options import ReadOptions
from .schema import Schema

STATE = ("labels", "texts", *ColumnTotals._fields)  # what `Encoder.state` has
_BLOCK = 1024  # rows copied at a time, so that they stay in the cache
_FILL = 'fill it in, for example with {missing="mean"}, or leave such rows out with {on_bad_rows="skip"}'
_CORRECT = 'correct it, or leave such rows out with {on_bad_rows="skip"}'
_FINITE = _CORRECT.replace(", or", ', read it as missing (in CSV: {na_values=["inf"]}), or')


class BadRows:
    """The rows of a table that cannot be used; the first one of each kind has an error."""

    def __init__(self, n_rows: int, place: Callable[[int], tuple[str, str]]) -> None:
        self.mask = np.zeros(n_rows, dtype=bool)
        self._place = place
        self._errors: list[tuple[int, DataError]] = []

    def add(
        self,
        mask: np.ndarray | None,
        problem: str,
        remedy: str = _CORRECT,
        error: type[DataError] = DataError,
    ) -> None:
        """Add the rows where the mask is set, none if it is None."""
        if mask is not None and mask.any():
            row = int(np.argmax(mask))
            self.mask |= mask
            self._errors.append((row, error(problem, remedy=remedy).located(*self._place(row))))

    def add_missing(self, mask: np.ndarray, column: str) -> None:
        """Add the rows where the value of a column is missing."""
        self.add(mask, f"a missing value in column {quoted(column)}", _FILL, MissingValue)

    def first_error(self) -> DataError:
        """The error of the first bad row."""
        return min(self._errors, key=lambda found: found[0])[1]


class Encoder:
    """Turns tables with the columns of a schema into X and y; ``skipped`` counts the bad rows.

    If the schema has no encoding, it is learnt from the first table. ``label_kind`` is how labels stored as
    text are read, see ``as_labels``; None if not known yet.
    """

    def __init__(self, schema: Schema, options: ReadOptions, label_kind: str | None = None) -> None:
        self.schema = schema
        self.options = options
        self.label_kind = label_kind
        self.skipped = 0
        self.ids: Any = None  # of the last rows
        self.findings = Findings({}, {})  # about the columns of the first rows of a stream
        self._maker: FeatureMaker | None = None
        # Needed where the encoding is neither learnt from all rows nor known from training.
        self._totals = ColumnTotals.of_none(len(schema.numbers) + len(schema.dates))
        self._text_counts = np.zeros((len(schema.texts), 2), dtype=np.int64)  # of those missing and not
        self._new_data = None if options.encoding is None else NewData(options.encoding)
        self._keeps_totals = options.encoding is None and schema.encoding is not None
        self._fills_with_means = self._keeps_totals and options.means is None and options.missing != "zero"

    def state(self) -> dict[str, Any]:
        """What the next chunk depends on, as part of a position in the file."""
        totals = {name: values.tolist() for name, values in self._totals._asdict().items()}
        return {"labels": self.label_kind, "texts": self._text_counts.tolist()} | totals

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a position."""
        self.label_kind = state["labels"]
        self._text_counts = np.array(state["texts"], dtype=np.int64).reshape(-1, 2)
        self._totals = ColumnTotals(*(np.array(state[name]) for name in ColumnTotals._fields))

    @property
    def encoding(self) -> TableEncoding | None:
        """The encoding of the rows so far, to encode other rows alike."""
        found = self.schema.encoding
        if found is None or not self._keeps_totals:
            return found
        facts = [self._totals.facts(k) for k in range(len(self._totals.sums))]
        facts += [{"n_missing": gaps, "n_known": known} for gaps, known in self._text_counts.tolist()]
        columns = [column._replace(**each) for column, each in zip(found.columns, facts, strict=True)]
        found = found._replace(columns=tuple(columns))
        return found.with_fills(self._totals.means) if self._fills_with_means else found

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
        if bad.mask.any():
            if not self.options.skip_bad_rows:
                raise bad.first_error()
            kept = ~bad.mask
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
            bad.add(no_numbers, f"a text in column {quoted(name)} that is not a number")
            columns.append(values)
        for name in self.schema.dates:
            values, no_dates = as_days(table.column(name), self.options.day_first)
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
        missing = is_missing(values)
        if len(missing) > 1 and missing.all():
            problem = f"none of the {len(missing):,} rows from here on has a label in {column}"
            bad.add(missing, problem, "give rows with labels, or another column as {label}", NoLabels)
        else:
            bad.add(missing, f"no label in {column}")
        y, bad_labels, self.label_kind = as_labels(values, self.label_kind)
        problems = {None: "is not finite", "text": f"is longer than {LONGEST_LABEL} characters"}
        problem = problems.get(self.label_kind, "is not a finite number, but the first label is")
        bad.add(bad_labels, f"a label in {column} {problem}")
        if self.options.classes is not None:
            unknown = ~(known_labels(y, self.options.classes) | bad.mask)
            known = list_labels(self.options.classes)
            problem = f"the label {list_labels(y[unknown][:1])} in {column} is not one of the classes {known}"
            bad.add(unknown, problem, error=UnknownLabel)
        return y

    def _features(self, raw: RawColumns) -> Matrix:
        """X of the good rows; the encoding is learnt from the first ones if it is not known."""
        if self._maker is None:
            if self.schema.encoding is None:
                learnt = learn_encoding(self.schema, self.options, self._training_rows(raw))
                raw = raw.select(*self.schema.indices_in(learnt))
                self.schema = self.schema.with_encoding(learnt)
            elif self.options.check_columns:
                self.findings = check_columns(self.schema, raw, whole_file=False)
            assert self.schema.encoding is not None
            self._maker = FeatureMaker(self.schema.encoding)
        if self._new_data is not None:
            self._new_data.add(raw)
        if self._keeps_totals:
            for counts, (codes, _) in zip(self._text_counts, raw.texts, strict=True):
                counts += np.bincount(codes >= 0, minlength=2)
        missing = self._fill(raw.measured, self._maker.encoding)
        X = self._maker.make(raw.measured, missing, raw.texts)
        expected = self.options.n_features
        if expected is not None and X.shape[1] != expected:
            problem = f"it has {X.shape[1]} features where {expected} are expected"
            raise DataError(problem, remedy=SAME_COLUMNS)
        return X

    def _training_rows(self, raw: RawColumns) -> RawColumns:
        """The rows that the encoding is learnt from."""
        choose = self.options.training_rows
        return raw if choose is None or raw.y is None else raw.take(choose(raw.y))

    def warn_of_new_data(self) -> None:
        """Warn of what the training data do not have: other texts, columns without values, other units."""
        if self._maker is not None and self._new_data is not None:
            warn_of_unseen_levels(self._maker.unseen)
            self._new_data.warn()

    def _fill(self, X: np.ndarray, encoding: TableEncoding) -> np.ndarray | None:
        """Replace missing values in place, and add the others to the sums that give the means."""
        sums, missing = sum_columns(X)
        if self._keeps_totals:
            self._totals = self._totals.add(ColumnTotals.of(X, sums, missing))
        if missing is not None:
            known = [column.fill for column in encoding.of_kind("number", "date")]
            fills = self._totals.means if self._fills_with_means else known
            X[missing] = np.broadcast_to(fills, X.shape)[missing]
        return missing
