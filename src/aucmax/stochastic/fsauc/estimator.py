"""FSAUC: fast stochastic AUC maximisation (Liu, Zhang, Chen, Wang and Yang, 2018).

SOLAM's saddle point in stages: each starts at the last one's average and keeps to half its distance.
"""

from typing import Any, NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel, vectorised
from ...kernels.rows import axpy, dot, shift
from ...validation.parameters import one_of, positive
from ..engine.class_sums import class_statistics
from ..engine.estimator import OnlineAUCClassifierBase, Solver
from ..engine.model import MEMORY, PERIOD, ClassSums, Data, Model, update_mean_scores
from .projection import l1_threshold, offset, put, trust

LOG = np.log(12.0 / 0.1)  # the paper's ln(12/delta), delta = 0.1
LOOSE = 1.0 + 1e-12  # rounding is no violation
UNKNOWN = 1e7  # for a bound that too few rows of a class leave open
FIRST, GROWTH = 128.0, 4.0  # a stream's first stage, and how much longer each next one is


class Hyper(NamedTuple):
    """The paper's R, whether steps are the theory's, and how much longer each stage is."""

    radius: float
    theory: bool
    growth: float


class Point(NamedTuple):
    """The saddle point's scalars."""

    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0


class Stage(NamedTuple):
    """Rows so far and in all, the step, and the paper's R_k, D_k (both in units of R kappa) and beta_k."""

    eta: float
    rows: float = 0.0
    length: float = FIRST
    reach: float = 2.0 * np.sqrt(3.0)
    span: float = 4.0 * np.sqrt(6.0)
    beta: float = 9.0


class State(NamedTuple):
    """Where the scalars are and where the stage began; sums of a and b over it; class weights; norms."""

    stage: Stage
    point: Point = Point()
    origin: Point = Point()
    a_sum: float = 0.0
    b_sum: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    l1: float = 0.0
    gap: float = 0.0


class Memory(NamedTuple):
    """Where the stage began, and the sums of the classes' rows."""

    centre: np.ndarray
    sums: ClassSums


@inlined
def saddle(point, p, score, positive):
    """Gradient of the saddle function in the score, in a and b, and in alpha (for ascent); as in SOLAM."""
    a, b, alpha = point
    if positive:
        rest = 2.0 * (1.0 - p)
        return rest * (score - a - 1.0 - alpha), -rest * (score - a), 0.0, -rest * (score + p * alpha)
    rest = 2.0 * p
    return rest * (score - b + 1.0 + alpha), 0.0, -rest * (score - b), rest * (score - (1.0 - p) * alpha)


@inlined
def theory(stage, bound):
    """The paper's step, with its G for rows of norm one and R times the row norm for R."""
    g = max(5.0 * (bound + 1.0), 2.0 * (15.0 * bound + 1.0))
    return np.sqrt(stage.beta) * stage.reach * bound / (np.sqrt(3.0 * stage.length) * g)


@inlined
def following(stage, p, growth):
    """The stage after this one: half the reach, and a step no longer."""
    rare, n, q = min(p, 1.0 - p), stage.length, np.sqrt(2.0 * LOG)
    reach = 0.5 * stage.reach
    room = rare - q / np.sqrt(n)
    span = 2.0 * np.sqrt(2.0) * reach
    span += 12.0 * np.sqrt(2.0) * (2.0 + q) / np.sqrt(room * n) if room > 0.0 else UNKNOWN
    beta = 9.0 + 288.0 * (2.0 + q) ** 2 / room if room > 0.0 else UNKNOWN
    eta = min(0.5 * np.sqrt(beta / stage.beta), 1.0) * stage.eta
    return Stage(eta, 0.0, np.ceil(growth * n), reach, span, beta)


@vectorised
def recentre(w, v, weight, memory):
    """Restart ``w`` at the stage's average; its scores of the class sums, its norms."""
    centre, sums = memory
    on_pos, on_neg, l1, square = 0.0, 0.0, 0.0, 0.0
    for j in range(len(w)):
        w[j] += v[j] / weight
        centre[j], v[j] = w[j], 0.0
        on_pos += w[j] * sums.pos[j]
        on_neg += w[j] * sums.neg[j]
        l1 += abs(w[j])
        square += w[j] * w[j]
    return on_pos, on_neg, l1, square


@kernel
def epoch(hyper, state, model, memory, data):
    stage, point, origin, a_sum, b_sum, pos, neg, l1, gap = state
    w, v, _, _, sqnorm, _, weight, kappa2, scores, seen = model
    radius, X, y, centre, sums = hyper.radius, data.X, data.y, memory.centre, memory.sums
    for i in data.order:
        score, x2 = dot(X, i, w)
        kappa2 = max(kappa2, x2)
        bound, positive, q = radius * np.sqrt(kappa2), y[i] > 0.0, abs(y[i])
        scores = update_mean_scores(scores, score, positive, q, MEMORY)
        if positive:
            pos += q
            axpy(X, i, q, sums.pos)
        else:
            neg += q
            axpy(X, i, q, sums.neg)

        weight, a_sum, b_sum = weight + q, a_sum + q * point.a, b_sum + q * point.b
        eta = q * (theory(stage, bound) if hyper.theory else stage.eta)
        g, g_a, g_b, g_alpha = saddle(point, pos / (pos + neg), score, positive)
        c = -eta * g / kappa2 if kappa2 > 0.0 else 0.0
        more_l1, more_gap = shift(X, i, c, w, -weight * c, v, centre)
        l1, gap, sqnorm = l1 + more_l1, gap + more_gap, sqnorm + c * (2.0 * score + c * x2)
        seen += 1
        if seen % PERIOD == 0:
            l1, gap, sqnorm = put(w, v, weight, centre, 1.0, 0.0)
        a, b = point.a - eta * g_a, point.b - eta * g_b
        theta, reach = 1.0, stage.reach * bound
        away = offset(a, origin.a, 1.0, bound) ** 2 + offset(b, origin.b, 1.0, bound) ** 2
        if l1 > LOOSE * radius or kappa2 * gap + away > LOOSE * reach * reach:
            theta, tau = trust(w, centre, radius, (a, origin.a, b, origin.b), bound, kappa2, reach)
            l1, gap, sqnorm = put(w, v, weight, centre, theta, tau)
        a = origin.a + offset(a, origin.a, theta, bound)
        b = origin.b + offset(b, origin.b, theta, bound)
        low, high = origin.alpha - stage.span * bound, origin.alpha + stage.span * bound
        alpha = min(max(point.alpha + eta * g_alpha, max(low, -2.0 * bound)), min(high, 2.0 * bound))
        point = Point(a, b, alpha)
        stage = Stage(stage.eta, stage.rows + 1.0, stage.length, stage.reach, stage.span, stage.beta)
        if stage.rows == stage.length:
            on_pos, on_neg, l1, sqnorm = recentre(w, v, weight, memory)
            known = pos > 0.0 and neg > 0.0
            point = Point(a_sum / weight, b_sum / weight, on_neg / neg - on_pos / pos if known else alpha)
            origin, stage = point, following(stage, pos / (pos + neg), hyper.growth)
            weight, a_sum, b_sum, gap = 0.0, 0.0, 0.0, 0.0
    model = Model(w, v, np.inf, 1.0, sqnorm, weight, weight, kappa2, scores, seen)
    return State(stage, point, origin, a_sum, b_sum, pos, neg, l1, gap), model


class FSAUC(OnlineAUCClassifierBase):
    r"""Squared pair loss on an L1 ball, by SOLAM's saddle point in stages of shrinking reach.

    .. math:: \min_{\|w\|_1 \le \mathtt{radius}} \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2

    Each stage starts at the last one's average and keeps to a ball around it of half the last one's
    radius. A row costs O(its non-zeros) while the constraints are slack and O(features) where one of them
    has to be restored, which is done exactly; memory is O(features). Where the L1 ball binds, there is an
    l1 for which ``AUCClassifier(loss="squared", l2=0)`` has the same minimiser; where it does not, that l1
    is 0. ``score`` is AUC.

    Rows count as divided by κ, the largest row norm so far: the paper's formulas hold with its κ = 1 and
    with κ radius for its R, and rescaling the rows changes nothing. ``fit`` knows n = rows times passes and
    makes the paper's ⌊log₂(2n / log₂ n) / 2⌋ - 1 stages of equal length. A stream has no end: its stages
    have 128, 512, 2048, ... rows, so that after n of them the ball has shrunk about as much.

    Parameters
    ----------
    radius : float, default=1000.0
        The L1 ball's radius, the paper's R.
    step_size : float or "theory", default=0.1
        The first stage's step, in units of 1/κ² for the weights. Later ones are the paper's, relative to it
        and never longer: in effect η, η, η/2, η/4, ... "theory" gives the paper's own η_k, whose second
        is some thirty times the first.
    max_iter : int, default=15
        Passes of ``fit``.
    tol : float or None, default=None
        Stop when a pass moves the weights by at most ``tol`` of their norm; None makes all passes.
    shuffle : bool, default=True
        Visit the rows of ``fit`` in a new random order in each pass.
    warm_start : bool, default=False
        Start ``fit`` from the weights of the last one.
    random_state : int, RandomState or None, default=None
        Seed of the visits.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The average of the current stage's iterates, the first of which is the last stage's average.
    intercept_ : ndarray of shape (1,)
        Puts the decision midway between the running mean scores of the classes.
    classes_ : ndarray of shape (2,)
    n_iter_ : int
        Passes made.

    References
    ----------
    M. Liu, X. Zhang, Z. Chen, X. Wang, T. Yang. Fast stochastic AUC maximization with O(1/n)-convergence
    rate. ICML 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import normalize, scale
    >>> from aucmax import FSAUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = normalize(scale(X))
    >>> print(f"{FSAUC(random_state=0).fit(X, y).score(X, y):.3f}")
    0.99...
    """

    _rules = {name: rule for name, rule in OnlineAUCClassifierBase._rules.items() if name != "average"} | {
        "radius": positive,
        "step_size": positive | one_of("theory"),
    }

    def __init__(
        self,
        radius: float = 1000.0,
        *,
        step_size: float | str = 0.1,
        max_iter: int = 15,
        tol: float | None = None,
        shuffle: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self.radius = radius
        self.step_size = step_size
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state

    def _start(self, w: np.ndarray) -> Solver:
        zeros = np.zeros(len(w))
        tau = l1_threshold(w, zeros, 1.0, self.radius)
        w = np.sign(w) * np.maximum(np.abs(w) - tau, 0.0)
        eta = 0.0 if isinstance(self.step_size, str) else float(self.step_size)
        state = State(Stage(eta), l1=float(np.abs(w).sum()))
        return Solver(Model.at(w, average=True), state, Memory(w.copy(), ClassSums(zeros, zeros.copy())))

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        model, state, memory = solver
        n = self.max_iter * np.count_nonzero(data.y)
        n_stages = max(1, int(0.5 * np.log2(2.0 * n / np.log2(n))) - 1)
        state = state._replace(stage=state.stage._replace(length=float(-(-n // n_stages))))
        kappa2 = class_statistics(data.X, data.y, len(model.u)).kappa2
        return Solver(model._replace(kappa2=kappa2), state, memory), data

    def _pass(self, solver: Solver, data: Data) -> Solver:
        return self._run(solver, data, 1.0)

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        return self._run(solver, data, GROWTH)

    def _run(self, solver: Solver, data: Data, growth: float) -> Solver:
        model, state, memory = solver
        hyper = Hyper(self.radius, isinstance(self.step_size, str), growth)
        state, model = epoch(hyper, state, model, memory, data)
        return Solver(model, state, memory)
