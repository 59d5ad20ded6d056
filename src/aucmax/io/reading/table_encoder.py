"""A data frame as the features of a model: what the command line does with the rows of a file."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags

from ...validation.columns import is_frame
from ...validation.errors import DataError
from .errors import MissingValue
from .options import ReadOptions
from .schema import HASH_PREFIX, check_distinct, table_schema
from .source import import_optional


class Columns(NamedTuple):
    """Where each feature comes from: its index, by column of numbers, or by column of text and value."""

    numbers: dict[str, int]
    texts: dict[str, dict[str, int]]

    @property
    def names(self) -> list[str]:
        """All columns, numbers first."""
        return [*self.numbers, *self.texts]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a data frame into the features of a model, as `aucmax predict` does with a file.

    `load_model` puts it before the model of a table. Columns are found by name and in any order, further ones
    are ignored, and nothing is learnt from the rows: all settings are parameters.

    Parameters
    ----------
    features : sequence of str
        Names of the features: of columns of numbers, or ``column=value`` for a value of a column of text.
    categorical : {"onehot", "hash"}, default=None
        How text was encoded in training; None if there was none.
    missing : {"zero", "mean"}, default=None
        What to put in place of missing values; None raises an error.
    means : sequence of float, default=None
        Mean of each feature in training, for ``missing="mean"``.
    label : str or int, default=None
        Column of labels, which is no feature.

    Examples
    --------
    >>> import pandas
    >>> encoder = TableEncoder(["age", "city=Oslo", "city=Rome"], categorical="onehot")
    >>> encoder.transform(pandas.DataFrame({"city": ["Rome", "Bonn"], "age": [31, 28]})).toarray()
    array([[31.,  0.,  1.],
           [28.,  0.,  0.]])
    """

    def __init__(
        self,
        features: Sequence[str] = (),
        categorical: str | None = None,
        missing: str | None = None,
        means: Sequence[float] | np.ndarray | None = None,
        label: str | int | None = None,
    ) -> None:
        self.features = features
        self.categorical = categorical
        self.missing = missing
        self.means = means
        self.label = label

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Check the parameters; there is nothing to learn."""
        self._options()
        return self

    def transform(self, X: Any) -> Any:
        """The features of each row of a data frame (pandas, polars, Arrow), dense or CSR.

        Arrays and sparse matrices are taken as features that are encoded already.
        """
        if not (is_frame(X) or hasattr(X, "__arrow_c_stream__")):
            return X
        import_optional("pyarrow", "Scoring a data frame")
        from .arrow import pyarrow_errors
        from .columns import column_kind
        from .encoder import Encoder

        options = self._options()
        with pyarrow_errors():
            table = _as_arrow(X)
            kinds = {field.name: column_kind(field.type) for field in table.schema}
            check_distinct(table.column_names, "two columns are called", "rename one")
            try:
                schema = table_schema(kinds, options, named=True, streaming=False)._replace(label=None)
                rows = table.select(schema.columns)
                encoded, _ = Encoder(schema, options).encode(rows, lambda k: f"row {k}")
            except DataError as error:
                if isinstance(error, MissingValue):
                    error.remedy = 'fill it in, for example by model.set_params(table__missing="mean")'
                raise error.located("the data frame") from None
        return encoded

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features."""
        return np.array(self.features, dtype=object)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The columns of the data frame."""
        try:
            return np.array(self.columns().names, dtype=object)
        except DataError as error:
            raise AttributeError(str(error)) from error

    def columns(self) -> Columns:
        """The columns that the features come from; a DataError if text is hashed, so that none is known."""
        numbers: dict[str, int] = {}
        texts: dict[str, dict[str, int]] = {}
        for k, feature in enumerate(self.features):
            column, equals, value = feature.partition("=")
            if self.categorical == "hash" and feature.startswith(HASH_PREFIX):
                problem = "the model hashes text, so its columns and values are not known"
                raise DataError(problem, remedy='train it with {categorical="onehot"}')
            if self.categorical == "onehot" and equals:
                texts.setdefault(column, {})[value] = k
            else:
                numbers[feature] = k
        return Columns(numbers, texts)

    def _options(self) -> ReadOptions:
        if self.missing == "mean" and self.means is None:
            raise DataError('missing="mean" needs the means of the training data', remedy="give {means}")
        settings = dict(label=self.label, categorical=self.categorical, missing=self.missing)
        return ReadOptions(**settings, features=list(self.features), means=self.means).check()  # type: ignore[arg-type]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _as_arrow(X: Any) -> Any:
    import pyarrow as pa

    if hasattr(X, "iloc"):  # pandas: NaN is a missing value, and the index is no column
        return pa.Table.from_pandas(X, preserve_index=False)
    return X.to_arrow() if hasattr(X, "to_arrow") else pa.table(X)
