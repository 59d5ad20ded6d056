"""Rows against the columns of ``OnlineAUCClassifier`` that are not standardised, three numbers a column.

``T`` has u, drift and the sum of squared slopes of one column after the other. How far a column moves is
made of its own numbers only, so nearly all the time goes into fetching them and putting them back.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ..kernels.jit import INLINED, inlined
from ..kernels.rows import by_layout

ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


def _dense_lines(X, i, T, squares):
    by_u, by_drift, square, least, smallest = 0.0, 0.0, 0.0, np.inf, np.inf
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        by_u += x * T[3 * j]
        by_drift += x * T[3 * j + 1]
        square += x * x
        squares[j] = T[3 * j + 2]
        least = min(least, squares[j])
        smallest = min(smallest, x * x)
    return by_u, by_drift, square, least, smallest


@inlined
def _line(X, k, T):
    """A value of a CSR row and the three numbers of its column."""
    at = THREE * np.uintp(X.indices[k])
    return np.float64(X.data[k]), T[at], T[at + ONE], T[at + TWO]


# Four columns at a time: each addition waits for the last one of its sum.
def _csr_lines(X, i, T, squares):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    whole = stop - (stop - start) % FOUR
    u_0, u_1, u_2, u_3, drift_0, drift_1, drift_2, drift_3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    square, least, smallest = 0.0, np.inf, np.inf
    for k in range(start, whole, FOUR):
        x_0, a_0, b_0, c_0 = _line(X, k, T)
        x_1, a_1, b_1, c_1 = _line(X, k + ONE, T)
        x_2, a_2, b_2, c_2 = _line(X, k + TWO, T)
        x_3, a_3, b_3, c_3 = _line(X, k + THREE, T)
        u_0, u_1, u_2, u_3 = u_0 + x_0 * a_0, u_1 + x_1 * a_1, u_2 + x_2 * a_2, u_3 + x_3 * a_3
        drift_0, drift_1 = drift_0 + x_0 * b_0, drift_1 + x_1 * b_1
        drift_2, drift_3 = drift_2 + x_2 * b_2, drift_3 + x_3 * b_3
        to = k - start
        squares[to], squares[to + ONE], squares[to + TWO], squares[to + THREE] = c_0, c_1, c_2, c_3
        least = min(least, min(min(c_0, c_1), min(c_2, c_3)))
        x_0, x_1, x_2, x_3 = x_0 * x_0, x_1 * x_1, x_2 * x_2, x_3 * x_3
        square += (x_0 + x_1) + (x_2 + x_3)
        smallest = min(smallest, min(min(x_0, x_1), min(x_2, x_3)))
    for k in range(whole, stop):
        x_0, a_0, b_0, c_0 = _line(X, k, T)
        u_0 += x_0 * a_0
        drift_0 += x_0 * b_0
        squares[k - start] = c_0
        least = min(least, c_0)
        square += x_0 * x_0
        smallest = min(smallest, x_0 * x_0)
    return (u_0 + u_1) + (u_2 + u_3), (drift_0 + drift_1) + (drift_2 + drift_3), square, least, smallest


def _dense_adagrad(X, i, T, g, pace, past, floor, usual, squares):
    for j in range(X.shape[1]):
        slope = g * np.float64(X[i, j])
        total = squares[j] + slope * slope
        move = -pace * slope / np.sqrt(total + floor)
        T[3 * j] += move
        T[3 * j + 1] += past * move
        T[3 * j + 2] = total


# Roots are taken of consecutive numbers, by vector instructions, and the moves then spread. Single
# precision has faster roots, and one step of Newton's method makes them doubles.
def _csr_adagrad(X, i, T, g, pace, past, floor, usual, squares):
    start, size = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    unit = 1.0 / usual
    step = -pace * np.sqrt(unit)
    for k in range(size):
        slope = g * np.float64(X.data[start + k])
        squares[k] += slope * slope
        total = unit * (squares[k] + floor)
        root = np.float64(np.float32(1.0) / np.sqrt(np.float32(total)))
        squares[size + k] = step * slope * (root * (1.5 - 0.5 * total * (root * root)))
    for k in range(size):
        at, move = THREE * np.uintp(X.indices[start + k]), squares[size + k]
        add_pair(T, at, move, past * move)
        T[at + TWO] = squares[k]


def add_pair(array, at, first, second):
    """``array[at] += first`` and ``array[at + 1] += second``, by one load and one store.

    A processor stores one number at a time, or two that are neighbours.
    """
    array[at] += first
    array[at + 1] += second


@overload(add_pair, jit_options=INLINED)
def _compiled_add_pair(array, at, first, second):
    return lambda array, at, first, second: _add_pair(array, at, first, second)


@intrinsic
def _add_pair(typing_context, array, at, first, second):
    def generate(context, builder, signature, args):
        pair = ir.VectorType(ir.DoubleType(), 2)
        moves = ir.Constant(pair, ir.Undefined)
        for place, value in enumerate(args[2:]):
            moves = builder.insert_element(moves, value, ir.Constant(ir.IntType(32), place))
        data = context.make_array(array)(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), pair.as_pointer())
        builder.store(builder.fadd(builder.load(pointer, align=8), moves), pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, types.float64, types.float64), generate


lines = by_layout(
    _dense_lines,
    _csr_lines,
    "``lines(X, i, T, squares)``: where ``x_i`` is stored, its products with u and with drift, its square,"
    " the least sum of squares and the least square of its values, in one pass, which also puts the sums into"
    " ``squares``, of twice as many numbers as features.",
)
adagrad = by_layout(
    _dense_adagrad,
    _csr_adagrad,
    "``adagrad(X, i, T, g, pace, past, floor, usual, squares)``, after ``lines``: a step along ``g x_i``,"
    " divided in each column by the root of its sum of squares, is added to u, and ``past`` times the step to"
    " drift. The sums with ``floor`` must be within 1e±37 of ``usual``.",
)
