"""The spread of the columns of a stream, without which a weight does not tell how much a column counts."""

from typing import Any

import numpy as np

Sums = dict[str, Any]  # n_rows, origin, sums and squares of the values less the origin


def add_rows(found: Sums | None, X: Any) -> Sums | None:
    """The sums with those of further rows; the arrays are changed in place."""
    if not X.shape[0]:
        return found
    is_dense = isinstance(X, np.ndarray)
    if found is None:
        sums, squares = np.zeros((2, X.shape[1]))
        origin = X.mean(axis=0) if is_dense else np.zeros(X.shape[1])
        found = {"n_rows": 0, "origin": origin, "sums": sums, "squares": squares}
    with np.errstate(over="ignore", invalid="ignore"):
        if is_dense:
            values = X - found["origin"]
            found["sums"] += values.sum(axis=0)
            found["squares"] += (values * values).sum(axis=0)
        else:
            np.add.at(found["sums"], X.indices, X.data)
            np.add.at(found["squares"], X.indices, X.data * X.data)
    return found | {"n_rows": found["n_rows"] + X.shape[0]}


def standard_deviations(found: Sums) -> np.ndarray:
    """The spread of each column."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = found["squares"] / found["n_rows"] - (found["sums"] / found["n_rows"]) ** 2
        return np.sqrt(np.maximum(np.nan_to_num(variance), 0.0))
