"""SAUC and its Bernstein polynomials."""

import numpy as np
from scipy.stats import binom

from oracles.iterates import project


def polynomial(loss, degree, length, margin, order=0):
    """The loss's Bernstein polynomial of this degree on [-length, length], or its derivative."""
    values = loss(length * (2 * np.arange(degree + 1) / degree - 1))
    if order:
        values, degree = degree * np.diff(values) / (2 * length), degree - 1
    u = (length + np.asarray(margin)) / (2 * length)
    return binom.pmf(np.arange(degree + 1), degree, u[..., None]) @ values


def sauc(X, y, *, loss, degree, radius, beta, proximal, kappa2=None, n_passes=1, weights=None):
    """SAUC's box: last iterate and last complete stage's average.

    The paper's a and b are kept as coefficients of past scores, so that they stay exact when a longer row
    widens the range. Without ``kappa2``, the range grows by at least a quarter when a longer row comes.
    """
    order, kappa_given = np.tile(np.arange(len(y)), n_passes), kappa2 is not None
    weights = np.ones(len(y)) if weights is None else weights
    kappa = np.sqrt(kappa2) if kappa_given else 0.0
    centre = w = np.zeros(X.shape[1])
    score, coef = np.zeros(len(order)), np.zeros((2, len(order)))
    stage, iterates, coefs, stage_weights = 1, [], [], []
    for t, i in enumerate(order):
        x, q, own, sign = X[i], weights[i], int(y[i] < 0), y[i]
        if not kappa_given and np.linalg.norm(x) > kappa * (1 + 1e-9):
            kappa = max(np.linalg.norm(x), 1.25 * kappa)
        iterates.append(w), coefs.append(coef), stage_weights.append(q)
        score[t], length, eta = w @ x, 2 * radius * kappa, q * beta / np.sqrt(stage)
        slope = (
            coef[1 - own] @ polynomial(loss, degree, length, sign * (score[t] - score), 1) if length else 0.0
        )
        pull = eta * proximal / (radius * kappa) if kappa else 0.0
        w = (w - eta / (kappa**2 or 1.0) * sign * slope * x + pull * centre) / (1 + pull)
        w = project(w, radius)
        coef = (1 - min(1, eta)) * coef
        coef[own, t] += min(1, eta)
        if len(stage_weights) == stage:
            centre = w = np.average(iterates, axis=0, weights=stage_weights)
            coef = np.average(coefs, axis=0, weights=stage_weights)
            stage, iterates, coefs, stage_weights = stage + 1, [], [], []
    return w, centre
