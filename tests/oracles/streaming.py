"""OnlineAUCClassifier by its definition: what forgets is scaled at each row, averages are kept in full."""

import numpy as np
from scipy.stats import binom

CLIP, OUTLIER, MEMORY, PRIOR, LONG = 30.0, 1000.0, 500.0, 500.0, 4.0
OFF_SIZE, BAND, MAX_SIMILARITY, UNEVEN = 64.0, 8.0, 8.0, 100.0
FILL, QUIET, TURNS, GOLDEN, PRIME = 0.75, 0.25, 8, (np.sqrt(5) - 1) / 2, 4099


def basis(u, m):
    return binom.pmf(np.arange(m + 1), m, u)


def basis_slope(u, m):
    below = np.concatenate([[0.0], binom.pmf(np.arange(m), m - 1, u), [0.0]])
    return m * (below[:-1] - below[1:])


def is_due(count, often, period):
    return count <= often or count % period == 0


class Standardised:
    """Running means and variances; a row comes out standardised, divided by the root of d."""

    def __init__(self, d):
        self.mean, self.var, self.std = np.zeros(d), np.zeros(d), np.zeros(d)
        self.earlier, self.similarity = np.zeros(d), 0.0

    def __call__(self, x, rate, row, squares, keep, q):
        gap = x - self.mean
        known = np.where(self.std > 0, np.clip(gap, -OUTLIER * self.std, OUTLIER * self.std), gap)
        self.mean = self.mean + rate * known
        self.var = (1 - rate) * (self.var + rate * known**2)
        if is_due(row, 64, 16):
            self.std = np.sqrt(self.var)
        z = np.divide((1 - rate) * known, self.std, out=np.zeros_like(x), where=self.std > 0)
        z = np.clip(z, -CLIP, CLIP)
        if is_due(row, 1024, 16):
            step = min(rate * (1 if row <= 1024 else 16), 1)
            self.similarity += step * (
                (z @ self.earlier) ** 2 / max((self.std > 0).sum(), 1) - self.similarity
            )
            self.earlier = z
        return z / np.sqrt(len(x))

    def prior(self, pos, neg):
        return PRIOR * (pos + neg) ** 2 / (pos * neg) / len(self.std) if pos * neg else np.inf

    def shorten(self, z):
        return min(1, LONG / (z @ z)) if z.any() else 1

    def unscaled(self, w):
        coef = np.divide(w, self.std, out=np.zeros_like(w), where=self.std > 0) / np.sqrt(len(w))
        return coef, coef @ self.mean


class Normed:
    """Rows divided by their running mean norm; columns of another size than most are scaled as well."""

    def __init__(self, d):
        self.norm, self.usual, self.similarity = 0.0, 0.0, 0.0
        self.rescaled, self.mass, self.total = np.zeros(d, bool), np.zeros(d), np.zeros(d)

    def update_usual(self, x, rate, row):
        """Move the usual size by the distances of the row's values on the log scale."""
        values = np.log(np.abs(x[x != 0]))
        if self.usual == 0 and values.size:
            self.usual = np.exp(values.mean())
        elif values.size and is_due(row, 64, 16):
            step = min((4 if row <= 64 else 64) * rate, 1)
            self.usual *= np.exp(step / 2 * np.tanh(values - np.log(self.usual)).mean())

    def __call__(self, x, rate, row, squares, keep, q):
        self.mass, self.total = keep * self.mass, keep * self.total
        self.update_usual(x, rate, row)
        size = np.abs(x)
        small = (size > 0) & (size < self.usual / OFF_SIZE) & (squares == 0)
        self.rescaled |= small | (size > self.usual * OFF_SIZE)
        start = np.where(squares > 0, self.usual, np.inf)
        limit = OFF_SIZE * np.divide(self.total, self.mass, out=start, where=self.mass > 0)
        x = np.where(self.rescaled, np.clip(x, -limit, limit), x)
        self.mass += q * (self.rescaled & (x != 0))
        self.total += q * self.rescaled * np.abs(x)
        z = x * self.scales()
        length = np.linalg.norm(z)
        known = min(length, OUTLIER * self.norm) if self.norm else length
        self.norm += rate * (known - self.norm)
        self.scale = 1 / max(self.norm, length / CLIP) if self.norm else 0.0
        return z * self.scale

    def prior(self, pos, neg):
        return UNEVEN * ((pos + neg) ** 2 / (pos * neg) - 4) * (self.usual * self.scale) ** 2

    def shorten(self, z):
        return 1

    def moves_little(self, x, g, squares):
        """Whether no column of the row would move far."""
        return not (((g**2 > squares) | self.rescaled) & (x != 0)).any()

    def scales(self):
        own = np.divide(self.total, self.mass, out=np.zeros_like(self.mass), where=self.mass > 0)
        within = np.clip(own, self.usual / BAND, self.usual * BAND)
        return np.divide(within, own, out=np.ones_like(own), where=own > 0)

    def unscaled(self, w):
        return (w * self.scales() / self.norm if self.norm else 0 * w), 0.0


def streaming(X, y, *, K, length, eta, l2=0.0, keep=1.0, center=True, weights=None, new=np.inf):
    """Coefficients and threshold by the average, coefficients by the last iterate, decisions beforehand.

    Rows after the first ``new`` ones are repeated: later passes of ``fit``.
    """
    weights = np.ones(len(y)) if weights is None else weights
    d, m = X.shape[1], len(K) - 1
    scaler = Standardised(d) if center else Normed(d)
    w, mean_w, squares, seen = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    moments, slopes = np.zeros((2, m + 1)), np.zeros((2, m + 1))
    n, mass, count, middle, decisions, usual = 0.0, np.zeros(2), np.zeros(2, int), np.zeros(2), [], 0.0
    for row, (x, own, q) in enumerate(zip(X, (y > 0).astype(int), weights, strict=True), start=1):
        n, mass, squares, w = keep * n + 1, keep * mass, keep * squares, keep * w
        mass[own] += q
        count[own] += 1
        step_length = eta * n**0.25 * np.sqrt(np.clip(scaler.similarity, 1, MAX_SIMILARITY))
        if l2 > 0:
            touched = (x != 0) | center
            begun = squares + scaler.prior(*mass) if center else squares
            step = np.divide(step_length, np.sqrt(begun), out=np.full(d, np.inf), where=begun > 0)
            w = np.where(touched & (w != 0), w * (1 + l2 * step) ** (seen - row), w)
            seen = np.where(touched, row, seen)
        z = scaler(x, q / mass.sum(), row, squares, keep, q)
        sign, score, decision = 2 * own - 1, w @ z, mean_w @ z
        stretched = max(length, (middle[1] - middle[0]) / FILL)
        decisions.append((decision - middle.mean()) * 8 / stretched)
        u = np.clip(0.5 + sign * (score - middle.mean()) / stretched, 0, 1)
        pull = slopes[1 - own] @ basis_slope(u, m) / length
        slope = sign * q * n / mass[own] * pull * scaler.shorten(z)
        usual = keep * usual + pull**2
        if (
            row > new
            and not center
            and scaler.moves_little(x, slope * z, squares)
            and pull**2 < QUIET**2 * usual / n
        ):
            slope, step_length = (
                slope * np.sqrt(TURNS) * (row * GOLDEN % 1 * (row % PRIME) % 1 < 1 / TURNS),
                step_length * np.sqrt(TURNS),
            )
        g = slope * z
        squares = squares + (slope**2 / d if center else g**2)
        if g.any():
            begun = squares + scaler.prior(*mass)
            w = w - step_length * np.divide(g, np.sqrt(begun), out=np.zeros(d), where=squares > 0)
        mean_w = mean_w + 2 / (n + 1) * (w - mean_w)

        rate = min(q * max(1 / mass[own], n / (MEMORY * mass.sum())), 1.0)
        moments[own] += rate * (basis(u, m) - moments[own])
        middle[own] += rate * (decision - middle[own])
        if is_due(count[own], 32, 16):
            slopes[own] = K @ moments[own]
    coef, shift = scaler.unscaled(mean_w)
    return coef, middle.mean() + shift, scaler.unscaled(w)[0], np.array(decisions)
