"""What the columns of a file are: which are features, which is the label, and what is refused."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from ...validation.errors import DataError
from .errors import quoted
from .options import ReadOptions

DEFAULT_BUCKETS = 4096  # columns that text is hashed to
HASH_PREFIX = "hash_"  # they are called hash_0, hash_1, ...
SAME_COLUMNS = "give a table with the same columns as the training data"


class Schema(NamedTuple):
    """What the columns of a file are; ``zero_based`` applies to LIBSVM text, the rest to tables."""

    feature_names: list[str] | None = None  # of the columns of X; None if the file has no names
    zero_based: bool | None = None
    label: str | None = None
    numbers: Sequence[str] = ()
    texts: Sequence[str] = ()
    n_buckets: int = 0  # columns that text is hashed to

    @property
    def columns(self) -> list[str]:
        """The columns of the file that are used: numbers, texts, and the label."""
        return [*self.numbers, *self.texts, *([] if self.label is None else [self.label])]


def table_schema(kinds: dict[str, str], options: ReadOptions, named: bool, streaming: bool) -> Schema:
    """Choose columns by their kinds (``number``, ``text`` or the name of a type that is neither).

    ``named`` says whether the names of the columns are in the file.
    """
    label = _label_column(list(kinds), options)
    kinds = {column: kind for column, kind in kinds.items() if column != label}
    if options.features is not None:
        kinds = _columns_of_model(kinds, options.features, options.categorical)
    for column, kind in kinds.items():
        if kind not in ("number", "text"):
            problem = f"column {quoted(column)} has the type {kind}, which is neither number nor text"
            raise DataError(problem, remedy="remove or convert the column")
    numbers = [column for column, kind in kinds.items() if kind == "number"]
    texts = [column for column, kind in kinds.items() if kind == "text"]
    _check_texts(texts, options, streaming)
    if not kinds:
        raise DataError("it has no feature columns", remedy="give a table with features")
    n_buckets = _n_buckets(len(numbers), options) if texts and options.categorical == "hash" else 0
    names = None  # one-hot columns get theirs when all values are known
    if options.features is not None:
        names = list(options.features)
    elif n_buckets or not texts:
        names = [*numbers, *hashed_names(n_buckets)]
    label = label if options.labels else None
    return Schema(names if named or texts else None, None, label, numbers, texts, n_buckets)


def hashed_names(n_buckets: int) -> list[str]:
    """The names of the columns that text is hashed to."""
    return [f"{HASH_PREFIX}{k}" for k in range(n_buckets)]


def check_distinct(names: list[str], problem: str, remedy: str) -> None:
    """Raise an error if a name occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"{problem} {quoted(twice)}", remedy=remedy)


def _label_column(columns: list[str], options: ReadOptions) -> str | None:
    label = options.label
    if label is None or label in columns:
        return label  # type: ignore[return-value]
    if options.features is None and options.categorical is None and len(columns) == options.n_features:
        return None  # a file to be scored, without labels: all its columns are features
    try:
        column = columns[int(label)]
        return None if column in (options.features or ()) else column
    except (ValueError, IndexError):
        if options.features is not None:
            return None
        shown = ", ".join(map(quoted, columns[:10])) + (", ..." if len(columns) > 10 else "")
        problem = f"it has no column {label!r}, only {shown}"
        raise DataError(problem, remedy="give one of these as {label}") from None


def _check_texts(texts: list[str], options: ReadOptions, streaming: bool) -> None:
    if texts and options.categorical is None:
        many, it = ("s", "them") if len(texts) > 1 else ("", "it")
        encoding = "hash" if streaming else "onehot"
        remedy = f'remove {it} or encode {it} with {{categorical="{encoding}"}}'
        if options.label is None:
            remedy += "; if a column has the labels, name it with {label}"
        raise DataError(f"text in the column{many} {', '.join(map(quoted, texts[:10]))}", remedy=remedy)
    if texts and streaming and options.categorical == "onehot" and options.features is None:
        problem = "one-hot encoding needs all values of a text column, which are known only at the end"
        raise DataError(problem, remedy='give {categorical="hash"}')


def _columns_of_model(
    kinds: dict[str, str], features: Sequence[str], categorical: str | None
) -> dict[str, str]:
    """The columns that a model's features come from, and the kinds that they had in training."""
    found, hashes = {}, False
    for feature in features:
        if feature in kinds:
            if kinds[feature] == "text":
                problem = f"text in the column {quoted(feature)}, which has numbers in the training data"
                raise DataError(problem, remedy=SAME_COLUMNS)
            found[feature] = kinds[feature]
        elif categorical == "hash" and feature.startswith(HASH_PREFIX):
            hashes = True
        elif categorical == "onehot" and (column := _text_column(feature, kinds)) is not None:
            found[column] = "text" if kinds[column] == "number" else kinds[column]
        else:
            raise DataError(f"it has no column {_missing_column(feature, categorical)}", remedy=SAME_COLUMNS)
    return found | _hashed_columns(kinds, found) if hashes else found


def _hashed_columns(kinds: dict[str, str], numbers: Container[str]) -> dict[str, str]:
    """All columns but the numbers: a model that hashes text does not keep the names of text columns."""
    others = {column: kind for column, kind in kinds.items() if column not in numbers}
    for column, kind in others.items():
        if kind == "number":
            problem = f"the training data had no column {quoted(column)} of numbers"
            raise DataError(problem, remedy="remove the column")
    if not others:
        raise DataError("it has no text columns, which the model hashes", remedy=SAME_COLUMNS)
    return others


def _missing_column(feature: str, categorical: str | None) -> str:
    """The column of a feature that is not in the data, and why it is needed."""
    column, equals, _ = feature.partition("=")
    if categorical == "onehot" and equals:
        return f"{quoted(column)}, which the model needs for its feature {quoted(feature)}"
    return f"{quoted(feature)}, which the model needs"


def _text_column(feature: str, columns: Container[str]) -> str | None:
    """The column of a feature called ``column=value``."""
    end = feature.find("=")
    while end >= 0:
        if feature[:end] in columns:
            return feature[:end]
        end = feature.find("=", end + 1)
    return None


def _n_buckets(n_numbers: int, options: ReadOptions) -> int:
    width = options.n_features if options.features is None else len(options.features)
    if width is None:
        return DEFAULT_BUCKETS
    if width <= n_numbers:
        problem = f"{width} features leave no column to hash text to, beside {n_numbers} columns of numbers"
        raise DataError(problem, remedy="raise {n_features}")
    return width - n_numbers
