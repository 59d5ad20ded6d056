"""A data frame as the features of a model: what the command line does with the rows of a file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ...validation.columns import is_frame
from ...validation.errors import DataError
from ...validation.optional import import_optional
from .encoding import TableEncoding
from .errors import MissingValue
from .feature_names import FeatureNames
from .features import Matrix
from .options import ReadOptions
from .schema import check_distinct, table_schema


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a data frame into features, as `aucmax train` and `aucmax predict` do with a file.

    Numbers stay; text becomes a feature for each value, rare ones together; dates become year, month,
    weekday, hour and days; missing values are filled. Columns are found by name and in any order, further
    ones are ignored.
    `load_model` puts a fitted one before the model of a table.

    Parameters
    ----------
    categorical : {"auto", "onehot", "hash", "error"}, default="auto"
        How to encode text, see `aucmax.io.read`.
    missing : {"auto", "mean", "zero", "error"}, default="auto"
        What to put in place of missing values.
    drop, columns, categorical_columns, numeric_columns : list of str or int, default=None
        Which columns are features, and which of them are text or numbers whatever they hold.
    check_columns : bool, default=True
        Whether to leave out identifiers, texts that differ in nearly every row, constants and copies of other
        columns, and to warn of them.

    Attributes
    ----------
    encoding_ : TableEncoding
        How each column becomes features. Of models that versions before 0.2 wrote, the names of the features.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"city": ["Rome", "Oslo"] * 10, "age": range(30, 50)})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'city=Oslo', 'city=Rome']
    >>> encoder.transform(pandas.DataFrame({"city": ["Rome", None], "age": [31, None]})).toarray()
    array([[31. ,  0. ,  1. ],
           [39.5,  0. ,  0. ]])
    """

    def __init__(
        self,
        categorical: str = "auto",
        missing: str = "auto",
        *,
        drop: Sequence[str | int] | None = None,
        columns: Sequence[str | int] | None = None,
        categorical_columns: Sequence[str | int] | None = None,
        numeric_columns: Sequence[str | int] | None = None,
        check_columns: bool = True,
    ) -> None:
        self.categorical = categorical
        self.missing = missing
        self.drop = drop
        self.columns = columns
        self.categorical_columns = categorical_columns
        self.numeric_columns = numeric_columns
        self.check_columns = check_columns

    @classmethod
    def of(cls, encoding: TableEncoding | FeatureNames) -> "TableEncoder":
        """A fitted encoder that applies an encoding."""
        encoder = cls()
        encoder.encoding_ = encoding
        return encoder

    @staticmethod
    def upgrade_state(state: dict[str, Any]) -> dict[str, Any]:
        """The attributes of an encoder in a file, which may be one that kept the names of its features."""
        if "features" not in state:
            return state
        return dict(vars(TableEncoder.of(FeatureNames.of_options(state["features"], state))))

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Learn from a data frame how its columns become features; ``y`` serves to find leaks."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Learn how columns become features, and return those of the rows."""
        if not (is_frame(X) or hasattr(X, "__arrow_c_stream__")):
            raise DataError("a TableEncoder needs a data frame", remedy="give one of pandas, polars or Arrow")
        options = ReadOptions(**self.get_params())
        self.encoding_: TableEncoding | FeatureNames
        features, self.encoding_ = _encode(X, options.check(), y)
        return features

    def transform(self, X: Any) -> Any:
        """The features of each row of a data frame (pandas, polars, Arrow), dense or CSR.

        Arrays and sparse matrices are taken as features that are encoded already.
        """
        check_is_fitted(self)
        if not (is_frame(X) or hasattr(X, "__arrow_c_stream__")):
            return X
        if isinstance(self.encoding_, FeatureNames):
            options = ReadOptions(**self.encoding_._asdict())
        else:
            options = ReadOptions(encoding=self.encoding_)
        return _encode(X, options)[0]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features."""
        check_is_fitted(self)
        known = self.encoding_
        names = known.features if isinstance(known, FeatureNames) else known.feature_names
        return np.array(names, dtype=object)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The columns of the data frame."""
        try:
            return np.array([column.name for column in self.known_encoding().columns], dtype=object)
        except DataError as error:
            raise AttributeError(str(error)) from error

    def known_encoding(self) -> TableEncoding:
        """The encoding; of a model that kept only the names of its features, as inferred from these."""
        check_is_fitted(self)
        known = self.encoding_
        return known.encoding() if isinstance(known, FeatureNames) else known

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _encode(X: Any, options: ReadOptions, y: Any = None) -> tuple[Matrix, TableEncoding]:
    """The features of a data frame, and their encoding."""
    import_optional("pyarrow", "Encoding a data frame")
    from .arrow_values import column_kind, pyarrow_errors
    from .encoder import Encoder

    try:
        with pyarrow_errors("give each column values of one type"):
            if is_frame(X):
                check_distinct(list(map(str, X.columns)), "two columns are called", "rename one")
            table = _as_arrow(X)
            if not table.num_rows:
                raise DataError("it has no rows", remedy="give one or more")
            kinds = {field.name: column_kind(field.type) for field in table.schema}
            check_distinct(table.column_names, "two columns are called", "rename one")
            schema = table_schema(kinds, options, named=True, streaming=False)._replace(label=None, id=None)
            encoder = Encoder(schema, options)
            features, _ = encoder.encode(
                table.select(schema.columns), lambda k: ("the data frame", f"row {k}"), y
            )
    except DataError as error:
        if isinstance(error, MissingValue):
            error.remedy = "fill it in before"
        raise error.located("the data frame") from None
    encoder.warn_of_new_data()
    assert encoder.encoding is not None
    return features, encoder.encoding


def _as_arrow(X: Any) -> Any:
    import pyarrow as pa

    if hasattr(X, "iloc"):  # pandas: NaN is a missing value, and the index is no column
        return pa.Table.from_pandas(X, preserve_index=False)
    return X.to_arrow() if hasattr(X, "to_arrow") else pa.table(X)
