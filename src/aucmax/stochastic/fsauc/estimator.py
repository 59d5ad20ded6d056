"""FSAUC: fast stochastic AUC maximisation (Liu, Zhang, Chen, Wang and Yang, 2018).

SOLAM's saddle problem in stages: each starts at the previous stage's average, in a ball of half the radius.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, cast

import numpy as np

from ...kernels.jit import inlined, kernel, vectorised
from ...kernels.proximal import soft_threshold_array
from ...kernels.rows import dot
from ...validation.parameters import one_of, positive
from ..engine.class_sums import ClassSums, add_to_class_sum, class_statistics
from ..engine.estimator import OnlineAUCClassifierBase, Solver, rules
from ..engine.loop import REFRESH_PERIOD, Data
from ..engine.model import SCORE_MEMORY, Model, update_mean_scores
from .projection import l1_threshold, move_along_row, offset, project, search_theta

LOG_12_DELTA = np.log(12.0 / 0.1)  # the paper's ln(12/delta), delta = 0.1
SLACK = 1.0 + 1e-12  # a constraint exceeded by less, from rounding errors, is not violated
NO_BOUND = 1e7  # stands for the theory's bounds where a class has too few rows for them
FIRST_LENGTH, GROWTH = 128.0, 4.0  # rows in a stream's first stage; each next one is longer by this factor


class Hyper(NamedTuple):
    """The paper's R, whether steps are those of the theory, and the ratio of the lengths of stages."""

    radius: float
    theory: bool
    growth: float


class Point(NamedTuple):
    """The scalars of the saddle problem."""

    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0


class Stage(NamedTuple):
    """Step size, rows so far, rows in all; the paper's R_k, D_k (in units of R kappa) and beta_k.

    R_k (``reach``) is the radius of the ball for w, a and b, D_k (``alpha_reach``) that of alpha's interval.
    """

    eta: float
    rows: float = 0.0
    length: float = FIRST_LENGTH
    reach: float = 2.0 * np.sqrt(3.0)
    alpha_reach: float = 4.0 * np.sqrt(6.0)
    beta: float = 9.0


class State(NamedTuple):
    """The stage; the scalars now and at its start; sums of a and b over it; weights of the classes.

    ``l1`` is the L1 norm of w and ``distance2`` its squared distance from the stage's centre.
    """

    stage: Stage
    point: Point = Point()
    origin: Point = Point()
    a_sum: float = 0.0
    b_sum: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    l1: float = 0.0
    distance2: float = 0.0


class Memory(NamedTuple):
    """The weights at the start of the stage, and the sums of the rows of each class."""

    centre: np.ndarray
    sums: ClassSums


@inlined
def saddle_gradient(point, p, score, positive):
    """Gradient of SOLAM's saddle function in the score, a, b and (for ascent) alpha."""
    a, b, alpha = point
    if positive:
        scale = 2.0 * (1.0 - p)
        return scale * (score - a - 1.0 - alpha), -scale * (score - a), 0.0, -scale * (score + p * alpha)
    scale = 2.0 * p
    return scale * (score - b + 1.0 + alpha), 0.0, -scale * (score - b), scale * (score - (1.0 - p) * alpha)


@inlined
def theory_step(stage, bound):
    """The paper's step size, with its G for rows of norm one and ``bound = R kappa`` for R."""
    g = max(5.0 * (bound + 1.0), 2.0 * (15.0 * bound + 1.0))
    return np.sqrt(stage.beta) * stage.reach * bound / (np.sqrt(3.0 * stage.length) * g)


@inlined
def next_stage(stage, p, growth):
    """The next stage: half the reach, and a step size that is not larger."""
    n, q, reach = stage.length, np.sqrt(2.0 * LOG_12_DELTA), 0.5 * stage.reach
    p_min = min(p, 1.0 - p) - q / np.sqrt(n)  # lower bound of the rarer class's fraction
    alpha_reach = 2.0 * np.sqrt(2.0) * reach
    alpha_reach += 12.0 * np.sqrt(2.0) * (2.0 + q) / np.sqrt(p_min * n) if p_min > 0.0 else NO_BOUND
    beta = 9.0 + 288.0 * (2.0 + q) ** 2 / p_min if p_min > 0.0 else NO_BOUND
    eta = min(0.5 * np.sqrt(beta / stage.beta), 1.0) * stage.eta
    return Stage(eta, 0.0, np.ceil(growth * n), reach, alpha_reach, beta)


@vectorised
def start_stage(w, v, weight, memory):
    """Move w and the centre to the stage's average; return w's products with the class sums and its norms."""
    centre, sums = memory
    w_pos, w_neg, l1, sqnorm = 0.0, 0.0, 0.0, 0.0
    for j in range(len(w)):
        w[j] += v[j] / weight
        centre[j], v[j] = w[j], 0.0
        w_pos += w[j] * sums.pos[j]
        w_neg += w[j] * sums.neg[j]
        l1 += abs(w[j])
        sqnorm += w[j] * w[j]
    return w_pos, w_neg, l1, sqnorm


@kernel
def epoch(hyper, state, model, memory, data):
    stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2 = state
    w, v, _, _, sqnorm, _, weight, max_sqnorm, scores, n_seen = model
    radius, X, y, centre, sums = hyper.radius, data.X, data.y, memory.centre, memory.sums
    for i in data.order:
        score, x2 = dot(X, i, w)
        max_sqnorm = max(max_sqnorm, x2)
        bound, positive, q = radius * np.sqrt(max_sqnorm), y[i] > 0.0, abs(y[i])
        scores = update_mean_scores(scores, score, positive, q, SCORE_MEMORY)
        add_to_class_sum(X, i, y[i], sums.pos, sums.neg)
        pos, neg = (pos + q, neg) if positive else (pos, neg + q)

        weight, a_sum, b_sum = weight + q, a_sum + q * point.a, b_sum + q * point.b
        eta = q * (theory_step(stage, bound) if hyper.theory else stage.eta)
        g, g_a, g_b, g_alpha = saddle_gradient(point, pos / (pos + neg), score, positive)
        c = -eta * g / max_sqnorm if max_sqnorm > 0.0 else 0.0
        more_l1, more_distance2 = move_along_row(X, i, c, w, -weight * c, v, centre)
        l1, distance2, sqnorm = l1 + more_l1, distance2 + more_distance2, sqnorm + c * (2.0 * score + c * x2)
        n_seen += 1
        if n_seen % REFRESH_PERIOD == 0:
            l1, distance2, sqnorm = project(w, v, weight, centre, 1.0, 0.0)
        a, b = point.a - eta * g_a, point.b - eta * g_b
        theta, reach = 1.0, stage.reach * bound
        away = offset(a, origin.a, 1.0, bound) ** 2 + offset(b, origin.b, 1.0, bound) ** 2
        if l1 > SLACK * radius or max_sqnorm * distance2 + away > SLACK * reach * reach:
            scalars = (a, origin.a, b, origin.b)
            theta, tau = search_theta(w, centre, radius, scalars, bound, max_sqnorm, reach)
            l1, distance2, sqnorm = project(w, v, weight, centre, theta, tau)
        a, b = origin.a + offset(a, origin.a, theta, bound), origin.b + offset(b, origin.b, theta, bound)
        low, high = origin.alpha - stage.alpha_reach * bound, origin.alpha + stage.alpha_reach * bound
        alpha = min(max(point.alpha + eta * g_alpha, max(low, -2.0 * bound)), min(high, 2.0 * bound))
        point = Point(a, b, alpha)
        stage = Stage(stage.eta, stage.rows + 1.0, stage.length, stage.reach, stage.alpha_reach, stage.beta)
        if stage.rows == stage.length:
            w_pos, w_neg, l1, sqnorm = start_stage(w, v, weight, memory)
            known = pos > 0.0 and neg > 0.0
            point = Point(a_sum / weight, b_sum / weight, w_neg / neg - w_pos / pos if known else alpha)
            origin, stage = point, next_stage(stage, pos / (pos + neg), hyper.growth)
            weight, a_sum, b_sum, distance2 = 0.0, 0.0, 0.0, 0.0
    state = State(stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2)
    return state, Model(w, v, np.inf, 1.0, sqnorm, weight, weight, max_sqnorm, scores, n_seen)


@dataclass(eq=False, repr=False)
class FSAUC(OnlineAUCClassifierBase):
    r"""Squared pair loss on an L1 ball, by SOLAM's saddle point in stages with shrinking trust balls.

    .. math:: \min_{\|w\|_1 \le \mathtt{radius}} \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \bigl(1 - w^\top (x_i - x_j)\bigr)^2

    Each stage starts at the average of the previous one and stays in a ball around it of half the previous
    radius. A row costs O(its non-zeros), or O(features) if its step violates a constraint; the projection is
    exact. Memory is O(features). The result is the average of the current stage's iterates.
    ``AUCClassifier(loss="squared", l2=0, standardize=False)`` has the same minimiser for some l1, which is 0
    if the minimiser is inside the L1 ball. ``score`` is AUC.

    Rows are divided by κ, the largest row norm so far: the paper's formulas hold with its κ = 1 and with
    κ radius for its R, and rescaling the rows changes nothing. ``fit`` has n = rows times passes and makes
    the paper's ⌊log₂(2n / log₂ n) / 2⌋ - 1 stages of equal length. The stages of a stream, whose length is
    unknown, have 128, 512, 2048, ... rows, so that after n rows the ball has shrunk about as much.

    Parameters
    ----------
    radius : float, default=1000.0
        The L1 ball's radius, the paper's R.
    step_size : float or "theory", default=0.1
        The first stage's step η, in units of 1/κ² for the weights. Later steps have the paper's ratios to it
        but never grow: in effect η, η, η/2, η/4, ... "theory" gives the paper's own steps, the second of
        which is about thirty times the first.
    max_iter, tol, shuffle, warm_start, random_state
        As in the other stochastic methods.

    References
    ----------
    M. Liu, X. Zhang, Z. Chen, X. Wang, T. Yang. Fast stochastic AUC maximization with O(1/n)-convergence
    rate. ICML 2018.
    """

    radius: float = 1000.0
    _: KW_ONLY
    step_size: float | str = 0.1

    _rules = rules("radius", step_size=positive | one_of("theory"))

    def _start(self, w: np.ndarray) -> Solver:
        w = soft_threshold_array(w, l1_threshold(w, np.zeros(len(w)), 1.0, self.radius))
        eta = 0.0 if isinstance(self.step_size, str) else float(self.step_size)
        state = State(Stage(eta), l1=float(np.abs(w).sum()))
        return Solver(Model.at(w, average=True), state, Memory(w.copy(), ClassSums.zeros(len(w))))

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        model, state, memory = cast(tuple[Model, State, Memory], solver)
        n = self.max_iter * np.count_nonzero(data.y)
        n_stages = max(1, int(0.5 * np.log2(2.0 * n / np.log2(n))) - 1)
        state = state._replace(stage=state.stage._replace(length=float(-(-n // n_stages))))
        max_sqnorm = class_statistics(data.X, data.y, len(model.u)).max_sqnorm
        return Solver(model._replace(max_sqnorm=max_sqnorm), state, memory), data

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        return self._pass(solver, data, growth=GROWTH)

    def _pass(self, solver: Solver, data: Data, growth: float = 1.0) -> Solver:
        model, state, memory = solver
        hyper = Hyper(self.radius, isinstance(self.step_size, str), growth)
        state, model = epoch(hyper, state, model, memory, data)
        return Solver(model, state, memory)
