"""Which columns of a table are features, which is the label, and what is refused."""

from collections.abc import Sequence
from typing import NamedTuple

from .categorical import BUCKETS, HASHED
from .options import Options
from .source import failure, quoted


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
    columns = [column for column in kinds if column != label]
    if options.features is not None:
        columns = _wanted(name, columns, options.features, options.categorical)
    strange = [column for column in columns if kinds[column] not in ("number", "text")]
    if strange:
        what = f"column {quoted(strange[0])} is of the type {kinds[strange[0]]}, neither numbers nor text"
        raise failure(name, "", what, "leave the column out or convert it")
    numbers = [column for column in columns if kinds[column] == "number"]
    texts = [column for column in columns if kinds[column] == "text"]
    if texts and options.categorical is None:
        what = f"text in the columns {', '.join(quoted(column) for column in texts[:10])}"
        how = "hash" if streaming else "onehot"
        raise failure(name, "", what, f'leave them out or encode them with categorical="{how}"')
    if texts and streaming and options.categorical == "onehot" and options.features is None:
        what = "the values of its text columns are not known before its end"
        raise failure(name, "", what, 'give categorical="hash"')
    if not columns:
        raise failure(name, "", "it has no column of features", "give a table with features")
    n_buckets = _n_buckets(name, len(numbers), options) if texts and options.categorical == "hash" else 0
    return Plan(label, numbers, texts, options.features, n_buckets)


def _label_column(name: str, columns: list[str], options: Options) -> str | None:
    label = options.label
    if label is None or label in columns:
        return label  # type: ignore[return-value]
    try:
        return columns[int(label)]
    except (ValueError, IndexError):
        if options.features is not None:
            return None
        shown = ", ".join(map(quoted, columns[:10])) + (", ..." if len(columns) > 10 else "")
        raise failure(name, "", f"it has no column {label!r}", f"give label= one of {shown}") from None


def _wanted(name: str, columns: list[str], features: Sequence[str], categorical: str | None) -> list[str]:
    """The columns that the features of a model are made of."""
    used, known = set(), set(columns)
    for feature in features:
        if feature in known:
            used.add(feature)
        elif categorical == "hash" and feature.startswith(HASHED):
            continue
        elif categorical == "onehot" and (column := _text_column(feature, known)) is not None:
            used.add(column)
        else:
            what = f"it lacks the column {quoted(feature)} that the model uses"
            raise failure(name, "", what, "give a table with the same columns as the training data")
    hashes = categorical == "hash" and len(used) < len(features)
    return [column for column in columns if column in used or hashes]


def _text_column(feature: str, columns: set[str]) -> str | None:
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
