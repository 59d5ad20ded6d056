"""FSAUC's stages and its step: what its loops over the rows share."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, vectorised
from ..engine.class_sums import ClassSums
from .projection import offset

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
    n, spread, reach = stage.length, np.sqrt(2.0 * LOG_12_DELTA), 0.5 * stage.reach
    p_min = min(p, 1.0 - p) - spread / np.sqrt(n)  # lower bound of the rarer class's fraction
    alpha_reach = 2.0 * np.sqrt(2.0) * reach
    alpha_reach += 12.0 * np.sqrt(2.0) * (2.0 + spread) / np.sqrt(p_min * n) if p_min > 0.0 else NO_BOUND
    beta = 9.0 + 288.0 * (2.0 + spread) ** 2 / p_min if p_min > 0.0 else NO_BOUND
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


@inlined
def step(hyper, stage, point, p, score, positive, weight, max_sqnorm):
    """How far w moves along a row, and the scalars after their step; without projection."""
    eta = weight * (theory_step(stage, hyper.radius * np.sqrt(max_sqnorm)) if hyper.theory else stage.eta)
    g, g_a, g_b, g_alpha = saddle_gradient(point, p, score, positive)
    c = -eta * g / max_sqnorm if max_sqnorm > 0.0 else 0.0
    return c, Point(point.a - eta * g_a, point.b - eta * g_b, point.alpha + eta * g_alpha)


@inlined
def scalar_distance2(moved, origin, bound):
    """Squared distance of a and b, clipped to their bounds, from the centre."""
    return offset(moved.a, origin.a, 1.0, bound) ** 2 + offset(moved.b, origin.b, 1.0, bound) ** 2


@inlined
def clip_scalars(moved, origin, stage, theta, bound):
    """The scalars in their bounds, a and b at a fraction ``theta`` of the way from the centre."""
    a = origin.a + offset(moved.a, origin.a, theta, bound)
    b = origin.b + offset(moved.b, origin.b, theta, bound)
    low, high = origin.alpha - stage.alpha_reach * bound, origin.alpha + stage.alpha_reach * bound
    return Point(a, b, min(max(moved.alpha, max(low, -2.0 * bound)), min(high, 2.0 * bound)))


@inlined
def add_row(state, positive, weight):
    """The state with the weight of a row in its class, and the current a and b in their sums."""
    stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2 = state
    pos, neg = (pos + weight, neg) if positive else (pos, neg + weight)
    a_sum, b_sum = a_sum + weight * point.a, b_sum + weight * point.b
    return State(stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2)


@inlined
def finish_row(state, moved, theta, bound, l1, distance2):
    """The state with one more row in the stage, after the projection."""
    stage, _, origin, a_sum, b_sum, pos, neg, _, _ = state
    point = clip_scalars(moved, origin, stage, theta, bound)
    stage = Stage(stage.eta, stage.rows + 1.0, stage.length, stage.reach, stage.alpha_reach, stage.beta)
    return State(stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2)


@inlined
def end_stage(hyper, state, w, v, weight, memory):
    """Begin the next stage at the average of this one; the state, and the squared norm of w."""
    stage, point, _, a_sum, b_sum, pos, neg, _, _ = state
    w_pos, w_neg, l1, sqnorm = start_stage(w, v, weight, memory)
    known = pos > 0.0 and neg > 0.0
    point = Point(a_sum / weight, b_sum / weight, w_neg / neg - w_pos / pos if known else point.alpha)
    stage = next_stage(stage, pos / (pos + neg), hyper.growth)
    return State(stage, point, point, 0.0, 0.0, pos, neg, l1, 0.0), sqnorm
