"""The options of reading a data file, shared by ``read``, ``stream`` and the command line."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...validation.parameters import Rule, boolean, nothing, one_of, whole

CATEGORICAL = ("onehot", "hash")
MISSING = ("zero", "mean")
ON_BAD_ROWS = ("error", "skip")


def _is_column(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _are_numbers(values: Any) -> bool:
    array = np.asarray(values)
    return array.ndim == 1 and array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


_RULES = {
    "label": Rule(_is_column, "the name or number of a column") | nothing,
    "n_features": whole | nothing,
    "categorical": one_of(*CATEGORICAL) | nothing,
    "missing": one_of(*MISSING) | nothing,
    "on_bad_rows": one_of(*ON_BAD_ROWS),
    "means": Rule(_are_numbers, "finite numbers, one for each feature,") | nothing,
    "labels": boolean,
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
    categorical : {"onehot", "hash"}, default=None
        How to encode columns of text: not at all, so that they raise an error (None), by one column for
        each value, or by a fixed number of columns chosen by a hash of name and value. X is then a
        ``csr_array``.
    missing : {"zero", "mean"}, default=None
        What to put in place of missing values: nothing, so that they raise an error (None), 0, or the mean
        of the column. A missing text leaves the columns of its values at 0.
    on_bad_rows : {"error", "skip"}, default="error"
        Whether a row that cannot be used (malformed, without a label, with a value that is missing or
        infinite) raises an error or is left out and counted.
    features : sequence of str, default=None
        Names of the features of a model: X has exactly these, in this order, and other columns are
        ignored. The label column may then be absent.
    zero_based : bool, default=None
        Whether LIBSVM features are counted from 0; by default they are if a 0 occurs. A test set may
        happen to have none: give the ``zero_based`` of the training set.
    means : sequence of float, default=None
        What ``missing="mean"`` puts in, a number for each column of X, instead of the means of this file.
        For test data give those of the training set: ``means=table.X.mean(axis=0)``.
    labels : bool, default=True
        Whether to read the labels. Otherwise ``y`` is None, and what the label column holds, or whether
        there is one, does not matter.
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

    @property
    def skip_bad_rows(self) -> bool:
        """Whether bad rows are left out instead of raising an error."""
        return self.on_bad_rows == "skip"

    def check(self) -> "ReadOptions":
        """These options, or a ParameterError that names the first one out of its range."""
        for name, rule in _RULES.items():
            rule.check(name, getattr(self, name))
        return self

    def to_dict(self) -> dict[str, Any]:
        """The options to store with a model or checkpoint, which has the feature names already."""
        return {name: value for name, value in self._asdict().items() if name != "features"}

    def with_defaults(self, known: dict[str, Any]) -> "ReadOptions":
        """These options, with the values in ``known`` in place of None."""
        unset = [name for name, value in self._asdict().items() if value is None]
        return self._replace(**{name: known.get(name) for name in unset})  # type: ignore[arg-type]
