"""Numbers beside the columns of text, which are 0 or 1, on one scale while a model is fitted."""

from typing import Any, NamedTuple

import numpy as np

from ..io.columns.encoding import TableEncoding


class Scaling(NamedTuple):
    """Mean and standard deviation of the first columns of a sparse table, which are numbers.

    In dense tables and LIBSVM text there are none. The penalty of sparse columns is between that of raw and
    that of scaled ones, so what it does depends on the units: euros or cents. Centred and scaled numbers have
    none.
    """

    mean: np.ndarray
    std: np.ndarray

    def undo(self, model: Any) -> None:
        """Put the weights of a model of scaled numbers on the scale of the table."""
        part = slice(len(self.mean))
        self.undo_weights(model.coef_[0])
        model.intercept_ = model.intercept_ - model.coef_[0, part] @ self.mean
        self.undo_weights(model.coef_se_[0])
        model.feature_scale_[part] *= self.std

    def undo_weights(self, weights: np.ndarray) -> np.ndarray:
        """Put weights of scaled numbers on the scale of the table, in place."""
        weights[: len(self.std)] /= self.std
        return weights


def scale_numbers(X: Any, encoding: TableEncoding | None) -> tuple[Any, Scaling]:
    """The rows of a table with its numbers scaled, if there are some beside columns of text; and how."""
    from scipy import sparse

    n_numbers = 0 if encoding is None else sum(len(column.measures) for column in encoding.columns)
    if n_numbers == 0 or isinstance(X, np.ndarray):
        return X, Scaling(np.empty(0), np.empty(0))
    block = X[:, :n_numbers].toarray()
    std = block.std(axis=0)
    scaling = Scaling(block.mean(axis=0), np.where(std > 0, std, 1.0))
    scaled = sparse.csr_array((block - scaling.mean) / scaling.std)
    return sparse.hstack([scaled, X[:, n_numbers:]], format="csr"), scaling
