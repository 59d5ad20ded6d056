"""SPAM with an elastic net in O(features) per row: each row moves every weight."""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.proximal import proximal_step
from ...kernels.rows import axpy, dot
from ...kernels.vectors import inner_product
from ..engine.class_sums import add_to_class_sum
from ..engine.model import SCORE_MEMORY, Model, apply_scales, update_mean_scores
from .saddle import State, score_derivative


class ElasticNetHyper(NamedTuple):
    eta: float
    beta: float
    beta1: float


@inlined
def count_row(state, signed_weight, running):
    """The state with one more row; running class weights include it."""
    a, b, pos, neg, t = state
    if running and signed_weight > 0.0:
        pos += signed_weight
    elif running:
        neg -= signed_weight
    return State(a, b, pos, neg, t + 1.0)


@inlined
def record_score(model, signed_weight, score, sqnorm, gamma):
    """The model with its scalars updated by a row and its score; ``u`` and ``v`` do not change."""
    u, v, radius, scale, w_sqnorm, average_scale, average_weight, max_sqnorm, scores, n_seen = model
    weight, memory = (gamma, np.inf) if len(v) > 0 else (abs(signed_weight), SCORE_MEMORY)
    scores = update_mean_scores(scores, score, signed_weight > 0.0, weight, memory)
    average_weight, max_sqnorm, n_seen = average_weight + gamma, max(max_sqnorm, sqnorm), n_seen + 1
    return Model(u, v, radius, scale, w_sqnorm, average_scale, average_weight, max_sqnorm, scores, n_seen)


@kernel
def elastic_net_epoch(hyper, state, model, sums, data, running):
    """Visit the rows in order; each row is added to ``running`` sums after its gradient."""
    X, y, u, v = data.X, data.y, model.u, model.v
    if model.scale != 1.0 or model.average_scale != 0.0:
        apply_scales(u, v, model.scale, model.average_scale)
    for i in data.order:
        state = count_row(state, y[i], running)
        score, x2 = dot(X, i, u)
        gamma = 1.0 if state.t > 1.0 else 0.0  # the average begins with the second iterate
        model = record_score(model, y[i], score, x2, gamma)
        for j in range(len(v)):
            v[j] += gamma * u[j]
        eta = (hyper.eta / np.sqrt(state.t)) / model.max_sqnorm if model.max_sqnorm > 0.0 else 0.0
        axpy(X, i, -eta * abs(y[i]) * score_derivative(state, score, y[i] > 0.0), u)
        if running:
            add_to_class_sum(X, i, y[i], sums.pos, sums.neg)
        a, b = proximal_step(u, eta * hyper.beta1, 1.0 / (1.0 + eta * hyper.beta), sums.pos, sums.neg)
        state = State(a, b, state.pos, state.neg, state.t)
    _, _, radius, _, _, _, average_weight, max_sqnorm, scores, n_seen = model
    sqnorm = inner_product(u, u)
    return state, Model(u, v, radius, 1.0, sqnorm, 0.0, average_weight, max_sqnorm, scores, n_seen)
