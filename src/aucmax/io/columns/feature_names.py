"""The encoding of a table, inferred from the names of its features, for models that kept only these.

A feature ``column=value`` is a value of a column of text, ``hash_7`` a hash of the columns of text.
"""

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...validation.errors import DataError
from .encoding import HASH_PREFIX, ColumnEncoding, TableEncoding
from .errors import quoted

SAME_COLUMNS = "give a table with the same columns as the training data"


class FeatureNames(NamedTuple):
    """The names of a model's features, and the options of its training; the means replace missing values."""

    features: Sequence[str]
    categorical: str | None = None
    missing: str | None = None
    means: Sequence[float] | np.ndarray | None = None
    label: str | int | None = None

    @classmethod
    def of_options(cls, features: Sequence[str], reading: dict[str, Any]) -> "FeatureNames":
        """From the options of the training, as a model file has them."""
        known = {name: reading.get(name) for name in ("categorical", "missing", "means", "label")}
        if known["means"] is None and known["missing"] == "mean":
            known["missing"] = None  # the score of a row must not depend on other rows
        return cls(features, **known)

    def encoding(self, kinds: dict[str, str] | None = None) -> TableEncoding:
        """The encoding of a table with columns of these kinds; without them, as the names suggest."""
        numbers, texts, hashed = self._sources(kinds)
        if hashed and kinds is None:
            problem = "the model hashes text, so its columns and values are not known"
            raise DataError(problem, remedy='train it without {stream}, with {categorical="onehot"}')
        fills = self._fills()
        columns = [ColumnEncoding(name, "number", fills.get(name, 0.0)) for name in numbers]
        columns += [ColumnEncoding(name, "text", levels=tuple(levels)) for name, levels in texts.items()]
        columns += [ColumnEncoding(name, "text", hashed=True) for name in hashed]
        n_buckets = len(self.features) - len(numbers) if hashed else 0
        label = self.label if isinstance(self.label, str) else None
        fills_missing = self.missing not in (None, "error")
        return TableEncoding(tuple(columns), n_buckets, fills_missing, label, features=tuple(self.features))

    def _fills(self) -> dict[str, float]:
        if self.means is None or self.missing == "zero":
            return {}
        return dict(zip(self.features, enough_means(self.means, len(self.features)), strict=True))

    def _sources(self, kinds: dict[str, str] | None) -> tuple[list[str], dict[str, list[str]], list[str]]:
        """Columns of numbers, levels of the columns of text, and columns of hashed text."""
        numbers: list[str] = []
        texts: dict[str, list[str]] = {}
        hashes = False
        for feature in self.features:
            if kinds is not None and feature in kinds:
                numbers.append(feature)
            elif self.categorical == "hash" and feature.startswith(HASH_PREFIX):
                hashes = True
            elif self.categorical == "onehot" and (column := _text_column(feature, kinds)) is not None:
                texts.setdefault(column, []).append(feature[len(column) + 1 :])
            else:
                numbers.append(feature)  # if the table has no such column, its schema says so
        hashed = [] if not hashes else [""] if kinds is None else _hashed_columns(kinds, numbers)
        return numbers, texts, hashed


def enough_means(means: Sequence[float] | np.ndarray, n_features: int) -> list[float]:
    """A mean for each feature; a DataError if there are fewer."""
    if len(means) < n_features:
        problem = f"it has {n_features} features, but there are means for {len(means)}"
        raise DataError(problem, remedy=SAME_COLUMNS)
    return [float(mean) for mean in means[:n_features]]


def _text_column(feature: str, columns: Container[str] | None) -> str | None:
    """The column of a feature called ``column=value``, among ``columns`` if one is; both may have a ``=``."""
    found = [feature[:end] for end, character in enumerate(feature) if character == "="]
    known = [column for column in found if columns is None or column in columns]
    return next(iter(known or found), None)


def _hashed_columns(kinds: dict[str, str], numbers: Container[str]) -> list[str]:
    """All columns but the numbers: the names of text columns are not among those of the features."""
    others = [column for column in kinds if column not in numbers]
    for column in others:
        if kinds[column] == "number":
            problem = f"the training data had no column {quoted(column)} of numbers"
            raise DataError(problem, remedy="remove the column")
    if not others:
        raise DataError("it has no text columns, which the model hashes", remedy=SAME_COLUMNS)
    return others
