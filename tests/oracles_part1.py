"""Slow and obvious: the regularised, proximal and primal-dual methods, O(d) or more a row."""

from functools import cache

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.preprocessing import normalize

from oracles import Average, pairs, project, saddle_coefficient


def statistics(X, y, weights=None):
    """What the methods that see all rows start from, with weights scaled to mean one."""
    weights = np.ones(len(y)) if weights is None else weights / weights.mean()
    pos, neg = np.where(y > 0, weights, 0), np.where(y > 0, 0, weights)
    return dict(
        weights=weights,
        kappa2=(X**2).sum(1).max(),
        m_pos=pos @ X / pos.sum(),
        m_neg=neg @ X / neg.sum(),
        p=pos.sum() / weights.sum(),
    )


def spdam(X, y, *, lam, sigma, tau, theta, batches, weights, m_pos, m_neg, p, **_):
    """SPDAM on explicit centred rows: the iterate after each batch."""
    n, d = X.shape
    b = m_neg - m_pos
    centred = X - np.where((y > 0)[:, None], m_pos, m_neg)
    Z = centred * np.sqrt(weights / np.where(y > 0, p, 1 - p))[:, None]
    beta, w, u = np.zeros(n), np.zeros(d), np.zeros(d)
    ahead, iterates = w, []
    for batch in batches:
        new = (beta[batch] + sigma * Z[batch] @ ahead) / (1 + sigma)
        du = (new - beta[batch]) @ Z[batch] / n
        beta[batch] = new
        r = w / tau - (u + n / len(batch) * du) - b
        u = u + du
        before, w = w, np.linalg.solve((lam + 1 / tau) * np.eye(d) + np.outer(b, b), r)
        ahead = w + theta * (w - before)
        iterates.append(w)
    return iterates


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


def shrunk(u, threshold, divisor):
    """The elastic net's proximal map."""
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0) / divisor


def spam_net(X, y, *, eta, beta, beta1, weights, kappa2, m_pos, m_neg, p, n_passes=1):
    """SPAM with an elastic net and the whole data's p and class means: last iterate and average."""
    w, average, t = np.zeros(X.shape[1]), Average(X.shape[1]), 0
    for _ in range(n_passes):
        for x, positive, q in zip(X, y > 0, weights, strict=True):
            if t:
                average.add(w, 1.0)
            t += 1
            step = eta / kappa2 / np.sqrt(t)
            g = saddle_coefficient(w @ x, positive, p, w @ m_pos, w @ m_neg)
            w = shrunk(w - step * q * g * x, step * beta1, 1 + step * beta)
    return w, average.mean


def streaming_spam_net(X, y, *, eta, beta, beta1, weights):
    """The same with running p and class means; a row is counted, then used, then added to its mean."""
    w, average = np.zeros(X.shape[1]), Average(X.shape[1])
    sums, mass, kappa2 = {True: 0 * w, False: 0 * w}, {True: 0.0, False: 0.0}, 0.0
    for t, (x, positive, q) in enumerate(zip(X, (y > 0).tolist(), weights, strict=True), start=1):
        if t > 1:
            average.add(w, 1.0)
        kappa2 = max(kappa2, x @ x)
        mass[positive] += q
        step, g = eta / kappa2 / np.sqrt(t), 0.0
        if mass[True] and mass[False]:
            p, other = mass[True] / (mass[True] + mass[False]), w @ sums[not positive] / mass[not positive]
            g = 2 * (1 - p) * (w @ x - 1 - other) if positive else 2 * p * (w @ x + 1 - other)
        w = shrunk(w - step * q * g * x, step * beta1, 1 + step * beta)
        sums[positive] = sums[positive] + q * x
    return w, average.mean


def vrspam(X, y, w, *, eta, beta, beta1, orders, weights, m_pos, m_neg, p, **_):
    """VRSPAM from ``w``, a stage for each order of visits: the last iterate."""

    def gradients(w):
        s, s_pos, s_neg = X @ w, w @ m_pos, w @ m_neg
        g = [saddle_coefficient(s[i], y[i] > 0, p, s_pos, s_neg) for i in range(len(y))]
        return (weights * g)[:, None] * X

    for order in orders:
        anchors = gradients(w)
        for i in order:
            s = saddle_coefficient(w @ X[i], y[i] > 0, p, w @ m_pos, w @ m_neg)
            direction = weights[i] * s * X[i] - anchors[i] + anchors.mean(0)
            w = shrunk(w - eta * direction, eta * beta1, 1 + eta * beta)
    return w


def gradient(X, y, w, *, weights, m_pos, m_neg, p, **_):
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
