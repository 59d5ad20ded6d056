"""FSAUC and its projections."""

import numpy as np
from scipy.optimize import brentq


def project_l1(w, radius):
    """Nearest point of the L1 ball, by sorting."""
    size = np.sort(np.abs(w))[::-1]
    if size.sum() <= radius:
        return w
    excess = (np.cumsum(size) - radius) / np.arange(1, len(w) + 1)
    return np.sign(w) * np.maximum(np.abs(w) - excess[size > excess][-1], 0.0)


def project_trust(w, scalars, centre, origin, radius, bound, kappa, reach):
    """Nearest point of the L1 ball times boxes, cut with a ball around the centre, by its multiplier."""

    def point(mu):
        blend = (w + mu * centre) / (1 + mu), (scalars + mu * origin) / (1 + mu)
        return project_l1(blend[0], radius), np.clip(blend[1], -bound, bound)

    def excess(mu):
        p, q = point(mu)
        return np.sqrt(kappa**2 * np.sum((p - centre) ** 2) + np.sum((q - origin) ** 2)) - reach

    if excess(0.0) <= 0:
        return point(0.0)
    top = 1.0
    while excess(top) > 0:
        top *= 2
    return point(brentq(excess, 0.0, top, xtol=1e-15, rtol=1e-14))


def fsauc(X, y, *, radius, eta, length, growth, theory=False, kappa=None, weights=None):
    """FSAUC's two boxes: last iterate, the current stage's average, and the number of projections."""
    weights = np.ones(len(y)) if weights is None else weights
    kappa_given, d = kappa is not None, X.shape[1]
    kappa, n_projected = kappa or 0.0, 0
    sums, weight_of = {1: np.zeros(d), -1: np.zeros(d)}, {1: 0.0, -1: 0.0}
    w, ab, alpha = np.zeros(d), np.zeros(2), 0.0
    reach, alpha_reach, beta = 2 * np.sqrt(3), 4 * np.sqrt(6), 9.0
    w1, ab1, alpha1, q2, iterates = w, ab, alpha, 2 * np.log(120.0), []
    for x, sign, q in zip(X, y, weights, strict=True):
        kappa = kappa if kappa_given else max(kappa, np.linalg.norm(x))
        weight_of[sign], sums[sign], bound = weight_of[sign] + q, sums[sign] + q * x, radius * kappa
        iterates.append((q, w, ab))
        if theory:
            constant = max(5 * (bound + 1), 2 * (4 * bound + 1), 2 * (15 * bound + 1))
            eta = np.sqrt(beta) * reach * bound / (np.sqrt(3 * length) * constant)
        p, s, (a, b) = weight_of[1] / (weight_of[1] + weight_of[-1]), w @ x, ab
        if sign > 0:
            gw, gab = (
                2 * (1 - p) * (s - a) - 2 * (1 + alpha) * (1 - p),
                np.array([-2 * (1 - p) * (s - a), 0.0]),
            )
            up = -2 * (1 - p) * s - 2 * p * (1 - p) * alpha
        else:
            gw, gab = 2 * p * (s - b) + 2 * (1 + alpha) * p, np.array([0.0, -2 * p * (s - b)])
            up = 2 * p * s - 2 * p * (1 - p) * alpha
        unprojected, ab = w - q * eta * gw * x / kappa**2, ab - q * eta * gab
        w, ab = project_trust(unprojected, ab, w1, ab1, radius, bound, kappa, reach * bound)
        n_projected += np.abs(w - unprojected).max() > 1e-9
        alpha = np.clip(alpha + q * eta * up, alpha1 - alpha_reach * bound, alpha1 + alpha_reach * bound)
        alpha = np.clip(alpha, -2 * bound, 2 * bound)
        if len(iterates) == length:
            counts = [q for q, _, _ in iterates]
            w = w1 = np.average([w for _, w, _ in iterates], axis=0, weights=counts)
            ab = ab1 = np.average([ab for _, _, ab in iterates], axis=0, weights=counts)
            alpha = alpha1 = w @ (sums[-1] / weight_of[-1] - sums[1] / weight_of[1])
            rarer, before, reach = min(p, 1 - p), beta, reach / 2
            rarer_n, rarer_p = rarer * length - np.sqrt(q2 * length), rarer - np.sqrt(q2 / length)
            beta = 9 + 288 * (2 + np.sqrt(q2)) ** 2 / rarer_p if rarer_p > 0 else 1e7
            alpha_reach = 2 * np.sqrt(2) * reach
            alpha_reach += 12 * np.sqrt(2) * (2 + np.sqrt(q2)) / np.sqrt(rarer_n) if rarer_n > 0 else 1e7
            eta, length, iterates = min(eta * np.sqrt(beta / before) / 2, eta), length * growth, []
    if not iterates:
        return w, w, n_projected
    mean = np.average([w for _, w, _ in iterates], axis=0, weights=[q for q, _, _ in iterates])
    return w, mean, n_projected
