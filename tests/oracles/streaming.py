"""OnlineAUCClassifier as its definition says: everything that forgets is shrunk, every average is kept."""

import numpy as np

from aucmax.calibration import Calibration, fit_calibration
from aucmax.kernels.random import seed_state

from .xorshift import Xorshift

RECENT, HEAVY, LONG, CLIP, BAND, UNEVEN = 64, 8, 2.0, 30.0, 16.0, 16.0
HISTORY, ENOUGH, FARTHEST = 1024, 8, 100
BACKGROUND, GOLDEN = 16, 0.5 * (5**0.5 - 1)


class Standardised:
    """Dense rows by running means and standard deviations, one sum of squares for all columns."""

    def __init__(self, X):
        d, trim = X.shape[1], len(X) // 32
        middle = np.sort(X, axis=0)[trim : len(X) - trim]
        self.mean, self.var = middle.mean(axis=0), middle.var(axis=0)
        self.std = self.spread()
        self.var = np.where(self.std > 0, self.var, 0.0)
        Z = self.standard(X)
        Z = Z[np.any(Z, axis=1)]
        cosines = [
            ((a @ b) ** 2 / (a @ a) / (b @ b)) for i, a in enumerate(Z) for k, b in enumerate(Z) if i != k
        ]
        self.alike = max(1.0, np.mean(cosines) * np.any(Z, axis=0).sum()) if len(Z) > 1 else 1.0
        self.w, self.mean_w, self.squares = np.zeros(d), np.zeros(d), 0.0
        self.norm = self.root()

    def spread(self):
        """Standard deviations; those of rounding errors are zero."""
        std = np.sqrt(self.var)
        return np.where(std > 64 * np.finfo(float).eps * np.abs(self.mean), std, 0.0)

    def root(self):
        """The root of the number of columns that vary: the usual norm of a row."""
        return np.sqrt(max((self.std > 0).sum(), 1))

    def standard(self, x):
        return np.divide(x - self.mean, self.std, out=np.zeros(np.shape(x)), where=self.std > 0)

    def scale(self, x, rate, row, new=True):
        z = self.standard(x)
        length = np.linalg.norm(z)
        self.cut = 1 / max(self.norm, length / LONG)
        if rate > 0:
            bound = np.where(
                self.std > 0, CLIP * np.divide(self.var, self.std, out=0 * x, where=self.std > 0), np.inf
            )
            trust = min(1, CLIP * self.norm / max(length, 1))
            gap = np.clip(trust * (x - self.mean), -bound, bound)
            self.mean = self.mean + rate * gap
            self.var = (1 - rate) * (self.var + rate * gap**2)
            if row % 16 == 0:
                self.std = self.spread()
                self.norm = self.root()
        return self.cut * z

    def fade(self, keep):
        self.squares *= keep

    def step(self, z, slope, weight, t, eta, l2, classes, new):
        self.squares += slope**2
        pace = eta * np.sqrt(self.alike * np.sqrt(t) / (self.squares + RECENT))
        self.w = self.w - pace * self.norm * slope * z
        self.w = self.w * np.exp(-l2 * weight / 2 * pace * self.norm)

    def coef(self, w):
        return np.divide(w / self.norm, self.std, out=np.zeros_like(w), where=self.std > 0)

    def shift(self, w):
        return self.coef(w) @ self.mean

    def shortening(self):
        return self.cut * self.norm


class Normed:
    """Sparse rows over their usual norm, a sum of squares for each column."""

    def __init__(self, X):
        d, sizes = X.shape[1], np.abs(X)
        unit = np.median(sizes[sizes > 0])
        norms = np.linalg.norm(np.minimum(sizes / unit, BAND), axis=1)
        self.norm = np.sqrt(np.median(norms[norms > 0] ** 2))
        self.factor, self.squares = np.full(d, 1 / unit), np.zeros(d)
        self.w, self.mean_w, self.penalty, self.paid = np.zeros(d), np.zeros(d), 0.0, np.zeros(d)

    def scale(self, x, rate, row, new=True):
        z = x * self.factor
        for j in np.flatnonzero(abs(z) > BAND):
            if new:
                self.factor[j] /= 2
            z[j] = np.clip(x[j] * self.factor[j], -BAND, BAND)
        length = np.linalg.norm(z)
        if rate > 0 and length > 0:
            self.norm += rate * (min(length, CLIP * self.norm) - self.norm)
        self.cut = 1 / max(self.norm, length / LONG)
        self.touched = x != 0
        return self.cut * z

    def fade(self, keep):
        self.squares *= keep

    def step(self, z, slope, weight, t, eta, l2, classes, new):
        pace = eta * t**0.25
        self.penalty += l2 * weight / 2
        if l2 > 0:
            at = self.touched
            rate = pace / np.sqrt(np.maximum(self.squares[at], 1e-150))
            self.w[at] *= np.exp(-rate * (self.penalty - self.paid[at]))
            self.paid[at] = self.penalty
        if slope == 0.0:
            return
        n = [1 + each["new"] + each["old"] for each in classes]
        uneven = (n[0] - n[1]) ** 2 / (n[0] * n[1])
        floor = (UNEVEN * uneven + 1e-9) * self.cut**2
        small = (abs(z) < self.cut / BAND) & (self.squares == 0)
        if new:
            self.factor[small & (abs(z) > 1e-150 * self.cut)] *= 4
        z = np.where(small, 0.0, z)
        self.squares += (slope * z) ** 2
        self.w -= pace * slope * z / np.sqrt(self.squares + floor)

    def coef(self, w):
        return w * self.factor / self.norm

    def shift(self, w):
        return 0.0

    def shortening(self):
        return self.cut * self.norm


class StreamOracle:
    """The whole method, row by row; later passes are not ``new``, and come ``again`` if they are shuffled."""

    def __init__(self, slopes, at_zero, *, step_size=0.2, reservoir=4096, l2=0.0, keep=1.0, center=True):
        self.slopes, self.l2, self.step_size, self.keep = slopes, l2 / at_zero, step_size, keep
        self.reservoir, self.center, self.draws = reservoir, center, Xorshift(seed_state(1))
        self.columns, self.t, self.n, self.row, self.imbalance = None, 0.0, 0.0, 0, 0.0
        self.in_order, self.pairs, self.close, self.expected = 0.0, 0.0, 0, 0.0
        self.comparisons, self.unlike = 0, 0.0
        self.gap = 0.0
        self.classes = [
            {"rows": 0.0, "count": 0, "weight": 0.0, "new": 0.0, "old": 0.0, "scores": [], "decisions": [],
             "kept": [], "mean": 0.0, "pushed": 0, "replayed": 0.0, "compared": 0, "history": [],
             "new mean": 0.0, "old mean": 0.0, "old variance": 0.0}
            for _ in range(2)
        ]  # fmt: skip

    def learn(self, X, y, weights=None, new=True, again=False):
        weights = np.ones(len(y)) if weights is None else weights
        if self.columns is None:
            self.columns = (Standardised if self.center else Normed)(X[:RECENT])
        for x, label, q in zip(X, y, weights, strict=True):
            self.arrive(x, int(label > 0), q, new, again)
        return self

    def arrive(self, x, c, q, new, again):
        self.fade()
        self.row += 1
        self.n += 1
        own = self.classes[c]
        own["rows"] += 1
        own["count"] += 1
        own["weight"] += (q - own["weight"]) / own["rows"]
        weight = min(q / own["weight"], RECENT)
        if not again:
            self.keep_row(own, x, weight)
        rate = min(weight / self.n, 1) if self.row > RECENT else 0.0
        z = self.columns.scale(x, rate, self.row)
        if self.classes[1 - c]["count"] == 0:
            return
        if new and self.t > 0:
            decision = self.columns.mean_w @ z / self.columns.shortening()
            self.count_pairs(c, decision, weight)
            self.note_decision(c, decision, weight)
        self.step(z, c, weight, "new")
        o = self.class_to_replay(c, again)
        if o is not None and (kept := self.kept(self.classes[o])):
            other = self.classes[o]
            other["replayed"] = (other["replayed"] + GOLDEN) % 1
            x, weight = kept[int(other["replayed"] * len(kept))]
            self.step(self.columns.scale(x, 0.0, self.row, new=False), o, weight, "old")

    def fade(self):
        self.n, self.t, self.imbalance = self.keep * self.n, self.keep * self.t, self.keep * self.imbalance
        self.in_order, self.pairs = self.keep * self.in_order, self.keep * self.pairs
        self.columns.fade(self.keep)
        for each in self.classes:
            each["rows"] *= self.keep
            each["new"] *= self.keep
            each["old"] *= self.keep
            each["scores"] = [(score, self.keep * weight) for score, weight in each["scores"]]
            each["history"] = [(distance, self.keep * weight) for distance, weight in each["history"]]
            each["decisions"] = [(s, self.keep * weight, row) for s, weight, row in each["decisions"]]

    def kept(self, own):
        return own["kept"][: int(np.ceil(own["rows"]))]

    def keep_row(self, own, x, weight):
        places = min(self.reservoir, int(np.ceil(own["rows"])))
        own["kept"] = own["kept"][:places]
        if len(own["kept"]) < places:
            own["kept"].append((x, weight))
            return
        k = int(self.draws.uniform() * max(own["rows"], places))
        if k < places:
            own["kept"][k] = (x, weight)

    def count_pairs(self, c, decision, weight):
        other, sign = self.classes[1 - c], 2 * c - 1
        common = max(each["rows"] for each in self.classes)
        close = [(s, w) for s, w, row in other["decisions"] if (self.row - row) * common <= RECENT * self.n]
        self.in_order += sum(weight * w * (0.5 + 0.5 * np.sign(sign * (decision - s))) for s, w in close)
        self.pairs += sum(weight * w for _, w in close)
        self.close += len(close)
        self.expected += min(RECENT * other["rows"] / common, other["compared"])
        self.classes[c]["compared"] += 1
        self.classes[c]["decisions"] = [*self.classes[c]["decisions"], (decision, weight, self.row)][-RECENT:]

    def note_decision(self, c, decision, weight):
        """For the probabilities: its distance from the middle of the classes; later ones weigh more."""
        neg, pos = (each["mean"] for each in self.classes)
        self.gap, distance = pos - neg, np.clip(decision - (neg + pos) / 2, -FARTHEST, FARTHEST)
        self.classes[c]["history"] = [*self.classes[c]["history"], (distance, weight * self.row)][-HISTORY:]

    def calibration(self):
        """Log-odds by distance, the classes' shares as so far, and the size of the decisions as now."""
        so_far = np.array([each["weight"] * each["rows"] for each in self.classes])
        so_far *= sum(each["rows"] for each in self.classes) / so_far.sum()
        odds = np.log((so_far[1] + 0.5) / (so_far[0] + 0.5))
        counted = min(len(each["history"]) for each in self.classes)
        if counted == 0:
            return Calibration(np.array([-1.0, 1.0]), odds + np.array([-1.0, 1.0]))
        decisions, signed = [], []
        for c, each in enumerate(self.classes):
            distances, weights = np.transpose(each["history"])
            decisions.append(distances)
            signed.append((2 * c - 1) * so_far[c] * weights / weights.sum())
        line = fit_calibration(np.concatenate(decisions), np.concatenate(signed), max(1, counted // 128))
        gap = self.classes[1]["mean"] - self.classes[0]["mean"]
        knots = line.knots * (max(gap / self.gap, 1) if self.gap > 0 else 1)
        trust = counted / (counted + ENOUGH)
        return Calibration(knots, trust * line.log_odds + (1 - trust) * (odds + knots))

    def step(self, z, c, weight, kind):
        own, other, sign = self.classes[c], self.classes[1 - c], 2 * c - 1
        balance = HEAVY if -sign * self.imbalance > RECENT else 1
        own[kind] += 1
        if kind == "new":
            balance = np.clip(other["new"] / own["new"], 1, HEAVY) if not self.unlearnt(own) else 1
        self.imbalance += sign * balance
        score, decision = self.columns.w @ z, self.columns.mean_w @ z
        total = sum(w * self.slope(sign * (score - s)) for s, w in other["scores"])
        mean = total / max(sum(w for _, w in other["scores"]), 1)
        self.compare(own, decision, kind)
        own["scores"] = [*own["scores"], (score, weight)][-RECENT:]
        own["pushed"] += 1
        own["mean"] += min(weight / min(own["pushed"], HISTORY), 1) * (decision - own["mean"])
        self.t += 1
        slope, weight = -sign * weight * balance * mean, weight * balance
        settings = self.step_size, self.l2, self.classes, kind == "new"
        self.columns.step(z, slope, weight, self.t, *settings)
        share = 3 / (self.t + 2) if self.t > 1 else 1.0
        self.columns.mean_w = self.columns.mean_w + share * (self.columns.w - self.columns.mean_w)

    def slope(self, margin):
        return 1 + sum(rate * np.clip(margin - start, 0, width) for start, width, rate in self.slopes)

    def class_to_replay(self, c, again):
        behind = int(self.imbalance <= 0)
        own = self.classes[behind]
        if abs(self.imbalance) > (0.5 if self.unlearnt(own) else RECENT):
            return behind
        if not again and self.keep == 1 and (self.unlike > 1 or self.row % BACKGROUND == 0):
            return c if self.draws.uniform() < 0.5 else 1 - c
        return None

    def unlearnt(self, own):
        """Rows of a class that no step was made for."""
        return self.reservoir > 0 and own["rows"] - own["new"] - own["old"] > 0.5

    def compare(self, own, decision, kind):
        """The mean decision on new rows with that on replayed ones, in variances of their difference."""
        share = 1 / min(own[kind], RECENT)
        gap = decision - own[f"{kind} mean"]
        own[f"{kind} mean"] += share * gap
        if kind == "old":
            own["old variance"] = (1 - share) * (own["old variance"] + share * gap**2)
        elif self.row % BACKGROUND == 0:
            shares = np.array([each["count"] for each in self.classes]) / self.row
            gap = shares @ [each["new mean"] - each["old mean"] for each in self.classes]
            variance = shares**2 @ [each["old variance"] for each in self.classes]
            if min(each["old"] for each in self.classes) > ENOUGH and variance > 0:
                self.comparisons = min(self.comparisons + 1, HISTORY)
                self.unlike += (gap**2 / variance * RECENT / 2 - self.unlike) / self.comparisons

    def coef(self):
        return self.columns.coef(self.columns.mean_w)

    def last(self):
        return self.columns.coef(self.columns.w)

    def middle(self):
        known = [each["mean"] for each in self.classes if each["pushed"]]
        return (np.mean(known) if known else 0.0) + self.columns.shift(self.columns.mean_w)

    def intercept(self):
        """Minus the score at which the log-odds, which rise with the score, are zero."""
        return -self.calibration().middle() - self.middle()

    def probability(self, X):
        return self.calibration().probability(X @ self.coef() - self.middle())

    def auc(self):
        return self.in_order / self.pairs if self.pairs else np.nan
