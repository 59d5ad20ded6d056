"""One row after another for ``OnlineAUCClassifier``: scale it, score it, move each of its columns."""

import numpy as np

from .._jit import inlined, kernel
from ..rows import adagrad, lines, shrink
from .tracked_moments import LARGE, advance, arrive, due, learn, lowered, pace_of, vectorised

FLOOR = 1e-290  # keeps a column that never moved from dividing by zero
PRIOR = 2000.0  # where columns are standardised: squares they begin with, times their number
CLIP = 30.0  # standard deviations, or mean row norms, beyond which a row counts no more
OUTLIER = 1000.0  # and beyond which it does not stretch the running scale either
HUGE = 1e150  # its square is still a float


@kernel
def plain_epoch(hyper, state, moments, T, seen, data):
    """Rows as they are, divided by their mean norm. ``T`` has a line per column: u, drift, squares."""
    X, y, order = data.X, data.y, data.order
    b, squares = np.zeros(len(hyper.choose) + 2), np.empty(2 * len(T))
    for i in order:
        positive, q = y[i] > 0.0, abs(y[i])
        state = arrive(hyper, state, positive, q)
        pace, swell, lean = pace_of(hyper, state), state.swell, state.lean
        if hyper.l2 > 0.0:
            shrink(X, i, T, seen, hyper.l2 * pace * np.sqrt(swell), lean, FLOOR, float(state.rows))
        inner_u, inner_drift, x2 = lines(X, i, T, squares)
        scale, norm = row_scale(np.sqrt(x2), state, q)
        score, decision = 0.0, 0.0
        if scale > 0.0 and state.past > 0.0:
            score, decision = scale * inner_u / swell, scale * (lean * inner_u - inner_drift) / state.past
        grad, state = learn(hyper, state, moments, b, score, decision, positive, q)
        if grad != 0.0:
            adagrad(X, i, T, grad * scale * np.sqrt(swell), pace * swell, lean, FLOOR, squares)
        state = advance(state, norm)
        if max(state.past, swell) > LARGE:
            state = lowered(state, moments, T[:, 0], T[:, 1], T[:, 2])
    return state


@inlined
def row_scale(x, state, q):
    """One over the running mean row norm, less for a huge row; and that mean."""
    norm = state.norm
    known = min(x, OUTLIER * norm if norm > 0.0 else HUGE)
    norm += q / (state.pos + state.neg) * (known - norm)
    return (1.0 / max(norm, x / CLIP) if norm > 0.0 else 0.0), norm


@kernel
def centred_epoch(hyper, state, moments, T, _seen, data):
    """Dense rows, standardised on the way; ``T`` holds u, drift, squares, mean, variance, 1/std, std."""
    X, y, order = data.X, data.y, data.order
    b, z = np.zeros(len(hyper.choose) + 2), np.empty(X.shape[1])
    for i in order:
        positive, q = y[i] > 0.0, abs(y[i])
        state = arrive(hyper, state, positive, q)
        pace, swell, lean = pace_of(hyper, state), state.swell, state.lean
        prior = PRIOR / len(z) * swell
        if hyper.l2 > 0.0:
            pull(T[0], T[1], T[2], hyper.l2 * pace * np.sqrt(swell), lean, prior)
        standardise(X[i], T[3], T[4], T[5], T[6], z, q / (state.pos + state.neg), due(state.rows, 64, 16))
        inner_u, inner_drift = inner(z, T[0], T[1])
        score, decision = 0.0, 0.0
        if state.past > 0.0:
            score, decision = inner_u / swell, (lean * inner_u - inner_drift) / state.past
        grad, state = learn(hyper, state, moments, b, score, decision, positive, q)
        if grad != 0.0:
            move(z, T[0], T[1], T[2], grad * np.sqrt(swell), pace * swell, lean, prior)
        state = advance(state, 0.0)
        if max(state.past, swell) > LARGE:
            state = lowered(state, moments, T[0], T[1], T[2])
    return state


@vectorised
def standardise(x, mean, var, inverse, std, z, rate, fresh):
    """Take a row into the running means and variances, then write its standardised form to ``z``."""
    root = 1.0 / np.sqrt(len(z))
    for j in range(len(z)):
        gap = np.float64(x[j]) - mean[j]
        known = (
            min(max(gap * inverse[j], -OUTLIER), OUTLIER) * std[j]
            if inverse[j] > 0.0
            else min(max(gap, -HUGE), HUGE)
        )
        mean[j] += rate * known
        var[j] = (1.0 - rate) * (var[j] + rate * known * known)
        z[j] = (1.0 - rate) * known
    if fresh:
        for j in range(len(z)):
            std[j] = np.sqrt(var[j])
            inverse[j] = 1.0 / std[j] if std[j] > 0.0 else 0.0
    for j in range(len(z)):
        z[j] = min(max(z[j] * inverse[j], -CLIP), CLIP) * root


@vectorised
def inner(z, u, drift):
    on_u, on_drift = 0.0, 0.0
    for j in range(len(z)):
        on_u += z[j] * u[j]
        on_drift += z[j] * drift[j]
    return on_u, on_drift


@vectorised
def move(z, u, drift, squares, grad, pace, lean, prior):
    for j in range(len(z)):
        slope = grad * z[j]
        squares[j] += slope * slope
        step = -pace * slope / np.sqrt(squares[j] + prior)
        u[j] += step
        drift[j] += lean * step


@vectorised
def pull(u, drift, squares, strength, lean, prior):
    for j in range(len(u)):
        step = u[j] / (1.0 + strength / np.sqrt(squares[j] + prior)) - u[j]
        u[j] += step
        drift[j] += lean * step
