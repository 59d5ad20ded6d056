"""What the columns of a file are: which are features, which is the label, and what is refused."""

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from ...validation.errors import DataError, list_first
from .encoding import DATE_LEVELS, KINDS, ColumnEncoding, TableEncoding
from .errors import quoted
from .feature_names import SAME_COLUMNS, FeatureNames, enough_means
from .options import COLUMN_CHOICES, ReadOptions

DEFAULT_BUCKETS = 4096  # columns that text is hashed to
MOST_LISTED = 10  # columns in a message


class Schema(NamedTuple):
    """What the columns of a file are; ``zero_based`` applies to LIBSVM text, the rest to tables."""

    feature_names: list[str] | None = None  # of the columns of X; None if the file has no names
    zero_based: bool | None = None
    label: str | None = None
    numbers: Sequence[str] = ()
    texts: Sequence[str] = ()
    dates: Sequence[str] = ()
    id: str | None = None
    encoding: TableEncoding | None = None  # None until it is learnt from the rows
    named_features: frozenset[str] = frozenset()  # columns that an option names as features
    width: int | None = None  # number of columns of a file without names

    @property
    def columns(self) -> list[str]:
        """The columns of the file that are used: numbers first, then texts, dates, the label and the ID."""
        others = [column for column in (self.label, self.id) if column is not None]
        return [*self.numbers, *self.texts, *self.dates, *others]

    def with_encoding(self, encoding: TableEncoding) -> "Schema":
        """With the encoding, and the names that it gives the features."""
        check_distinct(encoding.generated_names, "two features would be called", "rename a column")
        named = encoding.width is None or not encoding.is_plain
        return self._replace(encoding=encoding, feature_names=encoding.feature_names if named else None)

    def indices_in(self, encoding: TableEncoding) -> tuple[list[int], list[int]]:
        """Which of the numbers and dates, and which of the texts, an encoding of this file uses."""
        used = {column.name for column in encoding.columns}
        measured, texts = [*self.numbers, *self.dates], self.texts
        return tuple([k for k, name in enumerate(names) if name in used] for names in (measured, texts))  # type: ignore[return-value]


def table_schema(kinds: dict[str, str], options: ReadOptions, named: bool, streaming: bool) -> Schema:
    """Choose columns by their kinds (``number``, ``text``, ``date`` or the name of another type).

    ``named`` says whether the names of the columns are in the file.
    """
    label, encoding = _label_column(list(kinds), options), options.encoding
    if options.features is not None and encoding is None:
        known = FeatureNames(options.features, options.categorical, options.missing, options.means)
        encoding = known.encoding({column: kind for column, kind in kinds.items() if column != label})
    if encoding is not None:
        schema = _schema_of_model(kinds, options, encoding, label)
    else:
        schema = _schema_of_choices(kinds, options, label, streaming)
        schema = schema._replace(width=None if named else len(kinds))
        if streaming:
            schema = schema.with_encoding(fixed_encoding(schema, options))
    return schema if options.labels else schema._replace(label=None)


def _schema_of_choices(
    kinds: dict[str, str], options: ReadOptions, label: str | None, streaming: bool
) -> Schema:
    """All columns but those that options leave out, as what they are or as options say."""
    kinds, id_column, named_features = _choose_columns(kinds, options, label)
    for column, kind in kinds.items():
        if kind not in KINDS:
            problem = f"column {quoted(column)} has the type {kind}, which is neither number, text nor date"
            raise DataError(problem, remedy="leave the column out with {drop}, or convert it")
    if not kinds:
        raise DataError("it has no feature columns", remedy="give a table with features")
    numbers, texts, dates = ([name for name in kinds if kinds[name] == kind] for kind in KINDS)
    _check_texts(texts, options, streaming)
    return Schema(None, None, label, numbers, texts, dates, id_column, None, named_features)


def fixed_encoding(schema: Schema, options: ReadOptions) -> TableEncoding:
    """The encoding that needs no look at the rows: text is hashed, and all parts of a date are features."""
    numbers = [ColumnEncoding(name, "number") for name in schema.numbers]
    dates = [ColumnEncoding(name, "date", levels=DATE_LEVELS, year=True) for name in schema.dates]
    texts = [ColumnEncoding(name, "text", hashed=True) for name in schema.texts]
    found = make_encoding([*numbers, *dates, *texts], schema, options)
    if options.means is None or options.missing == "zero":
        return found
    return found.with_fills(enough_means(options.means, len(numbers)))


def make_encoding(columns: list[ColumnEncoding], schema: Schema, options: ReadOptions) -> TableEncoding:
    """The encoding of these columns of a file, with as many features for hashed text as options say."""
    found = TableEncoding(tuple(columns), 0, options.fills_missing, schema.label, schema.id, schema.width)
    if not any(column.hashed for column in columns):
        return found
    n_others, n_buckets = len(found.feature_names), DEFAULT_BUCKETS
    if options.n_features is not None:
        n_buckets = options.n_features - n_others
    if n_buckets < 1:
        problem = f"{options.n_features} features leave no column to hash text to, beside {n_others} others"
        raise DataError(problem, remedy="raise {n_features}")
    return found._replace(n_buckets=n_buckets)


def check_distinct(names: list[str], problem: str, remedy: str) -> None:
    """Raise an error if a name occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise DataError(f"{problem} {quoted(twice)}", remedy=remedy)


def _schema_of_model(
    kinds: dict[str, str], options: ReadOptions, encoding: TableEncoding, label: str | None
) -> Schema:
    """The columns that a model needs, each of the kind that it had in training."""
    if encoding.width is None:
        source = {column.name: column.name for column in encoding.columns}
    else:
        source, label = _by_position(list(kinds), encoding)
    names: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for column in encoding.columns:
        found = source[column.name]
        _check_column(column, kinds.get(found))
        names[column.kind].append(found)
    id_column = encoding.id if encoding.id in kinds and encoding.id != label else None
    if options.id is not None:
        id_column = find_column(options.id, list(kinds), "id")
    schema = Schema(None, None, label, names["number"], names["text"], names["date"], id_column)
    return schema.with_encoding(encoding.with_missing(options.missing))


def _by_position(columns: list[str], encoding: TableEncoding) -> tuple[dict[str, str], str | None]:
    """The columns of a model in a table without names, where the label may be absent, and the label."""
    assert encoding.width is not None
    places = [f"column {k + 1}" for k in range(encoding.width)]
    label = encoding.label
    if len(columns) == encoding.width - 1 and label is not None:
        places, label = [place for place in places if place != label], None
    if len(columns) != len(places):
        problem = f"it has {len(columns)} columns where {encoding.width} are expected"
        raise DataError(problem, remedy=SAME_COLUMNS)
    source = dict(zip(places, columns, strict=True))
    return source, source.get(label) if label is not None else None


def _check_column(column: ColumnEncoding, kind: str | None) -> None:
    """Raise an error if a column that a model needs is absent, or of a kind that cannot be converted."""
    if kind is None:
        text = column.kind == "text" and column.levels
        feature = f" for its feature {quoted(column.flags[0])}" if text else ""
        problem = f"it has no column {quoted(column.name)}, which the model needs{feature}"
        raise DataError(problem, remedy=SAME_COLUMNS)
    if kind not in KINDS:
        problem = f"column {quoted(column.name)} has the type {kind}, but {column.kind}s in the training data"
        raise DataError(problem, remedy=SAME_COLUMNS)
    if column.kind == "number" and kind != "number":
        problem = f"{kind} in the column {quoted(column.name)}, which has numbers in the training data"
        raise DataError(problem, remedy=SAME_COLUMNS)


def _choose_columns(
    kinds: dict[str, str], options: ReadOptions, label: str | None
) -> tuple[dict[str, str], str | None, frozenset[str]]:
    """Features and their kinds, the column of IDs, and the features that options name."""
    columns = list(kinds)
    named = {option: find_columns(getattr(options, option), columns, option) for option in COLUMN_CHOICES}
    drop, used, texts, numbers = named.values()
    id_column = None if options.id is None else find_column(options.id, columns, "id")
    no_features = [column for column in (label, id_column) if column is not None]
    features = [*used, *texts, *numbers]
    for option, found in named.items():
        so = "which is" if option == "drop" else "and so"
        _refuse_both(no_features, found, f"is the label or the ID, {so} no feature", option)
    _refuse_both(drop, features, "is to be dropped and used", "drop")
    _refuse_both(texts, numbers, "is to be text and numbers", "numeric_columns")
    if label is not None and label == id_column:
        problem = f"column {quoted(label)} is the label, so it names no rows"
        raise DataError(problem, remedy="give another {id}")
    if used:
        outside = [column for column in [*texts, *numbers] if column not in used]
        _refuse_both(outside, outside, "is none of the columns to use", "columns")
    kept = [name for name in used or columns if name not in (*no_features, *drop)]
    forced = dict.fromkeys(texts, "text") | dict.fromkeys(numbers, "number")
    chosen = {name: forced.get(name, kinds[name]) for name in kept}
    return chosen, id_column, frozenset(features)


def _refuse_both(some: Sequence[str], others: Sequence[str], problem: str, option: str) -> None:
    """Raise an error about the first column that is in both lists."""
    for column in some:
        if column in others:
            raise DataError(f"column {quoted(column)} {problem}", remedy=f"change {{{option}}}")


def find_columns(given: Sequence[str | int] | None, columns: list[str], option: str) -> list[str]:
    """The columns that an option names, each once; an entry may be several names, with commas between."""
    found: list[str] = []
    for entry in given or ():
        whole = isinstance(entry, int) or entry in columns or "," not in entry
        parts = [entry] if whole else [part.strip() for part in str(entry).split(",") if part.strip()]
        found += [find_column(part, columns, option) for part in parts]
    return list(dict.fromkeys(found))


def find_column(given: str | int, columns: list[str], option: str) -> str:
    """The column of that name, or of that number where there is no such name."""
    if given in columns:
        return str(given)
    try:
        return columns[int(given)]
    except (ValueError, IndexError):
        similar = difflib.get_close_matches(str(given), columns, n=1)
        hint = f" (did you mean {quoted(similar[0])}?)" if similar else ""
        problem = f"it has no column {given!r}{hint}, only {list_columns(columns)}"
        raise DataError(problem, remedy=f"give one of these as {{{option}}}") from None


def list_columns(columns: Sequence[str]) -> str:
    """The first columns, quoted."""
    return list_first(map(quoted, columns), MOST_LISTED)


def _label_column(columns: list[str], options: ReadOptions) -> str | None:
    """The column of the labels; a file to be scored may have none."""
    label, known = options.label, options.encoding
    scoring = options.features is not None or known is not None
    if label is None or label in columns:
        return label  # type: ignore[return-value]
    if not scoring and options.categorical is None and len(columns) == options.n_features:
        return None  # all its columns are features
    try:
        column = columns[int(label)]
    except (ValueError, IndexError):
        return None if scoring else find_column(label, columns, "label")
    features = options.features or () if known is None else [each.name for each in known.columns]
    return None if column in features else column


def _check_texts(texts: list[str], options: ReadOptions, streaming: bool) -> None:
    if texts and not options.encodes_text:
        many, it = ("s", "them") if len(texts) > 1 else ("", "it")
        encoding = "hash" if streaming else "onehot"
        remedy = f'remove {it} or encode {it} with {{categorical="{encoding}"}}'
        if options.label is None:
            remedy += "; if a column has the labels, name it with {label}"
        raise DataError(f"text in the column{many} {list_columns(texts)}", remedy=remedy)
    if texts and streaming and options.categorical == "onehot":
        problem = "one-hot encoding needs all values of a text column, which are known only at the end"
        raise DataError(problem, remedy='give {categorical="hash"}, or leave out {stream}')
