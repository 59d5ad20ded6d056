"""Columns of an Arrow table as the rows and labels of a model."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from .categorical import coded, hashed, onehot
from .options import Options
from .schema import SAME, Plan
from .source import failure, need, quoted

LONGEST_LABEL = 200  # characters
_BLOCK = 1024  # rows copied at a time, so that they stay in the cache
_MISSING = 'fill it in, for example with missing="mean", or leave such rows out with on_bad_rows="skip"'
_WRONG = 'correct it, or leave such rows out with on_bad_rows="skip"'


class Faults:
    """Rows that cannot be used, and why."""

    def __init__(self, name: str, n_rows: int, place: Callable[[int], str]) -> None:
        self._name = name
        self._place = place
        self._bad = np.zeros(n_rows, dtype=bool)
        self._found: list[tuple[int, str, str]] = []

    def add(self, bad: np.ndarray, what: str, advice: str) -> None:
        """Note the rows where a mask is set."""
        if bad.any():
            self._bad |= bad
            self._found.append((int(np.argmax(bad)), what, advice))

    def settle(self, skip: bool) -> np.ndarray | None:
        """A mask of the good rows, None if all are; without ``skip``, raise for the first bad one."""
        if not self._found:
            return None
        if not skip:
            row, what, advice = min(self._found, key=lambda fault: fault[0])
            raise failure(self._name, self._place(row), what, advice)
        return ~self._bad


class Encoder:
    """Turns tables with the columns of a plan into rows and labels.

    ``sums`` and ``counts`` are those of the values so far, for their means; ``kind`` is that of labels that
    come as text, told by the first: ``integer``, ``number`` or ``text``.
    """

    def __init__(self, name: str, plan: Plan, options: Options, named: bool) -> None:
        self.name = name
        self.plan = plan
        self.options = options
        self.kind: str | None = None
        self.sums = np.zeros(len(plan.numbers))
        self.counts = np.zeros(len(plan.numbers))
        self.feature_names: list[str] | None = None
        self._named = named

    def state(self) -> dict[str, Any]:
        """What the next chunk depends on, and the means of the whole."""
        return {"labels": self.kind, "sums": self.sums.tolist(), "counts": self.counts.tolist()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.kind = state["labels"]
        self.sums, self.counts = np.array(state["sums"]), np.array(state["counts"])

    def encode(self, table: Any, place: Callable[[int], str]) -> tuple[Any, np.ndarray | None, int]:
        """``(X, y, skipped)`` of a table; ``place`` says where in the file a row is."""
        faults = Faults(self.name, table.num_rows, place)
        y = self._labels(table, faults)
        numbers = self._numbers(table, faults)
        texts = {column: _text(table.column(column)) for column in self.plan.texts}
        if self.options.missing is None:
            for column, values in texts.items():
                faults.add(_nulls(values), f"a missing value in column {quoted(column)}", _MISSING)
        kept = faults.settle(self.options.skip)
        if kept is not None:
            mask = need("pyarrow", "Reading tables").array(kept)
            numbers, y = numbers[kept], None if y is None else y[kept]
            texts = {column: values.filter(mask) for column, values in texts.items()}
        self._fill(numbers)
        return self._assembled(numbers, texts), y, table.num_rows - len(numbers)

    def _numbers(self, table: Any, faults: Faults) -> np.ndarray:
        names = self.plan.numbers
        columns = [_floats(table.column(column)) for column in names]
        X = np.empty((table.num_rows, len(names)))
        for start in range(0, len(X), _BLOCK):
            for k, values in enumerate(columns):
                X[start : start + _BLOCK, k] = values[start : start + _BLOCK]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # a NaN or an infinity would show in the sum
                return X
        for k, values in enumerate(columns):
            faults.add(np.isinf(values), f"an infinite value in column {quoted(names[k])}", _WRONG)
            if self.options.missing is None:
                faults.add(np.isnan(values), f"a missing value in column {quoted(names[k])}", _MISSING)
        return X

    def _labels(self, table: Any, faults: Faults) -> np.ndarray | None:
        if self.plan.label is None:
            return None
        values = table.column(self.plan.label)
        column = f"column {quoted(self.plan.label)}"
        faults.add(_nulls(values), f"no label in {column}", _WRONG)
        y, bad, self.kind = labels(values, self.kind)
        faults.add(bad, f"a label in {column} that does not fit the first one ({self.kind})", _WRONG)
        return y

    def _fill(self, X: np.ndarray) -> None:
        """Replace what is missing, in place, and sum up what is not."""
        n_missing: Any = 0
        if self.options.missing is not None:
            missing = np.isnan(X)
            X[missing] = 0.0
            n_missing = missing.sum(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            self.sums += X.sum(axis=0)
            self.counts += len(X) - n_missing
        if self.options.missing == "mean":
            X[missing] = np.broadcast_to(self._means(), X.shape)[missing]

    def _means(self) -> np.ndarray:
        """What stands in for missing numbers: the means given, or those of the values so far."""
        means, numbers = self.options.means, self.plan.numbers
        if means is None:
            return means_of(self.sums, self.counts)
        names = numbers if self.plan.features is None else self.plan.features  # in the order of X
        if len(means) < len(names):
            what = f"it has {len(names)} features, but there are means for {len(means)}"
            raise failure(self.name, "", what, SAME)
        given = dict(zip(names, means, strict=False))
        return np.array([given[name] for name in numbers])

    def _assembled(self, numbers: np.ndarray, texts: dict[str, Any]) -> Any:
        """The numbers and the encoded text side by side, in the order asked for; sets ``feature_names``."""
        plan = self.plan
        X: Any = numbers
        names = list(plan.numbers)
        if texts:
            encoded = hashed(texts, plan.n_buckets) if plan.n_buckets else onehot(texts, plan.features)
            X = sparse.hstack([sparse.csr_array(numbers), encoded[0]], format="csr")
            names += encoded[1]
            self._check_names(names)
        if plan.features is not None and names != list(plan.features):
            place = {name: k for k, name in enumerate(names)}
            X = X[:, [place[name] for name in plan.features]]
            names = list(plan.features)
        self.feature_names = names if self._named or texts else None
        wanted = self.options.n_features
        if wanted is not None and X.shape[1] != wanted:
            what = f"it has {X.shape[1]} features where {wanted} are expected"
            raise failure(self.name, "", what, SAME)
        return X

    def _check_names(self, names: list[str]) -> None:
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise failure(self.name, "", f"two features would be called {quoted(twice)}", "rename a column")


def means_of(sums: Any, counts: Any) -> np.ndarray:
    """The means of columns, 0 for one without values."""
    with np.errstate(over="ignore"):
        return np.nan_to_num(np.asarray(sums) / np.maximum(counts, 1))


def labels(values: Any, kind: str | None) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Labels as an array, a mask of the bad ones, and the kind of those that come as text."""
    pa = need("pyarrow", "Reading tables")
    if pa.types.is_boolean(values.type):
        return values.fill_null(False).to_numpy(), np.zeros(len(values), dtype=bool), None
    if not is_text(values.type):
        numbers = _floats(values)
        y = values.fill_null(0).to_numpy() if pa.types.is_integer(values.type) else numbers
        return y, ~np.isfinite(numbers) & ~_nulls(values), None
    codes, seen = coded(_text(values))
    seen = [*seen, ""]  # the last one stands for -1, a missing label
    present = codes[codes >= 0]
    if kind is None and len(present):
        kind = _kind(seen[present[0]])
    if kind == "text":
        long = np.array([len(text) > LONGEST_LABEL for text in seen])
        return np.array([text[:LONGEST_LABEL] for text in seen], dtype=np.str_)[codes], long[codes], kind
    numbers = np.array([_number(text) for text in seen])
    bad = ~np.isfinite(numbers)
    good = numbers[~bad]
    if kind == "integer" and (np.abs(good) < 2**53).all() and (good % 1 == 0).all():
        numbers = np.where(bad, 0, numbers).astype(np.int64)
    return numbers[codes], bad[codes] & ~_nulls(values), kind


def _kind(text: str) -> str:
    number = _number(text)
    if np.isnan(number):
        return "text"
    return "integer" if "." not in text and float(number).is_integer() else "number"


def _number(text: str) -> float:
    try:
        return float("nan") if "_" in text else float(text)
    except ValueError:
        return float("nan")


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, plain or as a dictionary."""
    types = need("pyarrow", "Reading tables").types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def kind_of(kind: Any) -> str:
    """``number`` or ``text``, or the name of an Arrow type that is neither."""
    types = need("pyarrow", "Reading tables").types
    value = kind.value_type if types.is_dictionary(kind) else kind
    if is_text(value):
        return "text"
    fits = types.is_integer(value) or types.is_floating(value) or types.is_decimal(value)
    return "number" if fits or types.is_boolean(value) or types.is_null(value) else str(kind)


def _text(values: Any) -> Any:
    """Text without the spaces around it, which count no more than those around numbers."""
    pa, compute = need("pyarrow", "Reading tables"), need("pyarrow.compute", "Reading tables")
    return compute.utf8_trim_whitespace(values.cast(pa.string()))


def _floats(values: Any) -> np.ndarray:
    pa = need("pyarrow", "Reading tables")
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _nulls(values: Any) -> np.ndarray:
    return values.is_null().to_numpy(zero_copy_only=False)
