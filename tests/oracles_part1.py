"""Slow and obvious: the regularised, proximal and primal-dual methods, O(d) or more a row."""

import numpy as np

from oracles import Average, project


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
