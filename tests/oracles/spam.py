"""SPAM, with an L2 penalty or an elastic net."""

import numpy as np

from oracles.iterates import Average


def saddle_coefficient(s, positive, p, s_pos, s_neg):
    """SPAM's derivative in a row's score, from the saddle function with a, b, alpha at their optimum."""
    a, b = s_pos, s_neg
    alpha = b - a
    if positive:
        return 2 * (1 - p) * (s - a) - 2 * (1 + alpha) * (1 - p)
    return 2 * p * (s - b) + 2 * (1 + alpha) * p


def elastic_net_step(u, threshold, divisor):
    """The elastic net's proximal map."""
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0) / divisor


def spam(X, y, *, eta, beta, kappa2, m_pos, m_neg, p, beta1=0.0, n_passes=1, weights=None):
    """SPAM with an elastic net and the whole data's p and class means: last iterate and average."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average, t = np.zeros(X.shape[1]), Average(X.shape[1]), 0
    for _ in range(n_passes):
        for x, positive, q in zip(X, y > 0, weights, strict=True):
            if t:
                average.add(w, 1.0)
            t += 1
            step = eta / kappa2 / np.sqrt(t)
            g = saddle_coefficient(w @ x, positive, p, w @ m_pos, w @ m_neg)
            w = elastic_net_step(w - step * q * g * x, step * beta1, 1 + step * beta)
    return w, average.mean


def streaming_spam(X, y, *, eta, beta, beta1=0.0, weights=None):
    """SPAM with running p and class means; a row is counted, then used, then added to its mean."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average = np.zeros(X.shape[1]), Average(X.shape[1])
    sums, weight_of, kappa2 = {True: 0 * w, False: 0 * w}, {True: 0.0, False: 0.0}, 0.0
    for t, (x, positive, q) in enumerate(zip(X, (y > 0).tolist(), weights, strict=True), start=1):
        if t > 1:
            average.add(w, 1.0)
        kappa2 = max(kappa2, x @ x)
        weight_of[positive] += q
        step, g = eta / kappa2 / np.sqrt(t), 0.0
        if weight_of[True] and weight_of[False]:
            p = weight_of[True] / (weight_of[True] + weight_of[False])
            other = w @ sums[not positive] / weight_of[not positive]
            g = 2 * (1 - p) * (w @ x - 1 - other) if positive else 2 * p * (w @ x + 1 - other)
        w = elastic_net_step(w - step * q * g * x, step * beta1, 1 + step * beta)
        sums[positive] = sums[positive] + q * x
    return w, average.mean
