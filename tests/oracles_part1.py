"""Slow and obvious: the regularised, proximal and primal-dual methods, O(d) or more a row."""

import numpy as np


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
