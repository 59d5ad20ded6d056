"""SPDAM."""

import numpy as np


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
