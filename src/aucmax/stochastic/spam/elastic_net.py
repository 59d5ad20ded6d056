"""SPAM with an elastic net, O(features) a row: every weight is moved at every row."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.proximal import proximal
from ...kernels.rows import axpy, dot
from ..engine.model import MEMORY, Model, fold, inner_product, update_mean_scores
from ..engine.schedules import inverse_sqrt
from .saddle import State, coefficient


class Hyper(NamedTuple):
    eta: float
    beta: float
    beta1: float


@inlined
def counted(state, y, running):
    """The state on arrival of a row of signed weight ``y``, counted in running class weights."""
    a, b, pos, neg, t = state
    if running and y > 0.0:
        pos += y
    elif running:
        neg -= y
    return State(a, b, pos, neg, t + 1.0)


@inlined
def witnessed(model, y, score, x2, gamma):
    """The model's scalars once it has scored a row; ``u`` and ``v`` are left alone."""
    u, v, radius, scale, sqnorm, drift, weight, kappa2, scores, seen = model
    counts, memory = (gamma, np.inf) if len(v) > 0 else (abs(y), MEMORY)
    scores = update_mean_scores(scores, score, y > 0.0, counts, memory)
    weight, kappa2, seen = weight + gamma, max(kappa2, x2), seen + 1
    return Model(u, v, radius, scale, sqnorm, drift, weight, kappa2, scores, seen)


@kernel
def epoch(hyper, state, model, sums, data, running):
    """Visit the rows in order; ``running`` sums take in each row after its gradient."""
    X, y, order = data.X, data.y, data.order
    u, v = model.u, model.v
    if model.scale != 1.0 or model.drift != 0.0:
        fold(u, v, model.scale, model.drift)
    for i in order:
        state = counted(state, y[i], running)
        score, x2 = dot(X, i, u)
        gamma = 1.0 if state.t > 1.0 else 0.0  # the first iterate, zero, is not one of the method's
        model = witnessed(model, y[i], score, x2, gamma)
        for j in range(len(v)):
            v[j] += gamma * u[j]
        eta = inverse_sqrt(hyper.eta, state.t) / model.kappa2 if model.kappa2 > 0.0 else 0.0
        axpy(X, i, -eta * abs(y[i]) * coefficient(state, score, y[i] > 0.0), u)
        if running:
            axpy(X, i, abs(y[i]), sums.pos if y[i] > 0.0 else sums.neg)
        a, b = proximal(u, eta * hyper.beta1, 1.0 / (1.0 + eta * hyper.beta), sums.pos, sums.neg)
        state = State(a, b, state.pos, state.neg, state.t)
    _, _, radius, _, _, _, weight, kappa2, scores, seen = model
    sqnorm = inner_product(u, u)
    return state, Model(u, v, radius, 1.0, sqnorm, 0.0, weight, kappa2, scores, seen)
