"""The saddle function of the squared pair loss, minimised over its three scalars.

The minimisers are the classes' mean scores. SPAM and VRSPAM compute them from two scalars, the products of
the weights with the sums of the rows of each class.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined
from ..engine.model import SCORE_MEMORY, Model, update_mean_scores


class State(NamedTuple):
    """``w . (sum of positives)``, ``w . (sum of negatives)``, the classes' weights, the number of rows."""

    a: float = 0.0
    b: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    t: float = 0.0


@inlined
def score_derivative(state, score, positive):
    """Derivative of the saddle function in the row's score; zero until both classes have been seen."""
    if state.pos == 0.0 or state.neg == 0.0:
        return 0.0
    sign, others, total = (1.0, state.neg, state.b) if positive else (-1.0, state.pos, state.a)
    return 2.0 * others / (state.pos + state.neg) * (score - sign - total / others)


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
