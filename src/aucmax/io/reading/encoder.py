"""Turn Arrow tables into X and y: fill missing values, encode text, skip or refuse bad rows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.utils import murmurhash3_32

from ...validation.errors import DataError
from .columns import as_floats, as_labels, as_text, dictionary_codes, is_missing
from .errors import LONGEST_LABEL, MissingValue, quoted
from .options import ReadOptions
from .reader import column_means
from .schema import SAME_COLUMNS, Schema, check_distinct, hashed_names

_BLOCK = 1024  # rows copied at a time, so that they stay in the cache
_FILL = 'fill it in, for example with {missing="mean"}, or leave such rows out with {on_bad_rows="skip"}'
_CORRECT = 'correct it, or leave such rows out with {on_bad_rows="skip"}'


class BadRows:
    """The rows of a table that cannot be used; the first one of each kind has an error."""

    def __init__(self, n_rows: int, place: Callable[[int], str]) -> None:
        self._place = place
        self._mask = np.zeros(n_rows, dtype=bool)
        self._errors: list[tuple[int, DataError]] = []

    def add(self, mask: np.ndarray, problem: str) -> None:
        """Add the rows where the mask is set."""
        self._add(mask, DataError(problem, remedy=_CORRECT))

    def add_missing(self, mask: np.ndarray, column: str) -> None:
        """Add the rows where the value of a column is missing."""
        self._add(mask, MissingValue(f"a missing value in column {quoted(column)}", remedy=_FILL))

    def _add(self, mask: np.ndarray, error: DataError) -> None:
        if mask.any():
            row = int(np.argmax(mask))
            self._mask |= mask
            self._errors.append((row, error.located(place=self._place(row))))

    def good_rows(self, skip: bool) -> np.ndarray | None:
        """A mask of the good rows, None if all are good; without ``skip``, raise the first error."""
        if not self._errors:
            return None
        if not skip:
            raise min(self._errors, key=lambda found: found[0])[1]
        return ~self._mask


class Encoder:
    """Turns tables with the columns of a schema into X and y; ``skipped`` counts the bad rows.

    ``label_kind`` is how labels stored as text are read, see ``as_labels``; None if not known yet.
    """

    def __init__(self, schema: Schema, options: ReadOptions, label_kind: str | None = None) -> None:
        self.schema = schema
        self.options = options
        self.label_kind = label_kind
        self.skipped = 0
        self._sums = np.zeros(len(schema.numbers))
        self._counts = np.zeros(len(schema.numbers))

    def state(self) -> dict[str, Any]:
        """What the next chunk depends on, as part of a position in the file."""
        return {"labels": self.label_kind, "sums": self._sums.tolist(), "counts": self._counts.tolist()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a position."""
        self.label_kind = state["labels"]
        self._sums, self._counts = np.array(state["sums"]), np.array(state["counts"])

    def encode(self, table: pa.Table, place: Callable[[int], str]) -> tuple[Any, np.ndarray | None]:
        """X and y of a table; ``place`` says where in the file a row is."""
        bad = BadRows(table.num_rows, place)
        y = self._labels(table, bad)
        numbers = self._numbers(table, bad)
        texts = {column: as_text(table.column(column)) for column in self.schema.texts}
        if self.options.missing is None:
            for column, values in texts.items():
                bad.add_missing(is_missing(values), column)
        kept = bad.good_rows(self.options.skip_bad_rows)
        if kept is not None:
            numbers, y = numbers[kept], None if y is None else y[kept]
            texts = {column: values.filter(pa.array(kept)) for column, values in texts.items()}
        self.skipped += table.num_rows - len(numbers)
        self._fill(numbers)
        return self._assemble(numbers, texts), y

    def _numbers(self, table: pa.Table, bad: BadRows) -> np.ndarray:
        names = self.schema.numbers
        columns = [as_floats(table.column(column)) for column in names]
        X = np.empty((table.num_rows, len(names)))
        for start in range(0, len(X), _BLOCK):
            for k, values in enumerate(columns):
                X[start : start + _BLOCK, k] = values[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # a NaN or an infinity would show in the sum
                return X
        for name, values in zip(names, columns, strict=True):
            bad.add(np.isinf(values), f"an infinite value in column {quoted(name)}")
            if self.options.missing is None:
                bad.add_missing(np.isnan(values), name)
        return X

    def _labels(self, table: pa.Table, bad: BadRows) -> np.ndarray | None:
        if self.schema.label is None:
            return None
        values = table.column(self.schema.label)
        column = f"column {quoted(self.schema.label)}"
        bad.add(is_missing(values), f"no label in {column}")
        y, bad_labels, self.label_kind = as_labels(values, self.label_kind)
        problems = {None: "is not finite", "text": f"is longer than {LONGEST_LABEL} characters"}
        problem = problems.get(self.label_kind, "is not a finite number, but the first label is")
        bad.add(bad_labels, f"a label in {column} {problem}")
        return y

    def _fill(self, X: np.ndarray) -> None:
        """Replace missing values in place, and add the others to the sums that give the means."""
        n_missing: Any = 0
        if self.options.missing is not None:
            missing = np.isnan(X)
            X[missing] = 0.0
            n_missing = missing.sum(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            self._sums += X.sum(axis=0)
            self._counts += len(X) - n_missing
        if self.options.missing == "mean":
            X[missing] = np.broadcast_to(self._fill_values(), X.shape)[missing]

    def _fill_values(self) -> Any:
        """The values for missing numbers: the means given, or those of the rows so far."""
        means, numbers = self.options.means, self.schema.numbers
        if means is None:
            return column_means(self.state())
        names = numbers if self.options.features is None else self.options.features  # in the order of X
        if len(means) < len(names):
            problem = f"it has {len(names)} features, but there are means for {len(means)}"
            raise DataError(problem, remedy=SAME_COLUMNS)
        given = dict(zip(names, means, strict=False))
        return np.array([given[name] for name in numbers])

    def _assemble(self, numbers: np.ndarray, texts: dict[str, Any]) -> Any:
        """Numbers and encoded text side by side, in the order of the model's features if it has names."""
        schema, features = self.schema, self.options.features
        X: Any = numbers
        names = list(schema.numbers)
        if texts:
            hashed = schema.n_buckets
            encoded = encode_hashed(texts, hashed) if hashed else encode_onehot(texts, features)
            X = sparse.hstack([sparse.csr_array(numbers), encoded[0]], format="csr")
            names += encoded[1]
            check_distinct(names, "two features would be called", "rename a column")
        if features is not None and names != list(features):
            place = {name: k for k, name in enumerate(names)}
            X = X[:, [place[name] for name in features]]
        elif texts:
            self.schema = schema._replace(feature_names=names)
        expected = self.options.n_features
        if expected is not None and X.shape[1] != expected:
            problem = f"it has {X.shape[1]} features where {expected} are expected"
            raise DataError(problem, remedy=SAME_COLUMNS)
        return X


class TableReader:
    """Base of the readers of tables; the encoder has the schema and the count of bad rows."""

    encoder: Encoder

    @property
    def schema(self) -> Schema:
        """What the columns of the file are."""
        return self.encoder.schema

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""
        return self.encoder.skipped


def encode_onehot(
    columns: dict[str, Any], features: Sequence[str] | None
) -> tuple[sparse.csr_array, list[str]]:
    """A column for each value of each text column, and their names ``column=value``.

    The names are those in ``features`` if given, otherwise sorted.
    """
    codes = {column: dictionary_codes(values) for column, values in columns.items()}
    if features is None:
        names = [f"{column}={value}" for column, (_, seen) in codes.items() for value in sorted(seen)]
    else:
        names = [name for name in features if any(name.startswith(f"{column}=") for column in codes)]
    place = {name: k for k, name in enumerate(names)}
    return _indicators(codes, lambda name: place.get(name, -1), len(names)), names


def encode_hashed(columns: dict[str, Any], n_buckets: int) -> tuple[sparse.csr_array, list[str]]:
    """A 1 in the column given by the hash of ``column=value``, and the names of the columns."""
    codes = {column: dictionary_codes(values) for column, values in columns.items()}
    place = lambda name: murmurhash3_32(name.encode(), positive=True) % n_buckets  # noqa: E731
    return _indicators(codes, place, n_buckets), hashed_names(n_buckets)


def _indicators(codes: dict[str, Any], place: Callable[[str], int], width: int) -> sparse.csr_array:
    """A matrix with a 1 in column ``place("column=value")`` for each text column; -1 is no column."""
    found = []
    for column, (numbers, seen) in codes.items():
        columns = np.array([*(place(f"{column}={value}") for value in seen), -1], dtype=np.int32)
        found.append(columns[numbers])  # code -1, a missing value, is the last one
    ids = np.stack(found, axis=1)
    present = ids >= 0
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    matrix = sparse.csr_array((np.ones(indptr[-1]), ids[present], indptr), shape=(len(ids), width))
    matrix.sum_duplicates()
    return matrix
