"""Dense rows, standardised on the way, for ``OnlineAUCClassifier``: scale one, score it, move all columns."""

import numpy as np

from ..kernels.jit import inlined, kernel, vectorised
from .class_moments import (
    CLIP,
    FLOOR,
    HUGE,
    LARGE,
    OUTLIER,
    advance,
    arrive,
    due,
    learn,
    lowered,
    pace_of,
)

PRIOR = 500.0  # rows of slope 1 with which the sum of squares begins
LONG = 4.0  # mean square of a row's values beyond which its slope is cut back
ALIKE = 8.0  # where columns are alike, steps are longer by up to the root of this


@kernel
def centred_epoch(hyper, state, moments, T, data):
    """Dense rows, standardised on the way. ``T`` holds u, drift, mean, variance, 1/std, std, an earlier row.

    Standardised columns need no step lengths of their own: one sum of squared slopes serves them all.
    """
    X, y, order = data.X, data.y, data.order
    u, drift, mean, var, inverse, std, earlier = T[0], T[1], T[2], T[3], T[4], T[5], T[6]
    powers, z = np.empty(len(hyper.choose) + 4), np.empty(X.shape[1])
    for i in order:
        positive, q = y[i] > 0.0, abs(y[i])
        state = arrive(hyper, state, positive, q)
        pace, swell, lean = pace_of(hyper, state), state.swell, state.lean
        pace *= np.sqrt(min(max(state.alike, 1.0), ALIKE) * len(z))
        prior = PRIOR * mean_square_weight(state.pos, state.neg) * swell
        if hyper.l2 > 0.0:
            pull(u, drift, hyper.l2 * pace * np.sqrt(swell / (state.slopes + prior)), lean)
        rate, fresh = q / (state.pos + state.neg), due(state.rows, 64, 16)
        length = standardise(X, i, mean, var, inverse, std, z, rate, fresh)
        inner_u, inner_drift = inner(z, u, drift)
        score, decision = 0.0, 0.0
        if state.past > 0.0:
            score, decision = inner_u / swell, (lean * inner_u - inner_drift) / state.past
        grad, _, state = learn(hyper, state, moments, powers, score, decision, positive, q)
        slope = grad * np.sqrt(swell) * (LONG / max(length, LONG))
        slopes = state.slopes + slope * slope
        if grad != 0.0:
            move(z, u, drift, -pace * swell * slope / np.sqrt(slopes + prior), lean)
        alike = state.alike
        if due(state.rows, 1024, 16):
            rate *= 1.0 if state.rows <= 1024 else 16.0
            alike += min(rate, 1.0) * (likeness(z, earlier, inverse) - alike)
        state = advance(state, 0.0, 0.0, alike, slopes)
        if max(state.past, swell) > LARGE:
            state = lowered(state, moments, u, drift, u[:0])  # no squares by column
    return state


@inlined
def mean_square_weight(pos, neg):
    """Mean square of the rows' weights 1/p and 1/(1-p): 4 for even classes, more the rarer one is."""
    # By ratios, since weights may be of any size; a class that has been forgotten weighs next to nothing.
    return min((pos + neg) / max(pos, FLOOR) * ((pos + neg) / max(neg, FLOOR)), HUGE)


@vectorised
def standardise(X, i, mean, var, inverse, std, z, rate, fresh):
    """Take row i into the running means and variances, then write its standardised form to ``z``.

    That is divided by the root of the number of columns; its squared length is returned, 1 in the mean.
    """
    root, length = 1.0 / np.sqrt(len(z)), 0.0
    for j in range(len(z)):
        gap = np.float64(X[i, j]) - mean[j]
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
        length += z[j] * z[j]
    return length


@vectorised
def likeness(z, earlier, inverse):
    """The square of two rows' inner product over the number of columns that vary; 1 if none are alike.

    In the mean, it is that number over the number of directions which the rows take. ``z`` replaces
    the earlier row.
    """
    product, varying = 0.0, 0
    for j in range(len(z)):
        product += z[j] * earlier[j]
        varying += inverse[j] > 0.0
    for j in range(len(z)):
        earlier[j] = z[j]
    return (len(z) * product) ** 2 / max(varying, 1)


@vectorised
def inner(z, u, drift):
    on_u, on_drift = 0.0, 0.0
    for j in range(len(z)):
        on_u += z[j] * u[j]
        on_drift += z[j] * drift[j]
    return on_u, on_drift


@vectorised
def move(z, u, drift, step, lean):
    for j in range(len(z)):
        u[j] += step * z[j]
        drift[j] += lean * step * z[j]


@vectorised
def pull(u, drift, strength, lean):
    for j in range(len(u)):
        step = u[j] / (1.0 + strength) - u[j]
        u[j] += step
        drift[j] += lean * step
