"""Uni-Exp."""

import numpy as np

from oracles.iterates import Average


def uniexp(X, y, *, eta, weights=None):
    """Gradient steps on the balanced exponential loss of single rows: last iterate, average, intercept."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average, bias = np.zeros(X.shape[1]), Average(X.shape[1]), 0.0
    weight_of, kappa2 = {1: 0.0, -1: 0.0}, 0.0
    for t, (x, sign, q) in enumerate(zip(X, y, weights, strict=True), start=1):
        average.add(w, q)
        kappa2, weight_of[sign] = max(kappa2, x @ x), weight_of[sign] + q
        share = weight_of[sign] / (weight_of[1] + weight_of[-1])
        move = q * eta / np.sqrt(t) * sign * np.exp(-sign * (w @ x + bias)) / (2 * share)
        w, bias = w + move / kappa2 * x, bias + move
    return w, average.mean, bias
