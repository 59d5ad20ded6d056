"""Rows in Dask arrays, and the Bernstein polynomial of a loss."""

import dask.array as da
import numpy as np
from scipy.stats import binom


def problem(n_rows=200, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.7)
    y = (X @ rng.normal(size=n_features) + rng.normal(size=n_rows) > 0.8).astype(int)
    X = np.round(X + np.linspace(-1, 3, n_features), 3).astype(np.float32).astype(float)
    return X, y, rng.uniform(0.0, 2.0, n_rows) * (rng.random(n_rows) < 0.9)


def spread(X, y, *weights, chunks=40):
    return da.from_array(X, chunks=(chunks, -1)), *(
        da.from_array(part, chunks=chunks) for part in (y, *weights)
    )


def bernstein(loss, degree, length):
    """The Bernstein polynomial of a loss for margins within ``length``, as a binomial expectation."""
    heights = loss.value(length * (2 * np.arange(degree + 1) / degree - 1))
    return lambda margin: (
        binom.pmf(np.arange(degree + 1), degree, 0.5 + 0.5 * margin[..., None] / length) @ heights
    )
