"""SOLAM."""

import numpy as np

from oracles.iterates import Average, project


def solam(X, y, *, zeta, radius, weights=None):
    """SOLAM's box, O(d) a row: last iterate and weighted average of the rows in order."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average = np.zeros(X.shape[1]), Average(X.shape[1])
    a = b = alpha = pos = total = kappa2 = 0.0
    for t, (x, positive, q) in enumerate(zip(X, y > 0, weights, strict=True), start=1):
        total, pos, kappa2 = total + q, pos + q * positive, max(kappa2, x @ x)
        p, gamma, s = pos / total, q * zeta / np.sqrt(t), w @ x
        average.add(w, gamma)
        bound = radius * np.sqrt(kappa2)
        if positive:
            gw, ga, gb = 2 * (1 - p) * (s - a - 1 - alpha), -2 * (1 - p) * (s - a), 0.0
            galpha = -2 * (1 - p) * s - 2 * p * (1 - p) * alpha
        else:
            gw, ga, gb = 2 * p * (s - b + 1 + alpha), 0.0, -2 * p * (s - b)
            galpha = 2 * p * s - 2 * p * (1 - p) * alpha
        w = project(w - gamma / kappa2 * gw * x, radius)
        a, b = np.clip(a - gamma * ga, -bound, bound), np.clip(b - gamma * gb, -bound, bound)
        alpha = np.clip(alpha + gamma * galpha, -2 * bound, 2 * bound)
    return w, average.mean
