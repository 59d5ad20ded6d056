"""RegSOLAM."""

import numpy as np

from oracles.iterates import Average, project


def regsolam(X, y, *, zeta, lam, weights):
    """SOLAM's box with the penalty taken implicitly: last iterate and weighted average."""
    radius = np.sqrt(2 / lam)
    w, average = np.zeros(X.shape[1]), Average(X.shape[1])
    a = b = alpha = pos = total = kappa2 = 0.0
    for t, (x, positive, q) in enumerate(zip(X, y > 0, weights, strict=True), start=1):
        total, pos, kappa2 = total + q, pos + q * positive, max(kappa2, x @ x)
        p, gamma, s, bound = pos / total, q * zeta / np.sqrt(t), w @ x, radius * np.sqrt(kappa2)
        average.add(w, gamma)
        if positive:
            g = 2 * (1 - p) * (s - a) - 2 * (1 + alpha) * (1 - p)
            ascent = -2 * (1 - p) * s - 2 * p * (1 - p) * alpha
            a = np.clip(a + gamma * 2 * (1 - p) * (s - a), -bound, bound)
        else:
            g = 2 * p * (s - b) + 2 * (1 + alpha) * p
            ascent = 2 * p * s - 2 * p * (1 - p) * alpha
            b = np.clip(b + gamma * 2 * p * (s - b), -bound, bound)
        alpha = np.clip(alpha + gamma * ascent, -2 * bound, 2 * bound)
        w = project((w - gamma / kappa2 * g * x) / (1 + gamma / kappa2 * lam), radius)
    return w, average.mean
