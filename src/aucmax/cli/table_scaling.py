"""Standardise the numeric columns of a sparse table while a model is fitted, and undo that in its weights."""

from typing import Any, NamedTuple

import numpy as np

from ..io.columns.encoding import TableEncoding


class Scaling(NamedTuple):
    """Mean and standard deviation of the numeric columns, which are the first ones of a sparse table.

    The estimator scales sparse columns only in part, so without this the effect of the penalty would depend
    on units, such as euros or cents. Both arrays are empty for dense tables and LIBSVM text.
    """

    mean: np.ndarray
    std: np.ndarray

    def undo(self, model: Any) -> None:
        """Convert the weights of a model of standardised numbers to the units of the table."""
        numeric = slice(len(self.mean))
        self.undo_weights(model.coef_[0])
        model.intercept_ = model.intercept_ - model.coef_[0, numeric] @ self.mean
        self.undo_weights(model.coef_se_[0])
        model.feature_scale_[numeric] *= self.std

    def undo_weights(self, weights: np.ndarray) -> np.ndarray:
        """Convert weights of standardised numbers to the units of the table, in place."""
        weights[: len(self.std)] /= self.std
        return weights


def scale_numbers(X: Any, encoding: TableEncoding | None) -> tuple[Any, Scaling]:
    """The rows with numeric columns standardised if X is sparse, and the means and deviations for that."""
    from scipy import sparse

    n_numbers = 0 if encoding is None else sum(len(column.measures) for column in encoding.columns)
    if n_numbers == 0 or isinstance(X, np.ndarray):
        return X, Scaling(np.empty(0), np.empty(0))
    block = X[:, :n_numbers].toarray()
    std = block.std(axis=0)
    scaling = Scaling(block.mean(axis=0), np.where(std > 0, std, 1.0))
    scaled = sparse.csr_array((block - scaling.mean) / scaling.std)
    return sparse.hstack([scaled, X[:, n_numbers:]], format="csr"), scaling
