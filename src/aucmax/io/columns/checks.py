"""Columns that no model can use, or that give the label away: found in the values of the training rows."""

import re
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ...validation.columns import MAX_WHOLE
from ...validation.errors import warn_caller
from .errors import TableWarning, quoted
from .options import ReadOptions
from .schema import Schema

MIN_CHECKED = 20  # rows; of fewer, nothing can be said
SOME_ROWS = 1000  # are looked at first
NEARLY_UNIQUE = 0.9  # share of distinct texts from which a text has nothing to learn from
UNIQUE = 0.99  # share of distinct whole numbers from which a column called ID is one
# Random whole numbers of so narrow a range that MIN_REPEATS or more would be repeated: with less than
# FEW_REPEATS times as many repeats they were assigned one by one, as row numbers are, and incomes are not.
MIN_REPEATS, FEW_REPEATS = 10.0, 0.1
LEAK = 0.99  # AUC of one column; the best of the data sets in benchmarks/column_checks.py has less
MIN_OF_CLASS = 20  # rows: with fewer, a column of many may rank well by chance
MAX_OF_CLASS = 1000  # rows are enough to see it
CONSTANT, COPY = "constant", "a copy of "  # reasons that no option can help
FREE_TEXT = "free text"
MIN_WORDS = 3  # in the mean, from which a text that is different in nearly every row is no identifier
_KEEP_COLUMN = (
    "to use an identifier or text all the same, name it in {categorical_columns}, or {numeric_columns} for "
    "a number"
)
_USE_WORDS = (
    "to make features of words, train in Python with scikit-learn's TfidfVectorizer before "
    "AUCClassifierCV, as docs/text.md shows"
)
_ID_NAME = re.compile(r"(?:^|[^a-z])(?:id|nr|no|key|uuid|guid|number)$|nummer$|[a-z]nr$", re.I)
_CAMEL_ID = re.compile(r"[a-z]I[dD]$")  # customerId, but not paid


class RawColumns(NamedTuple):
    """The values of a table's columns before encoding."""

    measured: np.ndarray  # numbers and days of dates, NaN where missing
    texts: list[tuple[np.ndarray, list[str]]]  # by dictionary_codes
    y: np.ndarray | None

    def select(self, measured: list[int], texts: list[int]) -> "RawColumns":
        """Some of the columns."""
        kept = self.measured if len(measured) == self.measured.shape[1] else self.measured[:, measured]
        return RawColumns(kept, [self.texts[k] for k in texts], self.y)

    def take(self, rows: np.ndarray) -> "RawColumns":
        """Some of the rows, with only the texts that occur in them."""
        texts = []
        for codes, distinct in self.texts:
            present, places = np.unique(codes[rows], return_inverse=True)
            n_missing = int(np.sum(present < 0))
            texts.append((places - n_missing, [distinct[k] for k in present[n_missing:]]))
        return RawColumns(self.measured[rows], texts, None if self.y is None else self.y[rows])


class Findings(NamedTuple):
    """Problems of columns: why one is useless, and the AUC of one that alone predicts the label."""

    useless: dict[str, str]
    leaks: dict[str, float]
    id: str | None = None  # a useless column that names every row

    def warn(self) -> None:
        """Say what was found and done: a warning of what may be kept all the same, what not, and leaks."""
        groups: dict[str | None, dict[str, str]] = {_KEEP_COLUMN: {}, _USE_WORDS: {}, None: {}}
        for name, why in self.useless.items():
            no_remedy = why.startswith((CONSTANT, COPY))
            groups[None if no_remedy else _USE_WORDS if why == FREE_TEXT else _KEEP_COLUMN][name] = why
        for remedy, columns in groups.items():
            if columns:
                listed = ", ".join(f"{quoted(name)} ({reason})" for name, reason in columns.items())
                warn_caller(TableWarning(f"columns: left out {listed}", remedy))
        if self.leaks:
            listed = ", ".join(f"{quoted(name)} (AUC {value:.4f})" for name, value in self.leaks.items())
            problem = f"columns: used {listed}, which alone ranks the labels nearly perfectly"
            remedy = "leave it out with {drop} if it is not known when a score is needed"
            warn_caller(TableWarning(problem, remedy))

    def apply(self, options: ReadOptions) -> ReadOptions:
        """The options, without the columns that are useless, and say so."""
        self.warn()
        id_column = self.id if options.id is None else options.id
        useless = [name for name in self.useless if name != id_column]
        drop = [*(options.drop or ()), *useless] or None
        return options._replace(drop=drop, id=id_column)


def check_columns(schema: Schema, raw: RawColumns, whole_file: bool) -> Findings:
    """Look at all columns that no option names; for constants and copies only in a whole file."""
    if len(raw.measured) < MIN_CHECKED:
        return Findings({}, {})
    useless: dict[str, str] = {}
    ids: list[str] = []
    measured = [*schema.numbers, *schema.dates]
    for k, name in enumerate(measured):
        values = raw.measured[:, k]
        if whole_file and is_constant(values):
            useless[name] = CONSTANT
        elif k < len(schema.numbers) and is_identifier(name, values):
            useless[name] = "an identifier: nearly every row has another whole number"
            ids += [name] if len(np.unique(values)) == len(values) else []
    for name, (codes, distinct) in zip(schema.texts, raw.texts, strict=True):
        if whole_file and len(distinct) < 2 and (not distinct or codes.min() >= 0):
            useless[name] = CONSTANT
        elif len(distinct) >= max(MIN_CHECKED, NEARLY_UNIQUE * np.sum(codes >= 0)):
            useless[name] = FREE_TEXT if has_words(distinct) else "nearly every row has another text"
            ids += [name] if len(distinct) == len(codes) and useless[name] != FREE_TEXT else []
    if whole_file:
        useless |= find_copies(schema, raw, useless)
    useless = {name: reason for name, reason in useless.items() if name not in schema.named_features}
    names = [name for name in ids if name in useless]
    return Findings(useless, find_leaks(schema, raw, useless), names[0] if names else None)


def is_constant(values: np.ndarray) -> bool:
    """Whether all rows have the same value, or none has one."""
    for part in (values[:MIN_CHECKED], values):  # a few rows rule out most columns
        same = np.isnan(part) if np.isnan(values[0]) else part == values[0]
        if not same.all():
            return False
    return True


def is_identifier(name: str, values: np.ndarray) -> bool:
    """Whether the numbers of a column were given out one by one, and measure nothing."""
    for part in (values[:MIN_CHECKED], values[:SOME_ROWS], values):  # a few rows rule out most columns
        known = part[~np.isnan(part)]
        if np.any(known != np.floor(known)) or np.any(np.abs(known) >= MAX_WHOLE):
            return False
        distinct = len(np.unique(known))
        if distinct < NEARLY_UNIQUE * len(known):
            return False
    if len(known) < MIN_CHECKED:
        return False
    repeats = len(known) - distinct
    width = known.max() - known.min() + 1
    by_chance = len(known) + width * np.expm1(-len(known) / width)  # of numbers drawn from that range
    if by_chance >= MIN_REPEATS and repeats <= FEW_REPEATS * by_chance:
        return True
    named = _ID_NAME.search(name) or _CAMEL_ID.search(name)
    return bool(named) and distinct >= UNIQUE * len(known)


def has_words(texts: list[str]) -> bool:
    """Whether texts are of several words, so that they say more than an identifier."""
    some = texts[:SOME_ROWS]
    return sum(len(text.split()) for text in some) >= MIN_WORDS * len(some) > 0


def find_copies(schema: Schema, raw: RawColumns, useless: dict[str, str]) -> dict[str, str]:
    """The columns that have the values of an earlier one in all rows; rare values may agree by chance."""
    measured = enumerate([*schema.numbers, *schema.dates])
    columns: dict[str, tuple[np.ndarray, Any]] = {
        name: (raw.measured[:, k], k < len(schema.numbers)) for k, name in measured
    }
    for name, (codes, distinct) in zip(schema.texts, raw.texts, strict=True):
        columns[name] = codes, tuple(distinct)
    groups = [[name for name in columns if name not in useless]]
    for rows in (slice(SOME_ROWS), slice(None)):  # a few rows rule out most columns
        alike: dict[Any, list[str]] = defaultdict(list)
        for names in groups:
            for name in names:
                values, kind = columns[name]
                alike[kind, hash((values[rows] + 0).tobytes())].append(name)  # -0.0 + 0 is 0.0
        groups = [names for names in alike.values() if len(names) > 1]
    varied = [names for names in groups if _n_uncommon(columns[names[0]][0]) >= MIN_CHECKED]
    return {name: COPY + quoted(names[0]) for names in varied for name in names[1:]}


def _n_uncommon(values: np.ndarray) -> int:
    """Number of rows that do not have the most common value."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max())


def find_leaks(
    schema: Schema, raw: RawColumns, useless: dict[str, str], threshold: float = LEAK
) -> dict[str, float]:
    """The columns that alone rank the labels nearly perfectly, and their AUC."""
    classes = np.empty(0) if raw.y is None else np.unique(raw.y)
    if raw.y is None or len(classes) != 2:
        return {}
    of_class = [np.flatnonzero(raw.y == label) for label in classes]
    if min(map(len, of_class)) < MIN_OF_CLASS:
        return {}
    some = [rows[:: -(-len(rows) // MAX_OF_CLASS)] for rows in of_class]  # evenly over the file
    rows = np.sort(np.concatenate(some))
    positive = raw.y[rows] == classes[1]
    measured = raw.measured[rows]
    found = dict(zip([*schema.numbers, *schema.dates], _column_aucs(measured, positive), strict=True))
    for name, (codes, _) in zip(schema.texts, raw.texts, strict=True):
        found[name] = _column_aucs(_positive_rates(codes[rows], positive)[:, None], positive)[0]
    return {name: value for name, value in found.items() if value >= threshold and name not in useless}


def _positive_rates(codes: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Share of positive rows among those with the same text; rare texts are taken together."""
    counts = np.bincount(codes + 1)  # code -1 is a missing text
    common = np.where(counts >= MIN_OF_CLASS, np.arange(len(counts)), len(counts))[codes + 1]
    positives = np.bincount(common, weights=positive)
    return (positives / np.maximum(np.bincount(common), 1))[common]


def _column_aucs(values: np.ndarray, positive: np.ndarray) -> list[float]:
    """AUC of each column, in the direction that ranks better; ties count half.

    Missing values are put below all others, and above: values missing in one class alone predict the label.
    """
    from scipy.stats import rankdata

    n_pos = int(positive.sum())
    missing = np.isnan(values)
    found = []
    for end in (-np.inf, np.inf) if missing.any() else (0.0,):
        ranks = rankdata(np.where(missing, end, values), axis=0)
        above = ranks[positive].sum(axis=0) - n_pos * (n_pos + 1) / 2
        auc = above / (n_pos * (len(positive) - n_pos))
        found.append(np.maximum(auc, 1.0 - auc))
    return np.max(found, axis=0).tolist()
