"""SOLAM: stochastic online AUC maximisation (Ying, Wen and Lyu, 2016).

The pairwise squared loss is a saddle point over four more scalars, which needs one row at a time.
"""
from typing import NamedTuple

import numpy as np

from .._jit import inlined, kernel
from ..linear import descend
from ..schedule import inverse_sqrt


class Hyper(NamedTuple):
    zeta: float
    radius: float


class State(NamedTuple):
    """The saddle point's scalars, and the weights of positives and of all rows seen."""

    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    pos: float = 0.0
    total: float = 0.0
    t: float = 0.0


@inlined
def clip(value, bound):
    return min(max(value, -bound), bound)


@inlined
def step(hyper, state, row):
    a, b, alpha, pos, total, t = state
    t += 1.0
    total += row.weight
    if row.positive:
        pos += row.weight
    p = pos / total
    gamma = row.weight * inverse_sqrt(hyper.zeta, t)
    bound = hyper.radius / np.sqrt(row.pace)  # R kappa
    if row.positive:
        grad = 2.0 * (1.0 - p) * (row.score - a - 1.0 - alpha)
        ascent = -2.0 * (1.0 - p) * (row.score + p * alpha)
        a = clip(a + gamma * 2.0 * (1.0 - p) * (row.score - a), bound)
    else:
        grad = 2.0 * p * (row.score - b + 1.0 + alpha)
        ascent = 2.0 * p * (row.score - (1.0 - p) * alpha)
        b = clip(b + gamma * 2.0 * p * (row.score - b), bound)
    alpha = clip(alpha + gamma * ascent, 2.0 * bound)
    return -gamma * row.pace * grad, 1.0, gamma, State(a, b, alpha, pos, total, t)


@kernel
def epoch(hyper, state, model, data):
    return descend(step, hyper, state, model, data)
