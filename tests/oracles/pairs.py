"""Sums over all pairs, from the explicit differences of rows."""

from functools import cache

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.preprocessing import normalize


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


def pair_gradient(X, y, w, *, weights, m_pos, m_neg, p, **_):
    """Gradient of p(1-p) times the mean squared pair loss, from the pairs themselves."""
    differences, products = pairs(X, y, weights)
    return 2 * p * (1 - p) * (products * (differences @ w - 1)) @ differences / products.sum()


def wide_minimiser(X, y, l2):
    """Minimiser of the mean squared pair loss plus l2/2 |w|^2 for many features, by conjugate gradients."""
    pos, neg = X[y > 0], X[y <= 0]
    m_pos, m_neg = np.asarray(pos.mean(axis=0)).ravel(), np.asarray(neg.mean(axis=0)).ravel()
    b = m_neg - m_pos

    def hessian(w):
        inside = pos.T @ (pos @ w) / pos.shape[0] + neg.T @ (neg @ w) / neg.shape[0]
        return 2 * (inside - m_pos * (m_pos @ w) - m_neg * (m_neg @ w) + b * (b @ w)) + l2 * w

    operator = LinearOperator((len(b), len(b)), matvec=hessian, dtype=float)
    w, failed = cg(operator, -2 * b, rtol=1e-13, maxiter=5000)
    assert not failed
    return w


@cache
def real_problem(load, name, n_features, l2):
    """Unit rows of a data set, even labels against odd ones if there are many, and the minimiser."""
    X, labels = load(name, n_features)
    X, y = normalize(X), (labels > 0 if len(np.unique(labels)) == 2 else labels % 2 == 0)
    return X, y, wide_minimiser(X, y, l2)


def pair_sums(loss, score, y, t):
    """Mean loss over all pairs: value, gradient, Hessian in the scores times ``t``, and its diagonal."""
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    weight = np.outer(y[pos], -y[neg])
    weight = weight / weight.sum()
    margin = score[pos][:, None] - score[neg]
    slope, second = weight * loss.derivative(margin), weight * loss.second(margin)
    gradient, curvature, diagonal = np.zeros((3, len(score)))
    gradient[pos], gradient[neg] = slope.sum(axis=1), -slope.sum(axis=0)
    product = second * (t[pos][:, None] - t[neg])
    curvature[pos], curvature[neg] = product.sum(axis=1), -product.sum(axis=0)
    diagonal[pos], diagonal[neg] = second.sum(axis=1), second.sum(axis=0)
    return (weight * loss.value(margin)).sum(), gradient, curvature, diagonal
