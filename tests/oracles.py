"""Slow and obvious: what the package computes, written as the formulas say."""

import numpy as np


def pairs(X, y, weights=None):
    """All differences positive minus negative, and the products of the weights."""
    weights = np.ones(len(y)) if weights is None else weights
    pos, neg = y > 0, y <= 0
    differences = (X[pos][:, None, :] - X[neg][None, :, :]).reshape(-1, X.shape[1])
    return differences, np.outer(weights[pos], weights[neg]).ravel()


def auc(y, score, weights=None):
    """Weighted fraction of pairs in the right order; a tie counts one half."""
    differences, products = pairs(np.asarray(score, dtype=float)[:, None], np.asarray(y), weights)
    return float(products @ ((differences[:, 0] > 0) + 0.5 * (differences[:, 0] == 0)) / products.sum())


def squared_minimiser(X, y, l2, weights=None):
    """Minimiser of mean over pairs of (1 - w.(x - x'))^2 plus l2/2 |w|^2, from the pairs themselves."""
    differences, products = pairs(X, y, weights)
    products = products / products.sum()
    hessian = 2 * (differences * products[:, None]).T @ differences + l2 * np.eye(X.shape[1])
    return np.linalg.solve(hessian, 2 * products @ differences)


class Average:
    """The weighted mean of vectors, kept as a plain sum."""

    def __init__(self, n_features):
        self.total, self.weight = np.zeros(n_features), 0.0

    def add(self, w, gamma):
        self.total, self.weight = self.total + gamma * w, self.weight + gamma

    @property
    def mean(self):
        return self.total / self.weight


def project(w, radius):
    """Nearest point of the L2 ball."""
    norm = np.linalg.norm(w)
    return w if norm <= radius else w * (radius / norm)


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


def saddle_coefficient(s, positive, p, s_pos, s_neg):
    """SPAM's derivative in a row's score, from the saddle function with a, b, alpha at their optimum."""
    a, b = s_pos, s_neg
    alpha = b - a
    if positive:
        return 2 * (1 - p) * (s - a) - 2 * (1 + alpha) * (1 - p)
    return 2 * p * (s - b) + 2 * (1 + alpha) * p


def spam(X, y, *, eta, beta, kappa2, m_pos, m_neg, p, n_passes=1, weights=None):
    """SPAM with the whole data's p and class means: last iterate and average."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average, t = np.zeros(X.shape[1]), Average(X.shape[1]), 0
    for _ in range(n_passes):
        for x, positive, q in zip(X, y > 0, weights, strict=True):
            if t:
                average.add(w, 1.0)
            t += 1
            step = eta / kappa2 / np.sqrt(t)
            g = saddle_coefficient(w @ x, positive, p, w @ m_pos, w @ m_neg)
            w = (w - step * q * g * x) / (1 + step * beta)
    return w, average.mean


def streaming_spam(X, y, *, eta, beta, weights=None):
    """SPAM with running p and class means; a row is counted in p, then used, then added to its mean."""
    weights = np.ones(len(y)) if weights is None else weights
    w, average = np.zeros(X.shape[1]), Average(X.shape[1])
    sums, mass, kappa2 = {True: 0 * w, False: 0 * w}, {True: 0.0, False: 0.0}, 0.0
    for t, (x, positive, q) in enumerate(zip(X, y > 0, weights, strict=True), start=1):
        if t > 1:
            average.add(w, 1.0)
        positive, kappa2 = bool(positive), max(kappa2, x @ x)
        mass[positive] += q
        step, g = eta / kappa2 / np.sqrt(t), 0.0
        if mass[True] and mass[False]:
            p, m = mass[True] / (mass[True] + mass[False]), not positive
            other = w @ sums[m] / mass[m]
            g = 2 * (1 - p) * (w @ x - 1 - other) if positive else 2 * p * (w @ x + 1 - other)
        w = (w - step * q * g * x) / (1 + step * beta)
        sums[positive] = sums[positive] + q * x
    return w, average.mean
