"""Sparse columns of another size than most: find them, and bring their values near the usual size.

The sign of a column's sum of squares marks it as rescaled: the sum is loaded for each entry anyway, and a
separate mask makes later passes over news20 (CSR) 30 % slower.
"""

import numpy as np

from ..kernels.jit import inlined, kernel, vectorised
from ..kernels.rows import entry, span
from .class_moments import is_due
from .constants import BAND, FLOOR, HUGE, OFF_SIZE


@inlined
def update_usual_square(X, i, state, q):
    """The square of the usual size of values that are not zero, moved now and then by those of a row.

    Each value pulls by the tanh of its distance on the log scale: a few of another size do little.
    """
    usual_square = state.usual_square
    if usual_square > 0.0:
        if not is_due(state.rows, 64, 16):
            return usual_square
        rate = q / (state.pos + state.neg) * (4.0 if state.rows <= 64 else 64.0)
        return usual_square * np.exp(min(rate, 1.0) * mean_pull(X, i, usual_square))
    start, stop = span(X, i)
    total, count = 0.0, 0
    for k in range(start, stop):
        _, x = entry(X, i, k)
        if x != 0.0:
            total += np.log(clip_square(x * x))
            count += 1
    return np.exp(total / count) if count > 0 else 0.0


@vectorised
def mean_pull(X, i, usual_square):
    """The mean of a row's pulls; values of zero have none."""
    start, stop = span(X, i)
    total, count = 0.0, 0
    for k in range(start, stop):
        _, x = entry(X, i, k)
        square = clip_square(x * x)
        total += (square - usual_square) / (square + usual_square) if x != 0.0 else 0.0
        count += x != 0.0
    return total / max(count, 1)


@inlined
def clip_square(square):
    """A square that can be divided by and multiplied with."""
    return min(max(square, 1.0 / (HUGE * HUGE)), HUGE * HUGE)


@inlined
def is_rescaled(squares):
    return squares < 0.0


@inlined
def mark_rescaled(squares):
    """The sum of squares of a column that is rescaled from now on; it is not zero, so that it has a sign."""
    return min(-abs(squares), -FLOOR)


@inlined
def must_rescale(X, i, squares, usual_square, x2, least, smallest):
    """Whether a column of a row is rescaled, or must be from now on."""
    # For most rows no column needs a look: the row's square and its least value bound them all.
    large = x2 > OFF_SIZE * OFF_SIZE * usual_square
    small = least == 0.0 and OFF_SIZE * OFF_SIZE * smallest < usual_square
    return (is_rescaled(least) or large or small) and count_rescaled(X, i, squares, usual_square) > 0


@vectorised
def count_rescaled(X, i, squares, usual_square):
    start, stop = span(X, i)
    found = 0
    for k in range(stop - start):
        _, x = entry(X, i, start + k)
        found += is_rescaled(squares[k]) | is_off_size(x, squares[k], usual_square)
    return found


@inlined
def is_off_size(x, squares, usual_square):
    """Far larger than usual; or far smaller, in a column without steps so far."""
    small = (squares == 0.0) & (x != 0.0) & (OFF_SIZE * OFF_SIZE * (x * x) < usual_square)
    return (x * x > OFF_SIZE * OFF_SIZE * usual_square) | small


@inlined
def read_rescaled(X, i, table, sizes, squares, z, usual_square, weight):
    """``read_columns`` with rescaled columns, once the row is counted in them; the scaled row is ``z``."""
    start, stop = span(X, i)
    usual = np.sqrt(usual_square)
    inner_u, inner_average, z2 = 0.0, 0.0, 0.0
    for k in range(stop - start):
        column, x = entry(X, i, start + k)
        j = np.uintp(column)
        if x != 0.0 and (is_rescaled(squares[k]) or is_off_size(x, squares[k], usual_square)):
            x = rescale(sizes, j, x, squares[k] != 0.0, usual, weight)
            squares[k] = mark_rescaled(squares[k])
            table[j, 2] = squares[k]
        z[k] = x
        inner_u += x * table[j, 0]
        inner_average += x * table[j, 1]
        z2 += x * x
    return inner_u, inner_average, z2


@inlined
def rescale(sizes, j, x, moved, usual, weight):
    """Count a value of a rescaled column, and scale it; a column that ``moved`` was of usual size before."""
    total = sizes[j, 0]
    mean_size = sizes[j, 1] / total if total > 0.0 else usual if moved else HUGE
    x = min(max(x, -OFF_SIZE * mean_size), OFF_SIZE * mean_size)
    sizes[j, 0] += weight
    sizes[j, 1] += weight * abs(x)
    return x * column_scale(sizes[j, 1] / sizes[j, 0], usual)


@inlined
def column_scale(mean_size, usual):
    """The factor that brings a column within a factor of ``BAND`` of the usual size."""
    return min(max(mean_size, usual / BAND), usual * BAND) / mean_size if mean_size > 0.0 else 1.0


@kernel
def plain_weights(table, sizes, usual, by_u, by_average):
    """``by_u * u - by_average * average_coef``, with the scale of rescaled columns."""
    w = np.empty(len(table))
    for j in range(len(table)):
        w[j] = by_u * table[j, 0] - by_average * table[j, 1]
        if is_rescaled(table[j, 2]):
            w[j] *= column_scale(sizes[j, 1] / sizes[j, 0], usual)
    return w


@inlined
def step_rescaled(X, i, table, slope, step, average_offset, floor, squares, z):
    """``step_columns`` after ``read_rescaled``."""
    start, stop = span(X, i)
    for k in range(stop - start):  # by vector instructions
        gradient = slope * z[k]
        total = abs(squares[k]) + gradient * gradient
        z[k] = -step * gradient / np.sqrt(total + floor)
        squares[k] = -total if is_rescaled(squares[k]) else total
    for k in range(stop - start):
        column, _ = entry(X, i, start + k)
        j = np.uintp(column)
        table[j, 0] += z[k]
        table[j, 1] += average_offset * z[k]
        table[j, 2] = squares[k]
