"""The options of reading a data file, shared by ``read``, ``stream`` and the command line."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...validation.parameters import (
    Rule,
    boolean,
    non_negative_integer,
    none,
    one_of,
    positive_integer,
)
from .encoding import TableEncoding

CATEGORICAL = ("auto", "onehot", "hash", "error")
MISSING = ("auto", "mean", "zero", "error")
ON_BAD_ROWS = ("error", "skip")
_NOT_STORED = ("features", "labels", "live", "check_columns", "encoding", "training_rows", "classes")
COLUMN_CHOICES = ("drop", "columns", "categorical_columns", "numeric_columns")  # made in training only
DECIMAL = (".", ",")


def _is_column(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _are_columns(values: Any) -> bool:
    return isinstance(values, list | tuple) and len(values) > 0 and all(map(_is_column, values))


def _is_delimiter(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) == 1
        and value.isascii()
        and not (value.isalnum() or value in "\"'\n\r\0")
    )


def _are_texts(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(value, str) for value in values)


def _are_numbers(values: Any) -> bool:
    array = np.asarray(values)
    return array.ndim == 1 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


_column = Rule(_is_column, "the name or number of a column") | none
_columns = Rule(_are_columns, "a list of names or numbers of columns") | none
READ_RULES = {
    "label": _column,
    "n_features": positive_integer | none,
    "categorical": one_of(*CATEGORICAL) | none,
    "missing": one_of(*MISSING) | none,
    "on_bad_rows": one_of(*ON_BAD_ROWS),
    "delimiter": Rule(_is_delimiter, "a single character, no letter, digit or quote,") | none,
    "decimal": one_of(*DECIMAL) | none,
    "skip_lines": non_negative_integer | none,
    "header": boolean | none,
    "na_values": Rule(_are_texts, "a list of texts") | none,
    "day_first": boolean | none,
    "means": Rule(_are_numbers, "finite numbers, one for each feature,") | none,
    "labels": boolean,
    "live": boolean,
    "id": _column,
    **dict.fromkeys(COLUMN_CHOICES, _columns),
    "check_columns": boolean,
    "encoding": Rule(lambda value: isinstance(value, TableEncoding), "the encoding of a table") | none,
    "classes": Rule(lambda value: isinstance(value, list | tuple), "a list of labels") | none,
    "training_rows": Rule(callable, "a function of the labels") | none,
}


class ReadOptions(NamedTuple):
    """How the rows of a file become X and y.

    Parameters
    ----------
    label : str or int, default=None
        Column of the labels in a table, by name or number (0 is the first, -1 the last); None if there are
        no labels. Not needed for LIBSVM text.
    n_features : int, default=None
        Number of columns of X; found in the file by default. LIBSVM text of a test set often uses fewer
        features than the training set: give the number of the model. With ``categorical="hash"``, the
        number of columns of numbers and hashed texts together.
    categorical : {"auto", "onehot", "hash", "error"}, default=None
        How to encode columns of text: not at all, so that they raise an error (None or "error"), by one
        column for each value, or by a fixed number of columns chosen by a hash of name and value. X is then a
        ``csr_array``. "auto" is a column for each value of at least 10 rows and one for all others; in
        ``stream``, which does not know the values beforehand, it is "hash".
    missing : {"auto", "mean", "zero", "error"}, default=None
        What to put in place of missing values: nothing, so that they raise an error (None or "error"), the
        mean of the column, or 0. "auto" is the mean, with a further column that is 1 where a value is missing
        if that is often so (in 1 % of the rows and in 10 of them); in ``stream``, which cannot know it
        beforehand, the mean of the values so far. A missing text leaves the columns of its values at 0.
    on_bad_rows : {"error", "skip"}, default="error"
        Whether a row that cannot be used (malformed, without a label, with a value that is missing or
        infinite) raises an error or is left out and counted.
    features : sequence of str, default=None
        Names of the features of a model: X has exactly these, in this order, and other columns are
        ignored. The label column may then be absent. ``encoding`` says more, and is to be preferred.
    zero_based : bool, default=None
        Whether LIBSVM features are counted from 0; by default they are if a 0 occurs. A test set may
        happen to have none: give the ``zero_based`` of the training set.
    means : sequence of float, default=None
        What ``missing="mean"`` puts in, a number for each column of X, instead of the means of this file.
    labels : bool, default=True
        Whether to read the labels. Otherwise ``y`` is None, and what the label column holds, or whether
        there is one, does not matter.
    live : bool, default=False
        Whether chunks have the rows of a pipe as they come, fewer than ``batch_size`` where no more are there
        yet. The columns are then recognised by the rows that come first.
    id : str or int, default=None
        Column that names the rows, by name or number: its values are ``ids``, and never a feature.
    drop : list of str or int, default=None
        Columns of a table to leave out, by name or number. One entry may hold several names, with commas
        between them.
    columns : list of str or int, default=None
        Columns to use as features; by default all but those of labels and IDs.
    categorical_columns : list of str or int, default=None
        Columns to take as text though they hold numbers, such as postal codes.
    numeric_columns : list of str or int, default=None
        Columns to take as numbers though some values are text, which is then an error in its row.
    check_columns : bool, default=False
        Whether to leave out columns that no model can use (identifiers, texts that differ in nearly every
        row, constants, copies), unless an option names them, and to warn of them and of columns that
        alone rank the labels nearly perfectly.
    encoding : TableEncoding, default=None
        How the columns of the training table became features, to read other data alike:
        ``read("test.csv", encoding=train.encoding)``. The label column may then be absent.
    training_rows : callable, default=None
        Of a table that is to be split after it was read: a function that takes the labels and returns the
        numbers of the rows from which means and texts are learnt. By default these are all rows.
    classes : list, default=None
        The labels that rows may have, for data whose labels are known: a row with another one is a bad row.
    delimiter : str, default=None
        Character between the columns of delimited text; found in the file by default.
    decimal : {".", ","}, default=None
        Decimal mark of delimited text; found in the file by default.
    skip_lines : int, default=None
        Lines of delimited text above the header, or above the rows; by default a ``sep=;`` line, and lines
        with a single cell above a table of several columns.
    header : bool, default=None
        Whether delimited text has the names of the columns; by default it does if the first line has only
        words, or a word above a column of numbers or dates.
    na_values : list of str, default=None
        Further texts that stand for a missing value in delimited text, beside empty cells, ``NA``, ``null``,
        ``None``, ``?``, ``-`` and the like.
    day_first : bool, default=None
        Whether 1/2/2024 is the first of February; found in the file by default.
    """

    label: str | int | None = None
    n_features: int | None = None
    categorical: str | None = None
    missing: str | None = None
    on_bad_rows: str = "error"
    features: Sequence[str] | None = None
    zero_based: bool | None = None
    means: Sequence[float] | np.ndarray | None = None
    labels: bool = True
    live: bool = False
    id: str | int | None = None
    drop: Sequence[str | int] | None = None
    columns: Sequence[str | int] | None = None
    categorical_columns: Sequence[str | int] | None = None
    numeric_columns: Sequence[str | int] | None = None
    check_columns: bool = False
    encoding: TableEncoding | None = None
    training_rows: Callable[[np.ndarray], np.ndarray] | None = None
    classes: Sequence[Any] | None = None
    delimiter: str | None = None
    decimal: str | None = None
    skip_lines: int | None = None
    header: bool | None = None
    na_values: Sequence[str] | None = None
    day_first: bool | None = None

    @property
    def skip_bad_rows(self) -> bool:
        """Whether bad rows are left out instead of raising an error."""
        return self.on_bad_rows == "skip"

    @property
    def fills_missing(self) -> bool:
        """Whether missing values are filled in."""
        return self.missing not in (None, "error")

    @property
    def encodes_text(self) -> bool:
        """Whether columns of text become features."""
        return self.categorical not in (None, "error")

    @property
    def chosen_columns(self) -> list[str]:
        """The options given that choose columns of a table."""
        return [name for name in (*COLUMN_CHOICES, "id") if getattr(self, name) is not None]

    def check(self) -> "ReadOptions":
        """These options, or a ParameterError that names the first one out of its range."""
        for name, rule in READ_RULES.items():
            rule.check(name, getattr(self, name))
        return self

    def to_dict(self) -> dict[str, Any]:
        """The options to store with a model or checkpoint, which has the feature names already."""
        kept = {name: value for name, value in self._asdict().items() if name not in _NOT_STORED}
        return kept if self.encoding is None else kept | {"encoding": self.encoding.to_dict()}

    def for_training(self) -> "ReadOptions":
        """These options, with text and missing values handled where they say nothing of them."""
        return self.with_defaults({"categorical": "auto", "missing": "auto"})._replace(check_columns=True)

    def for_encoding(self, encoding: TableEncoding) -> "ReadOptions":
        """These options, to read other data as the training data with this encoding were."""
        learnt = dict.fromkeys(("n_features", "categorical", "missing", "features", "means", *COLUMN_CHOICES))
        return self._replace(**learnt, check_columns=False, encoding=encoding)  # type: ignore[arg-type]

    def with_defaults(self, known: dict[str, Any]) -> "ReadOptions":
        """These options, with the values in ``known`` in place of None."""
        unset = [name for name, value in self._asdict().items() if value is None]
        return self._replace(**{name: known[name] for name in unset if name in known})
