"""Rows of ``OnlineAUCClassifier`` that are not standardised, mostly sparse: scale, score, move columns."""

from typing import NamedTuple

import numpy as np

from ..kernels.jit import inlined, kernel, vectorised
from ..kernels.rows import entry, span
from .class_moments import State, add_iterate, count_row, divide_large, step_length, update_moments
from .constants import CLIP, FLOOR, GOLDEN, HUGE, LARGE, OUTLIER, PRIME, QUIET, SLIGHT, TURNS, UNEVEN
from .rescaling import must_rescale, plain_weights, read_rescaled, step_rescaled, update_usual_square
from .sparse_rows import read_columns, step_columns


class SparseColumns(NamedTuple):
    """Weights and running statistics of columns that are not standardised.

    ``table`` has u, average_coef and the sum of squared slopes, next to each other for each column; see
    ``rescaling`` for the sign of that sum. ``sizes`` has the weight and the weighted sum of absolute values
    of rescaled columns, and is empty until there is one. ``seen`` is the row in which a column was last not
    zero, and is empty where there is no l2.
    """

    table: np.ndarray
    sizes: np.ndarray
    seen: np.ndarray

    @classmethod
    def zeros(cls, n_features: int) -> "SparseColumns":
        return cls(np.zeros((n_features, 3)), np.zeros((0, 2)), np.zeros(0))

    def weights(self, state: State, at: np.ndarray | slice, by_u: float, by_average: float) -> np.ndarray:
        """``by_u * u - by_average * average_coef`` of some columns, for rows that are not scaled."""
        norm = state.mean_norm
        if norm == 0.0:
            return np.zeros(len(self.table))[at]
        sizes, usual = self.sizes[at] if len(self.sizes) else self.sizes, np.sqrt(state.usual_square)
        return plain_weights(self.table[at], sizes, usual, by_u / norm, by_average / norm)

    def append(self, extra: int) -> "SparseColumns":
        """The same with columns added that were zero in all rows so far."""
        wider = [np.concatenate([part, np.zeros((extra, *part.shape[1:]), part.dtype)]) for part in self]
        return SparseColumns(*(new if len(old) else old for old, new in zip(self, wider, strict=True)))


@kernel
def sparse_epoch(hyper, state, moments, columns, data):
    """Visit rows, and return how many: without ``sizes``, stop before the first rescaled column."""
    X, y, order, flat = data.X, data.y, data.order, columns.table.reshape(-1)
    table, sizes, seen = columns
    powers, squares, z = np.empty(len(hyper.choose) + 4), np.empty(2 * len(table)), np.empty(len(table))
    for done in range(len(order)):
        i, before = order[done], state
        positive, q = y[i] > 0.0, abs(y[i])
        state = count_row(hyper, state, positive, q)
        step, scale_up, offset = step_length(hyper, state), state.forget_scale, state.average_offset
        usual_square = update_usual_square(X, i, state, q)
        if hyper.l2 > 0.0:
            shrink(X, i, table, seen, hyper.l2 * step * np.sqrt(scale_up), offset, float(state.rows))
        inner_u, inner_average, x2, least, smallest = read_columns(X, i, flat, squares)
        rescaled = must_rescale(X, i, squares, usual_square, x2, least, smallest)
        if rescaled and len(sizes) == 0:
            return before, done
        if rescaled:
            weight = q * scale_up
            inner_u, inner_average, x2 = read_rescaled(X, i, table, sizes, squares, z, usual_square, weight)
        scale, mean_norm = scale_row(np.sqrt(x2), state, q)
        score, decision = score_row(state, scale, inner_u, inner_average)
        grad, plain, pos_score, neg_score = update_moments(
            hyper, state, moments, powers, score, decision, positive, q
        )
        slope, square = grad * scale * np.sqrt(scale_up), scale_up * plain * plain
        squared_slopes = state.squared_slopes + square
        quiet = not hyper.count_prequential and square * state.n < QUIET * QUIET * squared_slopes
        if quiet and moves_little(X, i, squares, slope * slope, x2, least):
            slope, step = take_turn(state.rows, slope), np.sqrt(TURNS) * step
        if slope != 0.0:
            prior = unevenness(state.pos, state.neg) * usual_square * scale * scale * scale_up
            usual = max(squared_slopes / state.n + prior, FLOOR)
            floor, step = prior + SLIGHT * usual, step * scale_up
            if rescaled:
                step_rescaled(X, i, table, slope, step, offset, floor, squares, z)
            else:
                step_columns(X, i, flat, slope, step, offset, floor, usual, squares)
        state = add_iterate(state, pos_score, neg_score, mean_norm, usual_square, 0.0, squared_slopes)
        if max(state.average_weight, scale_up) > LARGE:
            state = divide_large(state, moments, table[:, 0], table[:, 1], table[:, 2], sizes)
    return state, len(order)


@inlined
def score_row(state, scale, inner_u, inner_average):
    """Scores by the last iterate and by the average; 0 before the first step."""
    if scale == 0.0 or state.average_weight == 0.0:
        return 0.0, 0.0
    by_average = scale * (state.average_offset * inner_u - inner_average) / state.average_weight
    return scale * inner_u * (1.0 / state.forget_scale), by_average


@inlined
def unevenness(pos, neg):
    """``UNEVEN`` times the variance of the rows' weights 1/p and 1/(1-p), which is 0 for even classes.

    Without it a column that only rows of the common class have had moves as far as one that a row of the
    rare class, whose slopes are far longer, has had.
    """
    # By ratios, since weights may be of any size; a class that has been forgotten weighs next to nothing.
    return UNEVEN * min((pos - neg) / max(pos, FLOOR) * ((pos - neg) / max(neg, FLOOR)), HUGE / LARGE)


# Turns save time: without them a later pass over news20 (CSR) takes 40 % longer.
@inlined
def moves_little(X, i, squares, slope2, x2, least):
    """Whether no column of a row is rescaled or would add more to its sum of squares than that has."""
    return slope2 * x2 < least or count_far(X, i, squares, slope2) == 0


@inlined
def take_turn(row, slope):
    """The slope of a row that takes turns: longer by the root of ``TURNS``, or zero."""
    turn = row * GOLDEN % 1.0 * (row % PRIME) % 1.0 < 1.0 / TURNS
    return np.sqrt(TURNS) * slope if turn else 0.0


@vectorised
def count_far(X, i, squares, slope2):
    start, stop = span(X, i)
    found = 0
    for k in range(stop - start):
        _, x = entry(X, i, start + k)
        found += (x != 0.0) & (slope2 * (x * x) > squares[k])
    return found


@inlined
def shrink(X, i, table, seen, strength, average_offset, now):
    """Where a row is not zero, shrink u once for each row since the last one ``seen``."""
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        if x != 0.0:
            j = np.uintp(column)
            rate = 1.0 + strength / np.sqrt(abs(table[j, 2]) + FLOOR)
            move = table[j, 0] * (rate ** (seen[j] - now) - 1.0)
            table[j, 0] += move
            table[j, 1] += average_offset * move
            seen[j] = now


@inlined
def scale_row(length, state, q):
    """One over the running mean row norm, less for a huge row; and that mean."""
    norm = state.mean_norm
    clipped = min(length, OUTLIER * norm if norm > 0.0 else HUGE)
    norm += q / (state.pos + state.neg) * (clipped - norm)
    return (1.0 / max(norm, length / CLIP) if norm > 0.0 else 0.0), norm
