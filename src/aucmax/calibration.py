"""Probabilities from scores: the log-odds are an increasing, piecewise linear function of the score.

One piece is Platt's sigmoid. With more rows there are more pieces, to fit where a sigmoid is wrong. Every
piece increases, so rows rank by probability as they do by score; isotonic regression, a step function, makes
ties.
"""

from typing import NamedTuple

import numpy as np

MAX_PIECES = 10
ROWS_PER_PIECE = 50  # of the rarer class: enough to know the log-odds at a knot to about 0.2
MIN_KNOT_DISTANCE = 1e-6  # in standard deviations of the scores: of closer knots one is used
MIN_SLOPE = 1e-3  # in log-odds per standard deviation of the scores: above 0, so that rows rank as by score
MAX_STEPS = 100
TOL = 1e-12  # log-loss per row that a step may still gain at the end
TINY = 1e-12  # added to the curvature, relative, and the shortest step tried
ROUNDING = 1e-12  # a smaller standard deviation, of scores of at most 1, is that of rounding errors
MAX_GROUPS = 4096  # of rows with neighbouring scores; more would change probabilities by too little to matter


class Calibration(NamedTuple):
    """An increasing, piecewise linear function from scores to log-odds of the positive class.

    Beyond the first and the last knot, the first and the last piece are extended.
    """

    knots: np.ndarray
    log_odds: np.ndarray

    def probability(self, score: np.ndarray) -> np.ndarray:
        """Probability of the positive class for each score."""
        knots, values = self.knots, self.log_odds
        width, rise = np.diff(knots), np.diff(values)
        piece = np.clip(np.searchsorted(knots, score, side="right") - 1, 0, len(width) - 1)
        with np.errstate(over="ignore"):  # far beyond the knots the probability is 0 or 1
            log_odds = values[piece] + rise[piece] * ((score - knots[piece]) / width[piece])
        # Rounding must not lift the end of a piece above the beginning of the next.
        ceiling = np.append(values[1:-1], np.inf)
        return expit(np.minimum(log_odds, ceiling[piece]))

    @property
    def is_sigmoid(self) -> bool:
        """Whether there is one piece only."""
        return len(self.knots) == 2

    def as_line(self) -> tuple[float, float]:
        """Slope and intercept of the only piece."""
        slope = float((self.log_odds[1] - self.log_odds[0]) / (self.knots[1] - self.knots[0]))
        return slope, float(self.log_odds[0] - slope * self.knots[0])

    def middle(self) -> float:
        """The score at which both classes are equally likely."""
        slopes = np.diff(self.log_odds) / np.diff(self.knots)
        piece = int(np.clip(np.searchsorted(self.log_odds, 0.0) - 1, 0, len(slopes) - 1))
        return float(self.knots[piece] - self.log_odds[piece] / slopes[piece])

    def reversed(self) -> "Calibration":
        """The calibration of the other class, whose scores have the opposite sign."""
        return Calibration(-self.knots[::-1], -self.log_odds[::-1])

    def shifted(self, shift: float) -> "Calibration":
        """The calibration of scores to which ``shift`` has been added."""
        return self._replace(knots=self.knots + shift)


def expit(log_odds: np.ndarray) -> np.ndarray:
    """The probability that has these log-odds; written here because scipy's takes 0.25 s to import."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-log_odds))


def fit_calibration(score: np.ndarray, signed: np.ndarray, max_pieces: int = MAX_PIECES) -> Calibration:
    """Fit a calibration by maximum likelihood, on scores of rows that the model was not trained on.

    Minimises the log-loss, with Platt's targets (a class of n rows has a share of 1 in n + 2 of the other
    label), plus half the sum of squared differences between the slopes of neighbouring pieces, per standard
    deviation of the scores.

    Parameters
    ----------
    score : ndarray of shape (n,)
        Both classes must occur.
    signed : ndarray of shape (n,)
        ``+weight`` for a positive row and ``-weight`` for a negative one; a weight
        of k counts as k rows.
    max_pieces : int

    Returns
    -------
    Calibration
    """
    used = signed != 0.0
    size = np.abs(score[used]).max() or 1.0
    score, signed = score[used] / size, signed[used]
    groups = _Groups.of(score, signed)
    rarer = min(groups.pos.sum(), groups.neg.sum())
    pieces = int(np.clip(rarer // ROWS_PER_PIECE, 1, max_pieces))
    unit = groups.standard_deviation() or 1.0
    knots = groups.balanced_quantiles(pieces + 1)
    knots = knots[np.append(True, np.diff(knots) > MIN_KNOT_DISTANCE * unit)]
    if len(knots) < 2:
        knots = np.array([score[0], score[0] + unit])
    basis = _pieces(groups.score, knots) / unit
    intercept, slopes = _maximise_likelihood(basis, groups)
    values = intercept + np.concatenate([[0.0], np.cumsum(slopes * np.diff(knots) / unit)])
    return _with_equal_odds_near(Calibration(knots * size, values))


def _with_equal_odds_near(calibration: Calibration) -> Calibration:
    """The calibration; where both classes are equally likely only beyond it, it goes on as on average.

    Where the classes overlap, the last piece may be nearly flat. If it went on so, the score of equal odds
    would be far beyond all others, and jump with each fit.
    """
    knots, values = calibration
    width, rise = knots[-1] - knots[0], values[-1] - values[0]
    flat = np.diff(values) * width < rise * np.diff(knots)
    if values[-1] < 0.0 and flat[-1]:
        return Calibration(np.append(knots, knots[-1] + width), np.append(values, values[-1] + rise))
    if values[0] > 0.0 and flat[0]:
        return Calibration(np.append(knots[0] - width, knots), np.append(values[0] - rise, values))
    return calibration


def fit_classes(
    score: np.ndarray, weight: np.ndarray, totals: np.ndarray, rows_per_piece: int, prior_rows: float
) -> Calibration:
    """Fit a calibration to perhaps few scores of either class, whose weights are scaled to given totals.

    The fewer there are, the more it is the line that is the classes' log-odds at 0 and rises by 1 a unit.

    Parameters
    ----------
    score, weight : ndarray of shape (2, n)
        Those of the negative and of the positive class; a weight of 0 marks a score that does not count.
    totals : ndarray of shape (2,)
    rows_per_piece : int
        Scores of the class with fewer for each piece.
    prior_rows : float
        As many of it have as much say as that line.

    Returns
    -------
    Calibration
    """
    odds, counted = np.log((totals[1] + 0.5) / (totals[0] + 0.5)), (weight > 0.0).sum(axis=1).min()
    if counted == 0:
        return Calibration(np.array([-1.0, 1.0]), np.array([odds - 1.0, odds + 1.0]))
    weight = weight / weight.max(axis=1, keepdims=True)
    signed = np.array([[-1.0], [1.0]]) * (totals / weight.sum(axis=1))[:, None] * weight
    fitted = fit_calibration(score.ravel(), signed.ravel(), max(1, counted // rows_per_piece))
    trust = counted / (counted + prior_rows)
    return fitted._replace(log_odds=trust * fitted.log_odds + (1.0 - trust) * (odds + fitted.knots))


class _Groups(NamedTuple):
    """Mean score and weight of each class, of rows with neighbouring scores; scores ascend."""

    score: np.ndarray
    pos: np.ndarray
    neg: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, signed: np.ndarray) -> "_Groups":
        order = np.argsort(score, kind="stable")
        score, signed = score[order], signed[order]
        pos, neg = np.maximum(signed, 0.0), np.maximum(-signed, 0.0)
        share = np.cumsum(pos / pos.sum() + neg / neg.sum()) / 2.0
        number = np.minimum((share * MAX_GROUPS).astype(np.int64), MAX_GROUPS - 1)
        starts = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
        if len(score) <= MAX_GROUPS:
            starts = np.arange(len(score))
        pos, neg, total = (np.add.reduceat(part, starts) for part in (pos, neg, (pos + neg) * score))
        return cls(total / (pos + neg), pos, neg)

    def balanced_quantiles(self, count: int) -> np.ndarray:
        """Scores at equal steps from the lowest to the highest, both classes counted alike."""
        share = np.cumsum(self.pos / self.pos.sum() + self.neg / self.neg.sum()) / 2.0
        positions = np.searchsorted(share, np.linspace(0.0, 1.0, count))
        return self.score[np.minimum(positions, len(self.score) - 1)]

    def standard_deviation(self) -> float:
        weight = self.pos + self.neg
        deviation = float(np.sqrt(np.cov(self.score, aweights=weight, ddof=0))) if len(weight) > 1 else 0.0
        return deviation if deviation > ROUNDING else 0.0


def _pieces(score: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """The length of each piece that lies below each score: the log-odds are linear in these numbers."""
    low, high = knots[:-1, None].copy(), knots[1:, None].copy()
    low[0], high[-1] = -np.inf, np.inf
    return np.minimum(np.maximum(score, low), high) - knots[:-1, None]


def _maximise_likelihood(basis: np.ndarray, groups: _Groups) -> tuple[float, np.ndarray]:
    """Intercept and slopes of the pieces with the highest penalised likelihood, by projected Newton steps."""
    n_pos, n_neg = groups.pos.sum(), groups.neg.sum()
    total = groups.pos + groups.neg
    positive = groups.pos * (n_pos + 1.0) / (n_pos + 2.0) + groups.neg / (n_neg + 2.0)
    columns = np.vstack([np.ones(len(total)), basis])
    bends = np.diff(np.eye(len(columns))[1:], axis=0)
    lowest = np.append(-np.inf, np.full(len(basis), MIN_SLOPE))

    def loss(parameters: np.ndarray) -> float:
        log_odds, bend = parameters @ columns, bends @ parameters
        softplus = np.maximum(log_odds, 0.0) + np.log1p(np.exp(-np.abs(log_odds)))
        return float(total @ softplus - positive @ log_odds + 0.5 * bend @ bend)

    # From a flat line: from a steep one, far scores would have probabilities of 0 and 1, and no curvature.
    found = np.append(np.log((n_pos + 1.0) / (n_neg + 1.0)), np.full(len(basis), MIN_SLOPE))
    value = loss(found)
    for _ in range(MAX_STEPS):
        p = expit(found @ columns)
        gradient = columns @ (total * p - positive) + bends.T @ (bends @ found)
        hessian = (columns * (total * p * (1.0 - p))) @ columns.T + bends.T @ bends
        free = np.flatnonzero((found > lowest) | (gradient < 0.0))
        curvature = hessian[np.ix_(free, free)]
        step = np.linalg.solve(curvature + TINY * np.diag(1.0 + np.diag(curvature)), gradient[free])
        if step @ gradient[free] <= TOL * total.sum():
            break
        length, trial, lower = 1.0, found, value
        while length > TINY and lower >= value:
            trial = found.copy()
            trial[free] = np.maximum(found[free] - length * step, lowest[free])
            length, lower = 0.5 * length, loss(trial)
        if lower >= value:
            break
        found, value = trial, lower
    return float(found[0]), found[1:]
