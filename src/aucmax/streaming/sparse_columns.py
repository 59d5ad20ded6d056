"""Rows as they are, mostly sparse, for ``OnlineAUCClassifier``: scale one, score it, move its columns."""

import numpy as np

from ..kernels.jit import inlined, kernel, vectorised
from ..kernels.rows import entry, span
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
from .sparse_rows import adagrad, lines

UNEVEN = 100.0  # usual squares that columns begin with, times the variance of the classes' weights
OFF = 64.0  # a value this many times the usual size makes a column watched
BAND = 8.0  # which is then brought within this factor of the usual size
SLIGHT = 1e-30  # of the usual squared slope: keeps a column that never moved from dividing by zero
QUIET = 0.25  # of the usual slope, below which rows that come again take turns
TURNS = 8.0  # one in so many of them moves, as many times as far
GOLDEN, PRIME = 0.5 * (np.sqrt(5.0) - 1.0), 4099  # numbers that fall in step with no pattern of the rows


@kernel
def plain_epoch(hyper, state, moments, T, sizes, seen, data):
    """Rows divided by their mean norm. ``T`` has a line per column: u, drift, sum of squared slopes.

    Columns stay as they are, but for those of another size than most: these are watched, which a sum
    below zero says, and scaled. ``sizes`` has the weight and the sum of their values' sizes; if it is empty,
    the pass ends before the first row with such a column. How many rows were visited is returned too.

    Of rows that come again, those with hardly a slope take turns, unless some column has moved little so far.
    """
    X, y, order, flat = data.X, data.y, data.order, T.reshape(-1)
    powers, squares, z = np.empty(len(hyper.choose) + 4), np.empty(2 * len(T)), np.empty(len(T))
    for done in range(len(order)):
        i, before = order[done], state
        positive, q = y[i] > 0.0, abs(y[i])
        state = arrive(hyper, state, positive, q)
        pace, swell, lean, size = pace_of(hyper, state), state.swell, state.lean, state.size
        if size == 0.0 or due(state.rows, 64, 16):
            size = usual_size(X, i, size, q / (state.pos + state.neg) * (4.0 if state.rows <= 64 else 64.0))
        if hyper.l2 > 0.0:
            shrink(X, i, T, seen, hyper.l2 * pace * np.sqrt(swell), lean, float(state.rows))
        inner_u, inner_drift, x2, least, smallest = lines(X, i, flat, squares)
        # Most rows are known to have no odd column without a look at each.
        doubtful = least < 0.0 or x2 > OFF * OFF * size or (least == 0.0 and OFF * OFF * smallest < size)
        odd = doubtful and n_odd(X, i, squares, size) > 0
        if odd and len(sizes) == 0:
            return before, done
        if odd:
            inner_u, inner_drift, x2 = scaled_lines(X, i, T, sizes, squares, z, size, q * swell)
        scale, norm = row_scale(np.sqrt(x2), state, q)
        score, decision = 0.0, 0.0
        if scale > 0.0 and state.past > 0.0:
            score, decision = (
                scale * inner_u * (1.0 / swell),
                scale * (lean * inner_u - inner_drift) / state.past,
            )
        grad, pull, state = learn(hyper, state, moments, powers, score, decision, positive, q)
        slope, pull = grad * scale * np.sqrt(swell), swell * pull * pull
        quiet = not hyper.judged and pull * state.n < QUIET * QUIET * (state.slopes + pull)
        if quiet and (slope * slope * x2 < least or n_far(X, i, squares, slope * slope) == 0):
            turn = state.rows * GOLDEN % 1.0 * (state.rows % PRIME) % 1.0 < 1.0 / TURNS
            slope, pace = (np.sqrt(TURNS) * slope if turn else 0.0), np.sqrt(TURNS) * pace
        if slope != 0.0:
            prior = unevenness(state.pos, state.neg) * size * scale * scale * swell
            usual = max((state.slopes + pull) / state.n + prior, FLOOR)
            floor = prior + SLIGHT * usual
            if odd:
                scaled_adagrad(X, i, T, slope, pace * swell, lean, floor, squares, z)
            else:
                adagrad(X, i, flat, slope, pace * swell, lean, floor, usual, squares)
        state = advance(state, norm, size, 0.0, state.slopes + pull)
        if max(state.past, swell) > LARGE:
            if swell > LARGE:
                sizes[:, :] /= LARGE
            state = lowered(state, moments, T[:, 0], T[:, 1], T[:, 2])
    return state, len(order)


@inlined
def unevenness(pos, neg):
    """``UNEVEN`` times the variance of the rows' weights 1/p and 1/(1-p), which is 0 for even classes.

    Without it a column that only rows of the common class have had moves as far as one that a row of the
    rare class, whose slopes are far longer, has had.
    """
    # By ratios, since weights may be of any size; a class that has been forgotten weighs next to nothing.
    return UNEVEN * min((pos - neg) / max(pos, FLOOR) * ((pos - neg) / max(neg, FLOOR)), HUGE / LARGE)


@vectorised
def n_far(X, i, squares, slope2):
    """How many columns of a row would add more to their sum of squares than it is; watched ones count too."""
    start, stop = span(X, i)
    found = 0
    for k in range(stop - start):
        _, x = entry(X, i, start + k)
        found += (x != 0.0) & (slope2 * (x * x) > squares[k])
    return found


@inlined
def usual_size(X, i, size, rate):
    """The square of the usual size of values that are not zero, moved by those of a row.

    Each pulls by the tanh of its distance on the log scale: a few of another size do little.
    """
    if size > 0.0:
        return size * np.exp(min(rate, 1.0) * mean_pull(X, i, size))
    start, stop = span(X, i)
    total, count = 0.0, 0
    for k in range(start, stop):
        _, x = entry(X, i, k)
        if x != 0.0:
            total += np.log(within(x * x))
            count += 1
    return np.exp(total / count) if count > 0 else 0.0


@vectorised
def mean_pull(X, i, size):
    """The mean of a row's pulls; values of zero have none."""
    start, stop = span(X, i)
    total, count = 0.0, 0
    for k in range(start, stop):
        _, x = entry(X, i, k)
        own = within(x * x)
        total += (own - size) / (own + size) if x != 0.0 else 0.0
        count += x != 0.0
    return total / max(count, 1)


@inlined
def within(square):
    """A square that can be divided by and multiplied with."""
    return min(max(square, 1.0 / (HUGE * HUGE)), HUGE * HUGE)


@vectorised
def n_odd(X, i, squares, size):
    """How many columns of a row are watched, or should be from now on."""
    start, stop = span(X, i)
    found = 0
    for k in range(stop - start):
        _, x = entry(X, i, start + k)
        found += (squares[k] < 0.0) | is_off(x, squares[k], size)
    return found


@inlined
def is_off(x, squares, size):
    """Far larger than usual; or far smaller, in a column without steps so far."""
    return (x * x > OFF * OFF * size) | ((squares == 0.0) & (x != 0.0) & (OFF * OFF * (x * x) < size))


@inlined
def scaled_lines(X, i, T, sizes, squares, z, size, weight):
    """``lines`` with watched columns scaled, once they have counted the row; it is left in ``z``."""
    start, stop = span(X, i)
    usual = np.sqrt(size)
    for k in range(stop - start):
        _, z[k] = entry(X, i, start + k)
    for k in range(stop - start):
        if z[k] != 0.0 and (squares[k] < 0.0 or is_off(z[k], squares[k], size)):
            column, _ = entry(X, i, start + k)
            z[k] = watched(sizes, np.uintp(column), z[k], squares[k] != 0.0, usual, weight)
            squares[k] = min(-abs(squares[k]), -FLOOR)
    inner_u, inner_drift, z2 = 0.0, 0.0, 0.0
    for k in range(stop - start):
        column, _ = entry(X, i, start + k)
        j = np.uintp(column)
        inner_u += z[k] * T[j, 0]
        inner_drift += z[k] * T[j, 1]
        z2 += z[k] * z[k]
        T[j, 2] = squares[k]
    return inner_u, inner_drift, z2


@inlined
def watched(sizes, j, x, moved, usual, weight):
    """A value of a watched column, scaled once it is counted; a column that ``moved`` was of usual size."""
    mass = sizes[j, 0]
    own = sizes[j, 1] / mass if mass > 0.0 else usual if moved else HUGE
    x = min(max(x, -OFF * own), OFF * own)
    sizes[j, 0] += weight
    sizes[j, 1] += weight * abs(x)
    return x * column_scale(sizes[j, 1] / sizes[j, 0], usual)


@inlined
def column_scale(own, usual):
    """What brings a column of the size ``own`` within a factor of ``BAND`` of the usual size."""
    return min(max(own, usual / BAND), usual * BAND) / own if own > 0.0 else 1.0


@kernel
def plain_weights(T, sizes, usual, by_u, by_drift):
    """``by_u`` times u less ``by_drift`` times drift, for rows as they come: watched columns are scaled."""
    w = np.empty(len(T))
    for j in range(len(T)):
        w[j] = by_u * T[j, 0] - by_drift * T[j, 1]
        if T[j, 2] < 0.0:
            w[j] *= column_scale(sizes[j, 1] / sizes[j, 0], usual)
    return w


@inlined
def scaled_adagrad(X, i, T, grad, pace, lean, floor, squares, z):
    """``adagrad`` after ``scaled_lines``; watched columns stay watched."""
    start, stop = span(X, i)
    for k in range(stop - start):  # by vector instructions
        slope = grad * z[k]
        total = abs(squares[k]) + slope * slope
        z[k] = -pace * slope / np.sqrt(total + floor)
        squares[k] = -total if squares[k] < 0.0 else total
    for k in range(stop - start):
        column, _ = entry(X, i, start + k)
        j = np.uintp(column)
        T[j, 0] += z[k]
        T[j, 1] += lean * z[k]
        T[j, 2] = squares[k]


@inlined
def shrink(X, i, T, seen, strength, lean, now):
    """Where a row is not zero, pull u to zero, once for each row since the last one ``seen``."""
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        if x != 0.0:
            j = np.uintp(column)
            rate = 1.0 + strength / np.sqrt(abs(T[j, 2]) + FLOOR)
            move = T[j, 0] * (rate ** (seen[j] - now) - 1.0)
            T[j, 0] += move
            T[j, 1] += lean * move
            seen[j] = now


@inlined
def row_scale(x, state, q):
    """One over the running mean row norm, less for a huge row; and that mean."""
    norm = state.norm
    known = min(x, OUTLIER * norm if norm > 0.0 else HUGE)
    norm += q / (state.pos + state.neg) * (known - norm)
    return (1.0 / max(norm, x / CLIP) if norm > 0.0 else 0.0), norm
