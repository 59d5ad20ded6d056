"""OPAUC."""

import numpy as np

from oracles.iterates import Average


def opauc(X, y, *, eta, lam, rank=None, generator=None, weights=None):
    """OPAUC with mean and covariance (or its sketch) computed afresh from all earlier rows: last and mean."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average, kappa2 = np.zeros(X.shape[1]), Average(X.shape[1]), 0.0
    rows, counts, draws = {1: [], -1: []}, {1: [], -1: []}, {1: [], -1: []}
    for x, sign, q in zip(X, y, weights, strict=True):
        average.add(w, q)
        kappa2 = max(kappa2, x @ x)
        if rows[-sign]:
            Z, c = np.array(rows[-sign]), np.array(counts[-sign])
            mean = c @ Z / c.sum()
            if rank is None:
                root = np.sqrt(c)[:, None] * (Z - mean)
            else:
                root = (np.array(draws[-sign]).T * np.sqrt(c)) @ (Z - mean)
            v, covariance = x - mean, root.T @ root / c.sum()
            gradient = -sign * v + v * (v @ w) + covariance @ w
            w = (w - eta / kappa2 * q * gradient) / (1 + eta / kappa2 * lam)
        rows[sign].append(x), counts[sign].append(q)
        if rank is not None:
            draws[sign].append(generator.normals(rank) / np.sqrt(rank))
    return w, average.mean
