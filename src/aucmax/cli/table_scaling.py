"""Numbers beside the columns of text, which are 0 or 1, on one scale while a model is fitted."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..io.reading.reader import Table


class Scaling(NamedTuple):
    """Mean and standard deviation of the first columns of a sparse table, which are numbers.

    In dense tables and LIBSVM text there are none. The penalty of sparse columns is between that of raw and
    that of scaled ones, so what it does depends on the units: euros or cents. Centred and scaled numbers have
    none.
    """

    mean: np.ndarray
    std: np.ndarray

    @classmethod
    def of(cls, table: "Table") -> "Scaling":
        """The scaling of a table."""
        if table.encoding is None or isinstance(table.X, np.ndarray):
            return cls(np.empty(0), np.empty(0))
        n_numbers = sum(len(column.measures) for column in table.encoding.columns)
        block = table.X[:, :n_numbers].toarray()
        std = block.std(axis=0)
        return cls(block.mean(axis=0), np.where(std > 0, std, 1.0))

    def apply(self, table: "Table") -> "Table":
        """The table with its numbers scaled."""
        from scipy import sparse

        n_numbers = len(self.mean)
        if n_numbers == 0 or isinstance(table.X, np.ndarray):
            return table
        block = (table.X[:, :n_numbers].toarray() - self.mean) / self.std
        X = sparse.hstack([sparse.csr_array(block), table.X[:, n_numbers:]], format="csr")
        return table._replace(X=X)

    def undo(self, model: Any) -> None:
        """Put the weights of a model of scaled numbers on the scale of the table."""
        part = slice(len(self.mean))
        self.undo_weights(model.coef_[0])
        model.intercept_ = model.intercept_ - model.coef_[0, part] @ self.mean
        self.undo_weights(model.coef_se_[0])
        model.feature_scale_[part] *= self.std

    def undo_weights(self, weights: np.ndarray) -> None:
        """Put weights of scaled numbers on the scale of the table, in place."""
        weights[: len(self.std)] /= self.std
