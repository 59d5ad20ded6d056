"""Slow and obvious, continued: the boxes of SAUC, FSAUC, OPAUC, OAM and Uni-Exp."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from oracles import Average, project


def ones(y, weights):
    return np.ones(len(y)) if weights is None else weights


def uniexp(X, y, *, eta, weights=None):
    """Gradient steps on the balanced exponential loss of single rows: last iterate, average, intercept."""
    w, average, bias = np.zeros(X.shape[1]), Average(X.shape[1]), 0.0
    mass, kappa2 = {1: 0.0, -1: 0.0}, 0.0
    for t, (x, sign, q) in enumerate(zip(X, y, ones(y, weights), strict=True), start=1):
        average.add(w, q)
        kappa2, mass[sign] = max(kappa2, x @ x), mass[sign] + q
        share = mass[sign] / (mass[1] + mass[-1])
        move = q * eta / np.sqrt(t) * sign * np.exp(-sign * (w @ x + bias)) / (2 * share)
        w, bias = w + move / kappa2 * x, bias + move
    return w, average.mean, bias


def polynomial(loss, degree, length, margin, order=0):
    """The loss's Bernstein polynomial of this degree on [-length, length], or its derivative."""
    values = loss(length * (2 * np.arange(degree + 1) / degree - 1))
    if order:
        values, degree = degree * np.diff(values) / (2 * length), degree - 1
    u = (length + np.asarray(margin)) / (2 * length)
    return binom.pmf(np.arange(degree + 1), degree, u[..., None]) @ values


def sauc(X, y, *, loss, degree, radius, beta, proximal, kappa2=None, n_passes=1, weights=None):
    """SAUC's box: last iterate and last complete stage's average.

    The paper's a and b are kept as the weights of the scores that made them, so that nothing is lost when
    a longer row widens the range; without ``kappa2`` it grows by at least a quarter whenever it must.
    """
    order, known = np.tile(np.arange(len(y)), n_passes), kappa2 is not None
    weights, kappa = ones(y, weights), np.sqrt(kappa2) if known else 0.0
    centre = w = np.zeros(X.shape[1])
    score, coef = np.zeros(len(order)), np.zeros((2, len(order)))
    stage, iterates, coefs, mass = 1, [], [], []
    for t, i in enumerate(order):
        x, q, own, sign = X[i], weights[i], int(y[i] < 0), y[i]
        if not known and np.linalg.norm(x) > kappa * (1 + 1e-9):
            kappa = max(np.linalg.norm(x), 1.25 * kappa)
        iterates.append(w), coefs.append(coef), mass.append(q)
        score[t], length, eta = w @ x, 2 * radius * kappa, q * beta / np.sqrt(stage)
        slope = (
            coef[1 - own] @ polynomial(loss, degree, length, sign * (score[t] - score), 1) if length else 0.0
        )
        pull = eta * proximal / (radius * kappa) if kappa else 0.0
        w = (w - eta / (kappa**2 or 1.0) * sign * slope * x + pull * centre) / (1 + pull)
        w = project(w, radius)
        coef = (1 - min(1, eta)) * coef
        coef[own, t] += min(1, eta)
        if len(mass) == stage:
            centre = w = np.average(iterates, axis=0, weights=mass)
            coef = np.average(coefs, axis=0, weights=mass)
            stage, iterates, coefs, mass = stage + 1, [], [], []
    return w, centre


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
    """FSAUC's two boxes: last iterate, the current stage's average, and the projections that were needed."""
    weights, known, d = ones(y, weights), kappa is not None, X.shape[1]
    kappa, sums, mass, needed = kappa or 0.0, {1: np.zeros(d), -1: np.zeros(d)}, {1: 0.0, -1: 0.0}, 0
    w, ab, alpha, reach, span, beta = np.zeros(d), np.zeros(2), 0.0, 2 * np.sqrt(3), 4 * np.sqrt(6), 9.0
    w1, ab1, alpha1, q2, done = w, ab, alpha, 2 * np.log(120.0), []
    for x, sign, q in zip(X, y, weights, strict=True):
        kappa = kappa if known else max(kappa, np.linalg.norm(x))
        mass[sign], sums[sign], bound = mass[sign] + q, sums[sign] + q * x, radius * kappa
        done.append((q, w, ab))
        if theory:
            constant = max(5 * (bound + 1), 2 * (4 * bound + 1), 2 * (15 * bound + 1))
            eta = np.sqrt(beta) * reach * bound / (np.sqrt(3 * length) * constant)
        p, s, (a, b) = mass[1] / (mass[1] + mass[-1]), w @ x, ab
        if sign > 0:
            gw, gab = (
                2 * (1 - p) * (s - a) - 2 * (1 + alpha) * (1 - p),
                np.array([-2 * (1 - p) * (s - a), 0.0]),
            )
            up = -2 * (1 - p) * s - 2 * p * (1 - p) * alpha
        else:
            gw, gab = 2 * p * (s - b) + 2 * (1 + alpha) * p, np.array([0.0, -2 * p * (s - b)])
            up = 2 * p * s - 2 * p * (1 - p) * alpha
        free, ab = w - q * eta * gw * x / kappa**2, ab - q * eta * gab
        w, ab = project_trust(free, ab, w1, ab1, radius, bound, kappa, reach * bound)
        needed += np.abs(w - free).max() > 1e-9
        alpha = np.clip(alpha + q * eta * up, alpha1 - span * bound, alpha1 + span * bound)
        alpha = np.clip(alpha, -2 * bound, 2 * bound)
        if len(done) == length:
            counts = [q for q, _, _ in done]
            w = w1 = np.average([w for _, w, _ in done], axis=0, weights=counts)
            ab = ab1 = np.average([ab for _, _, ab in done], axis=0, weights=counts)
            alpha = alpha1 = w @ (sums[-1] / mass[-1] - sums[1] / mass[1])
            rare, before, reach = min(p, 1 - p), beta, reach / 2
            room, spare = rare * length - np.sqrt(q2 * length), rare - np.sqrt(q2 / length)
            beta = 9 + 288 * (2 + np.sqrt(q2)) ** 2 / spare if spare > 0 else 1e7
            span = 2 * np.sqrt(2) * reach
            span += 12 * np.sqrt(2) * (2 + np.sqrt(q2)) / np.sqrt(room) if room > 0 else 1e7
            eta, length, done = min(eta * np.sqrt(beta / before) / 2, eta), length * growth, []
    mean = np.average([w for _, w, _ in done], axis=0, weights=[q for q, _, _ in done]) if done else w
    return w, mean, needed


class Xorshift:
    """Marsaglia's generator on Python's own integers."""

    def __init__(self, state):
        self.x = int(state[0])

    def uniform(self):
        mask = 2**64 - 1
        self.x ^= (self.x << 13) & mask
        self.x ^= self.x >> 7
        self.x ^= (self.x << 17) & mask
        return (self.x >> 11) / 2**53

    def normals(self, n):
        out = []
        while len(out) < n:
            length, angle = np.sqrt(-2 * np.log(1 - self.uniform())), 2 * np.pi * self.uniform()
            out += [length * np.cos(angle), length * np.sin(angle)]
        return np.array(out[:n])


def opauc(X, y, *, eta, lam, rank=None, generator=None, weights=None):
    """OPAUC with mean and covariance (or its sketch) computed afresh from all earlier rows: last and mean."""
    w, average, kappa2 = np.zeros(X.shape[1]), Average(X.shape[1]), 0.0
    rows, counts, draws = {1: [], -1: []}, {1: [], -1: []}, {1: [], -1: []}
    for x, sign, q in zip(X, y, ones(y, weights), strict=True):
        average.add(w, q)
        kappa2 = max(kappa2, x @ x)
        if rows[-sign]:
            Z, c = np.array(rows[-sign]), np.array(counts[-sign])
            mean = c @ Z / c.sum()
            if rank is None:
                root = np.sqrt(c)[:, None] * (Z - mean)
            else:
                root = (np.array(draws[-sign]).T * np.sqrt(c)) @ (Z - mean)
            v, covariance = x - mean, root.T @ root / c.sum()
            gradient = -sign * v + v * (v @ w) + covariance @ w
            w = (w - eta / kappa2 * q * gradient) / (1 + eta / kappa2 * lam)
        rows[sign].append(x), counts[sign].append(q)
        if rank is not None:
            draws[sign].append(generator.normals(rank) / np.sqrt(rank))
    return w, average.mean


def oam(X, y, *, update, C, size, generator, weights=None):
    """OAM's boxes, with the buffers as plain lists of rows: last iterate and the buffers."""
    w, kappa2, buffers, mass = np.zeros(X.shape[1]), 0.0, {1: [], -1: []}, {1: 0.0, -1: 0.0}
    for x, sign, q in zip(X, y, ones(y, weights), strict=True):
        kappa2, mass[sign] = max(kappa2, x @ x), mass[sign] + q
        cap = q * C * max(1, mass[-sign] / size) / 2 / kappa2
        frozen = w
        for z in buffers[-sign]:
            if update == "gradient" and sign * frozen @ (x - z) <= 1:
                w = w + cap * sign * (x - z)
            elif update == "sequential" and (x != z).any():
                w = w + min(cap, max(0, 1 - sign * w @ (x - z)) / np.sum((x - z) ** 2)) * sign * (x - z)
        if len(buffers[sign]) < size:
            buffers[sign].append(x)
        elif (at := int(generator.uniform() * mass[sign] / q)) < size:
            buffers[sign][at] = x
    return w, buffers
