"""Which columns of a table are features, which is the label, and what is refused."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from .categorical import BUCKETS, HASHED
from .options import Options
from .source import failure, quoted

SAME = "give a table with the same columns as the training data"


class Plan(NamedTuple):
    """Which columns of a file are used, and for what."""

    label: str | None
    numbers: list[str]
    texts: list[str]
    features: Sequence[str] | None  # the order asked for
    n_buckets: int


def make_plan(name: str, kinds: dict[str, str], options: Options, streaming: bool) -> Plan:
    """Choose columns by their kinds (``number``, ``text`` or the name of a type that is neither)."""
    label = _label_column(name, list(kinds), options)
    kinds = {column: kind for column, kind in kinds.items() if column != label}
    if options.features is not None:
        kinds = _wanted(name, kinds, options.features, options.categorical)
    strange = [column for column, kind in kinds.items() if kind not in ("number", "text")]
    if strange:
        what = f"column {quoted(strange[0])} is of the type {kinds[strange[0]]}, neither numbers nor text"
        raise failure(name, "", what, "leave the column out or convert it")
    numbers = [column for column, kind in kinds.items() if kind == "number"]
    texts = [column for column, kind in kinds.items() if kind == "text"]
    if texts and options.categorical is None:
        many, it = ("s", "them") if len(texts) > 1 else ("", "it")
        what = f"text in the column{many} {', '.join(quoted(column) for column in texts[:10])}"
        how = "hash" if streaming else "onehot"
        raise failure(name, "", what, f'leave {it} out or encode {it} with categorical="{how}"')
    if texts and streaming and options.categorical == "onehot" and options.features is None:
        what = "the values of its text columns are not known before its end"
        raise failure(name, "", what, 'give categorical="hash"')
    if not kinds:
        raise failure(name, "", "it has no column of features", "give a table with features")
    n_buckets = _n_buckets(name, len(numbers), options) if texts and options.categorical == "hash" else 0
    return Plan(label, numbers, texts, options.features, n_buckets)


def _label_column(name: str, columns: list[str], options: Options) -> str | None:
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
        raise failure(name, "", f"it has no column {label!r}", f"give label= one of {shown}") from None


def _wanted(
    name: str, kinds: dict[str, str], features: Sequence[str], categorical: str | None
) -> dict[str, str]:
    """The columns that the features of a model are made of, and of which kind they were in training."""
    wanted, hashes = {}, False
    for feature in features:
        if feature in kinds:
            wanted[feature] = _as_numbers(name, feature, kinds[feature])
        elif categorical == "hash" and feature.startswith(HASHED):
            hashes = True
        elif categorical == "onehot" and (column := _text_column(feature, kinds)) is not None:
            wanted[column] = "text" if kinds[column] == "number" else kinds[column]
        else:
            raise failure(name, "", f"it lacks the column {quoted(feature)} that the model uses", SAME)
    return wanted | _hashed(name, kinds, wanted) if hashes else wanted


def _as_numbers(name: str, column: str, kind: str) -> str:
    if kind == "text":
        raise failure(name, "", f"text in the column {quoted(column)}, which the model has as numbers", SAME)
    return kind


def _hashed(name: str, kinds: dict[str, str], numbers: Container[str]) -> dict[str, str]:
    """The columns of text for a model that hashes them: it does not know their names, so all there are."""
    others = {column: kind for column, kind in kinds.items() if column not in numbers}
    strange = [column for column, kind in others.items() if kind == "number"]
    if strange:
        what = f"the model has no column {quoted(strange[0])} of numbers, and hashes all columns of text"
        raise failure(name, "", what, "leave the column out")
    if not others:
        raise failure(name, "", "it has no column of text, which the model hashes", SAME)
    return others


def _text_column(feature: str, columns: Container[str]) -> str | None:
    """The column of a feature called ``column=value``."""
    end = feature.find("=")
    while end >= 0:
        if feature[:end] in columns:
            return feature[:end]
        end = feature.find("=", end + 1)
    return None


def _n_buckets(name: str, n_numbers: int, options: Options) -> int:
    width = options.n_features if options.features is None else len(options.features)
    if width is None:
        return BUCKETS
    if width <= n_numbers:
        what = f"n_features={width} leaves no column to hash text to, beside {n_numbers} columns of numbers"
        raise failure(name, "", what, "raise n_features")
    return width - n_numbers
