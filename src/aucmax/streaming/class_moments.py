"""What ``OnlineAUCClassifier`` keeps of the rows' scores, and the derivative that follows from it.

What the other class's rows do to a row is a polynomial in the row's own score. Its coefficients come
from the other class's mean Bernstein basis, which is kept up to date as rows arrive.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, vectorised
from ..pairs.bernstein import binomials, pair_matrix
from ..pairs.losses import Loss

LARGE = 2.0**100  # weights that grow with the rows are brought down when they pass it
MEMORY = 500.0  # rows of a class that its moments remember
FILL = 0.75  # of the range, which the classes' mean scores may be apart before it widens
BINS, WIDE = 2048, 8.0  # of the prequential AUC, for scores in units that make the range so wide
FLOOR = 1e-290  # keeps a column that never moved from dividing by zero
CLIP = 30.0  # standard deviations, or mean row norms, beyond which a row counts no more
OUTLIER = 1000.0  # and beyond which it does not stretch the running scale either
HUGE = 1e150  # its square is still a float


class Hyper(NamedTuple):
    """Step size, penalty, what a row keeps of the past, width of the scores, tables of the loss.

    ``judged`` says whether the rows are new, so that their scores count in the prequential AUC.
    """

    eta: float
    l2: float
    keep: float
    length: float
    judged: bool
    choose: np.ndarray
    curve: np.ndarray


class State(NamedTuple):
    """Counts and running means. ``n``, ``pos`` and ``neg`` forget with the half-life.

    Everything else that forgets is kept as it would be if only new rows grew in weight: that weight
    is ``swell``, the weights are ``w = u / swell``, and their average is ``(lean * u - drift) / past``.
    ``slopes`` is the sum of the rows' squared slopes, or, where columns are not standardised, of these
    without the weights of rows and classes.
    """

    rows: int = 0
    pos_rows: int = 0
    neg_rows: int = 0
    n: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    pos_score: float = 0.0
    neg_score: float = 0.0
    past: float = 0.0
    lean: float = 0.0
    swell: float = 1.0
    norm: float = 0.0
    size: float = 0.0
    alike: float = 0.0
    slopes: float = 0.0


class Moments(NamedTuple):
    """Per class (negative, positive): mean basis, the slope it gives the other class, score counts.

    The basis is ``u^k (1 - u)^(degree - k)``: Bernstein's without its binomials, which the slope's
    coefficients take in.
    """

    basis: np.ndarray
    slope: np.ndarray
    bins: np.ndarray

    @classmethod
    def of(cls, degree: int) -> "Moments":
        return cls(np.zeros((2, degree + 1)), np.zeros((2, degree)), np.zeros((2, BINS)))

    def auc(self) -> float:
        """AUC of the counted scores; those in one bin are ties. NaN before both classes came."""
        neg, pos = self.bins / np.maximum(self.bins.sum(axis=1, keepdims=True), 1e-300)
        if not (neg.any() and pos.any()):
            return np.nan
        return float(pos @ (np.cumsum(neg) - 0.5 * neg))


@lru_cache(maxsize=32)
def tables(loss: Loss, degree: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """``binomials`` of the degree below, and the matrix from a mean basis to the slope's coefficients.

    The matrix has the binomials of the mean basis in it. Both kinds at once would overflow.
    """
    curve = np.diff(pair_matrix(loss.value, degree, length), axis=0) * (degree / length)
    if not np.isfinite(curve).all():
        raise ValueError(f"The loss is no finite number at a margin of {length:g}; lower score_range.")
    return binomials(degree - 1), curve * binomials(degree)


@inlined
def due(count, often, period):
    """Whether what moves by 1/count is computed afresh: always at first, then now and then."""
    return count <= often or count % period == 0


@inlined
def arrive(hyper, state, positive, q):
    """The counts once a row of weight ``q`` has come, and the older ones have faded."""
    rows, pos_rows, neg_rows, n, pos, neg = state[:6]
    keep = hyper.keep
    n, pos, neg, swell = keep * n + 1.0, keep * pos, keep * neg, state.swell / keep
    if positive:
        pos += q
        pos_rows += 1
    else:
        neg += q
        neg_rows += 1
    return State(rows + 1, pos_rows, neg_rows, n, pos, neg, *state[6:10], swell, *state[11:])


@inlined
def learn(hyper, state, moments, powers, score, decision, positive, q):
    """The derivative of the pair loss in the row's score; then the moments take the row in.

    It is given with the weights of row and class, and without. ``decision`` is the score by the average
    of the iterates. ``powers`` is scratch space.
    """
    pos_rows, neg_rows, n, pos, neg, pos_score, neg_score = state[1:8]
    own, sign = (1, 1.0) if positive else (0, -1.0)
    own_weight, own_rows = (pos, pos_rows) if positive else (neg, neg_rows)
    # Pairs do not see a common shift of all scores: it must not use up the range. Rows beyond one end of it
    # look like ties, which larger scores would never resolve: where scores grow, so does the range, and the
    # loss with it, as if scores were given in larger units.
    middle, length = 0.5 * (pos_score + neg_score), max(hyper.length, (pos_score - neg_score) / FILL)
    if hyper.judged:
        count(moments.bins, own, (decision - middle) * (WIDE / length), q * state.swell)
    u = min(max(0.5 + sign * (score - middle) / length, 0.0), 1.0)
    rate = min(q * max(1.0 / own_weight, n / (MEMORY * (pos + neg))), 1.0)
    pull = respond(moments.slope, moments.basis, own, u, rate, powers)  # zero until the other class has come
    grad = sign * q * n / own_weight * pull
    if due(own_rows, 32, 16):
        apply(hyper.curve, hyper.choose, moments.basis, own, moments.slope)
    if positive:
        pos_score += rate * (decision - pos_score)
    else:
        neg_score += rate * (decision - neg_score)
    return grad, pull, State(*state[:6], pos_score, neg_score, *state[8:])


@inlined
def count(bins, own, decision, weight):
    """Count a score in its bin; bins are narrow near zero and reach to infinity."""
    place = decision / (1.0 + abs(decision))
    if -1.0 < place < 1.0:
        bins[own, min(int(0.5 * BINS * (1.0 + place)), BINS - 1)] += weight
    else:
        bins[own, 0 if decision < 0.0 else BINS - 1] += weight


@inlined
def respond(slope, basis, own, u, rate, powers):
    """The other class's slope at ``u``; then ``basis[own]`` moves towards the basis of ``u``.

    Four ladders of powers are climbed at a time: up for u, into ``powers``, and down for v = 1 - u.
    """
    other, degree, v = 1 - own, slope.shape[1], 1.0 - u
    u_2, v_2, keep, gain = u * u, v * v, 1.0 - rate, rate * v
    u_4, v_4 = u_2 * u_2, v_2 * v_2
    p_0, p_1, p_2, p_3 = 1.0, u, u_2, u_2 * u
    for k in range(0, degree + 1, 4):
        powers[k], powers[k + 1], powers[k + 2], powers[k + 3] = p_0, p_1, p_2, p_3
        p_0, p_1, p_2, p_3 = p_0 * u_4, p_1 * u_4, p_2 * u_4, p_3 * u_4
    basis[own, degree] = keep * basis[own, degree] + rate * powers[degree]
    p_0, p_1, p_2, p_3 = 1.0, v, v_2, v_2 * v
    on_0, on_1, on_2, on_3 = 0.0, 0.0, 0.0, 0.0
    for k in range(degree - 1, 2, -4):
        b_0, b_1, b_2, b_3 = powers[k] * p_0, powers[k - 1] * p_1, powers[k - 2] * p_2, powers[k - 3] * p_3
        on_0, on_1 = on_0 + slope[other, k] * b_0, on_1 + slope[other, k - 1] * b_1
        on_2, on_3 = on_2 + slope[other, k - 2] * b_2, on_3 + slope[other, k - 3] * b_3
        basis[own, k] = keep * basis[own, k] + gain * b_0
        basis[own, k - 1] = keep * basis[own, k - 1] + gain * b_1
        basis[own, k - 2] = keep * basis[own, k - 2] + gain * b_2
        basis[own, k - 3] = keep * basis[own, k - 3] + gain * b_3
        p_0, p_1, p_2, p_3 = p_0 * v_4, p_1 * v_4, p_2 * v_4, p_3 * v_4
    for k in range(degree % 4 - 1, -1, -1):
        b_0, p_0 = powers[k] * p_0, p_0 * v
        on_0 += slope[other, k] * b_0
        basis[own, k] = keep * basis[own, k] + gain * b_0
    return (on_0 + on_1) + (on_2 + on_3)


@vectorised
def apply(curve, choose, basis, own, slope):
    """``slope[own] = choose * (curve @ basis[own])``."""
    for k in range(slope.shape[1]):
        total = 0.0
        for l in range(basis.shape[1]):
            total += curve[k, l] * basis[own, l]
        slope[own, k] = choose[k] * total


@inlined
def grown(n, past):
    """Weight of the iterates so far with the newest: iterate t counts t while nothing is forgotten."""
    return past * ((n + 1.0) / (n - 1.0)) if n > 1.0 and past > 0.0 else 1.0


@inlined
def pace_of(hyper, state):
    """Length of a step: by the fourth root, steps fall like t^(-1/4) instead of t^(-1/2)."""
    return hyper.eta * np.sqrt(np.sqrt(state.n))


@inlined
def advance(state, norm, size, alike, slopes):
    """The state once the newest iterate counts in the average."""
    past = grown(state.n, state.past)
    lean = state.lean + 2.0 * past / ((state.n + 1.0) * state.swell)
    return State(*state[:8], past, lean, state.swell, norm, size, alike, slopes)


@inlined
def lowered(state, moments, u, drift, squares):
    """Bring down what grows, by powers of two, which round nothing."""
    past, lean, swell, norm, size, alike, slopes = state[8:]
    if past > LARGE:
        past, lean = past / LARGE, lean / LARGE
        drift /= LARGE
    if swell > LARGE:
        swell, lean = swell / LARGE, lean * LARGE
        u /= LARGE
        squares /= LARGE
        slopes /= LARGE
        moments.bins[:] /= LARGE
    return State(*state[:8], past, lean, swell, norm, size, alike, slopes)
