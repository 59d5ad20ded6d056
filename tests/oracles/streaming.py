"""OnlineAUCClassifier as its definition says: everything that forgets is shrunk, every average is kept."""

import copy

import numpy as np

from aucmax.calibration import Calibration, fit_calibration
from aucmax.kernels.random import seed_state

from .xorshift import Xorshift

RECENT, MAX_BALANCE, MAX_LENGTH, CLIP, MAX_RATIO, UNEVEN = 64, 8, 2.0, 30.0, 16.0, 16.0
HISTORY, ROWS_PER_PIECE, PRIOR_ROWS, MAX_DISTANCE = 1024, 128, 8, 100
REPLAY_PERIOD, GOLDEN = 16, 0.5 * (5**0.5 - 1)


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
        self.columns_per_direction = (
            max(1.0, np.mean(cosines) * np.any(Z, axis=0).sum()) if len(Z) > 1 else 1.0
        )
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
        self.factor_of_row = 1 / max(self.norm, length / MAX_LENGTH)
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
        return self.factor_of_row * z

    def fade(self, keep):
        self.squares *= keep

    def step(self, z, slope, weight, t, eta, l2, classes, new):
        self.squares += slope**2
        rate = eta * self.norm * np.sqrt(self.columns_per_direction * np.sqrt(t) / (self.squares + RECENT))
        self.w = self.w - rate * slope * z
        self.w = self.w * np.exp(-l2 * weight / 2 * rate)

    def shrink(self, at, t, average_weight):
        """Nothing: the penalty of each step is taken at once."""

    def coef(self, w):
        return np.divide(w / self.norm, self.std, out=np.zeros_like(w), where=self.std > 0)

    def shift(self, w):
        return self.coef(w) @ self.mean

    def shortening(self):
        return self.factor_of_row * self.norm


class Normed:
    """Sparse rows over their usual norm, a sum of squares for each column."""

    def __init__(self, X):
        d, sizes = X.shape[1], np.abs(X)
        unit = np.median(sizes[sizes > 0])
        norms = np.linalg.norm(np.minimum(sizes / unit, MAX_RATIO), axis=1)
        self.unit, self.norm = unit, max(np.sqrt(np.median(norms[norms > 0] ** 2)), 1 / MAX_RATIO)
        self.factor, self.squares = np.full(d, 1 / unit), np.zeros(d)
        self.w, self.mean_w, self.penalty = np.zeros(d), np.zeros(d), 0.0
        self.penalised, self.weight_then = np.zeros(d), np.zeros(d)

    def scale(self, x, rate, row, new=True):
        z = x * self.factor
        for j in np.flatnonzero(abs(z) > MAX_RATIO):
            if new:
                self.factor[j] /= 2
            z[j] = np.clip(x[j] * self.factor[j], -MAX_RATIO, MAX_RATIO)
        length = np.linalg.norm(z)
        if rate > 0 and length > 0:
            self.norm = max(self.norm + rate * (min(length, CLIP * self.norm) - self.norm), 1 / MAX_RATIO)
        self.factor_of_row = 1 / max(self.norm, length / MAX_LENGTH)
        return self.factor_of_row * z

    def fade(self, keep):
        self.squares *= keep

    def step(self, z, slope, weight, t, eta, l2, classes, new):
        self.penalty += eta * l2 * weight / 2
        if slope == 0.0:
            return
        n = [1 + each["new"] + each["old"] for each in classes]
        uneven = (n[0] - n[1]) ** 2 / (n[0] * n[1])
        floor = (UNEVEN * uneven + 1e-9) * self.factor_of_row**2
        small = (abs(z) < self.factor_of_row / MAX_RATIO) & (self.squares == 0)
        if new:
            tiny = (z != 0) & (abs(z) < MAX_RATIO**-3 * self.factor_of_row) & ~small
            self.factor[tiny & (self.factor * self.unit < 1 / MAX_RATIO)] = 1 / self.unit
            self.factor[small & (abs(z) > 1e-150 * self.factor_of_row)] *= 4
        z = np.where(small, 0.0, z)
        self.squares += (slope * z) ** 2
        self.w -= eta * t**0.25 * slope * z / np.sqrt(self.squares + floor)

    def shrink(self, at, t, average_weight):
        """Shrink some columns by the penalty since they were last shrunk; the mean as if half-way."""
        if self.penalty == 0:
            return
        since = self.penalty - self.penalised[at]
        fall = since * t**0.25 / np.sqrt(np.maximum(self.squares[at], 1e-150))
        change = self.w[at] * np.expm1(-fall)
        self.w[at] += change
        self.mean_w[at] += change * (1 - (self.weight_then[at] / average_weight) ** ((1 + fall) / (2 + fall)))
        self.penalised[at], self.weight_then[at] = self.penalty, average_weight

    def coef(self, w):
        return w * self.factor / self.norm

    def shift(self, w):
        return 0.0

    def shortening(self):
        return self.factor_of_row * self.norm


class StreamOracle:
    """The whole method, row by row; later passes are not ``new``, and come ``again`` if they are shuffled."""

    def __init__(self, slopes, at_zero, *, step_size=0.2, reservoir=4096, l2=0.0, keep=1.0, center=True):
        self.slopes, self.l2, self.step_size, self.keep = slopes, l2 / at_zero, step_size, keep
        self.reservoir, self.center, self.draws = reservoir, center, Xorshift(seed_state(1))
        self.columns, self.t, self.n, self.row, self.imbalance = None, 0.0, 0.0, 0, 0.0
        self.in_order, self.pairs, self.close, self.expected = 0.0, 0.0, 0, 0.0
        self.comparisons, self.drift, self.average_weight = 0, 0.0, 0.0
        self.last_gap = 0.0
        self.classes = [
            {"rows": 0.0, "count": 0, "weight": 0.0, "new": 0.0, "old": 0.0, "scores": [], "decisions": [],
             "kept": [], "mean": 0.0, "n_scores": 0, "replayed": 0.0, "compared": 0, "history": [],
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
        self.shrink(x != 0)
        z = self.columns.scale(x, rate, self.row)
        if self.classes[1 - c]["count"] == 0:
            return
        if new and self.t > 0:
            decision = self.columns.mean_w @ z / self.columns.shortening()
            self.count_pairs(c, decision, weight)
            self.add_decision(c, decision, weight)
        self.step(z, c, weight, "new")
        o = self.class_to_replay(c, again)
        if o is not None and (kept := self.kept(self.classes[o])):
            other = self.classes[o]
            other["replayed"] = (other["replayed"] + GOLDEN) % 1
            x, weight = kept[int(other["replayed"] * len(kept))]
            self.shrink(x != 0)
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

    def add_decision(self, c, decision, weight):
        """For the probabilities: its distance from the middle of the classes; later ones weigh more."""
        neg, pos = (each["mean"] for each in self.classes)
        self.last_gap, distance = pos - neg, np.clip(decision - (neg + pos) / 2, -MAX_DISTANCE, MAX_DISTANCE)
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
        line = fit_calibration(
            np.concatenate(decisions), np.concatenate(signed), max(1, counted // ROWS_PER_PIECE)
        )
        gap = self.classes[1]["mean"] - self.classes[0]["mean"]
        knots = line.knots * (max(gap / self.last_gap, 1) if self.last_gap > 0 else 1)
        trust = counted / (counted + PRIOR_ROWS)
        return Calibration(knots, trust * line.log_odds + (1 - trust) * (odds + knots))

    def step(self, z, c, weight, kind):
        own, other, sign = self.classes[c], self.classes[1 - c], 2 * c - 1
        balance = MAX_BALANCE if -sign * self.imbalance > RECENT else 1
        own[kind] += 1
        if kind == "new":
            balance = np.clip(other["new"] / own["new"], 1, MAX_BALANCE) if not self.lacks_steps(own) else 1
        self.imbalance += sign * balance
        score, decision = self.columns.w @ z, self.columns.mean_w @ z
        total = sum(w * self.slope(sign * (score - s)) for s, w in other["scores"])
        mean = total / max(sum(w for _, w in other["scores"]), 1)
        self.measure_drift(own, decision, kind)
        own["scores"] = [*own["scores"], (score, weight)][-RECENT:]
        own["n_scores"] += 1
        own["mean"] += min(weight / min(own["n_scores"], HISTORY), 1) * (decision - own["mean"])
        self.t += 1
        slope, weight = -sign * weight * balance * mean, weight * balance
        settings = self.step_size, self.l2, self.classes, kind == "new"
        self.columns.step(z, slope, weight, self.t, *settings)
        share = 3 / (self.t + 2) if self.t > 1 else 1.0
        self.average_weight = (
            self.average_weight * (self.t + 2) / (self.t - 1) if self.average_weight else 1.0
        )
        self.columns.mean_w = self.columns.mean_w + share * (self.columns.w - self.columns.mean_w)

    def slope(self, margin):
        return 1 + sum(rate * np.clip(margin - start, 0, width) for start, width, rate in self.slopes)

    def class_to_replay(self, c, again):
        behind = int(self.imbalance <= 0)
        own = self.classes[behind]
        if abs(self.imbalance) > (0.5 if self.lacks_steps(own) else RECENT):
            return behind
        if not again and self.keep == 1 and (self.drift > 1 or self.row % REPLAY_PERIOD == 0):
            return c if self.draws.uniform() < 0.5 else 1 - c
        return None

    def lacks_steps(self, own):
        """Rows of a class that no step was made for."""
        return self.reservoir > 0 and own["rows"] - own["new"] - own["old"] > 0.5

    def measure_drift(self, own, decision, kind):
        """The mean decision on new rows with that on replayed ones, in variances of their difference."""
        share = 1 / min(own[kind], RECENT)
        gap = decision - own[f"{kind} mean"]
        own[f"{kind} mean"] += share * gap
        if kind == "old":
            own["old variance"] = (1 - share) * (own["old variance"] + share * gap**2)
        elif self.row % REPLAY_PERIOD == 0:
            shares = np.array([each["count"] for each in self.classes]) / self.row
            gap = shares @ [each["new mean"] - each["old mean"] for each in self.classes]
            variance = shares**2 @ [each["old variance"] for each in self.classes]
            if min(each["old"] for each in self.classes) > PRIOR_ROWS and variance > 0:
                self.comparisons = min(self.comparisons + 1, HISTORY)
                self.drift += (gap**2 / variance * RECENT / 2 - self.drift) / self.comparisons

    def shrink(self, at):
        self.columns.shrink(at, self.t, self.average_weight)

    def up_to_date(self):
        """The oracle with all columns shrunk by the whole penalty."""
        now = copy.deepcopy(self)
        now.shrink(np.full(len(self.columns.w), True))
        return now

    def coef(self):
        now = self.up_to_date().columns
        return now.coef(now.mean_w)

    def last(self):
        now = self.up_to_date().columns
        return now.coef(now.w)

    def middle(self):
        known = [each["mean"] for each in self.classes if each["n_scores"]]
        return (np.mean(known) if known else 0.0) + self.columns.shift(self.columns.mean_w)

    def intercept(self):
        """Minus the score at which the log-odds, which rise with the score, are zero."""
        return -self.calibration().middle() - self.middle()

    def probability(self, X):
        return self.calibration().probability(X @ self.coef() - self.middle())

    def auc(self):
        return self.in_order / self.pairs if self.pairs else np.nan
