"""Rows against the columns of ``OnlineAUCClassifier`` that are not standardised, three numbers a column.

``table`` has u, average_coef and the sum of squared slopes of one column after the other. How far a column
moves depends on its own numbers only, so nearly all the time goes into loading and storing them.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ..kernels.jit import INLINED, inlined
from ..kernels.rows import by_layout

ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


def _dense_read(X, i, table, squares):
    inner_u, inner_average, square, least, smallest = 0.0, 0.0, 0.0, np.inf, np.inf
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])
        inner_u += x * table[3 * j]
        inner_average += x * table[3 * j + 1]
        square += x * x
        squares[j] = table[3 * j + 2]
        least = min(least, squares[j])
        smallest = min(smallest, x * x)
    return inner_u, inner_average, square, least, smallest


@inlined
def _load(X, k, table):
    """A value of a CSR row and the three numbers of its column."""
    at = THREE * np.uintp(X.indices[k])
    return np.float64(X.data[k]), table[at], table[at + ONE], table[at + TWO]


# Four columns at a time: each addition waits for the last one of its sum.
def _csr_read(X, i, table, squares):
    start, stop = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1])
    whole = stop - (stop - start) % FOUR
    u_0, u_1, u_2, u_3, average_0, average_1, average_2, average_3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    square, least, smallest = 0.0, np.inf, np.inf
    for k in range(start, whole, FOUR):
        x_0, a_0, b_0, c_0 = _load(X, k, table)
        x_1, a_1, b_1, c_1 = _load(X, k + ONE, table)
        x_2, a_2, b_2, c_2 = _load(X, k + TWO, table)
        x_3, a_3, b_3, c_3 = _load(X, k + THREE, table)
        u_0, u_1, u_2, u_3 = u_0 + x_0 * a_0, u_1 + x_1 * a_1, u_2 + x_2 * a_2, u_3 + x_3 * a_3
        average_0, average_1 = average_0 + x_0 * b_0, average_1 + x_1 * b_1
        average_2, average_3 = average_2 + x_2 * b_2, average_3 + x_3 * b_3
        to = k - start
        squares[to], squares[to + ONE], squares[to + TWO], squares[to + THREE] = c_0, c_1, c_2, c_3
        least = min(least, min(min(c_0, c_1), min(c_2, c_3)))
        x_0, x_1, x_2, x_3 = x_0 * x_0, x_1 * x_1, x_2 * x_2, x_3 * x_3
        square += (x_0 + x_1) + (x_2 + x_3)
        smallest = min(smallest, min(min(x_0, x_1), min(x_2, x_3)))
    for k in range(whole, stop):
        x_0, a_0, b_0, c_0 = _load(X, k, table)
        u_0 += x_0 * a_0
        average_0 += x_0 * b_0
        squares[k - start] = c_0
        least = min(least, c_0)
        square += x_0 * x_0
        smallest = min(smallest, x_0 * x_0)
    inner_average = (average_0 + average_1) + (average_2 + average_3)
    return (u_0 + u_1) + (u_2 + u_3), inner_average, square, least, smallest


def _dense_step(X, i, table, slope, step, average_offset, floor, usual, squares):
    for j in range(X.shape[1]):
        gradient = slope * np.float64(X[i, j])
        total = squares[j] + gradient * gradient
        move = -step * gradient / np.sqrt(total + floor)
        table[3 * j] += move
        table[3 * j + 1] += average_offset * move
        table[3 * j + 2] = total


# Roots are taken of consecutive numbers, by vector instructions, and the moves then stored by column. Single
# precision has faster roots, and one step of Newton's method makes them doubles.
def _csr_step(X, i, table, slope, step, average_offset, floor, usual, squares):
    start, size = np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1] - X.indptr[i])
    unit = 1.0 / usual
    factor = -step * np.sqrt(unit)
    for k in range(size):
        gradient = slope * np.float64(X.data[start + k])
        squares[k] += gradient * gradient
        total = unit * (squares[k] + floor)
        root = np.float64(np.float32(1.0) / np.sqrt(np.float32(total)))
        squares[size + k] = factor * gradient * (root * (1.5 - 0.5 * total * (root * root)))
    for k in range(size):
        at, move = THREE * np.uintp(X.indices[start + k]), squares[size + k]
        add_pair(table, at, move, average_offset * move)
        table[at + TWO] = squares[k]


def add_pair(array, at, first, second):
    """``array[at] += first`` and ``array[at + 1] += second``, by one load and one store of two neighbours."""
    array[at] += first
    array[at + 1] += second


@overload(add_pair, jit_options=INLINED)
def _compiled_add_pair(array, at, first, second):
    return lambda array, at, first, second: _add_pair(array, at, first, second)


# Numba has no vector types for this. On news20 (CSR) `fit` takes 9 % longer without it.
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


read_columns = by_layout(
    _dense_read,
    _csr_read,
    "``read_columns(X, i, table, squares)``: products of ``x_i`` with u and with average_coef, its square,"
    " the least sum of squares of its columns and the least square of its values, of stored entries. The sums"
    " of squares are copied to ``squares``, of twice as many numbers as features.",
)
step_columns = by_layout(
    _dense_step,
    _csr_step,
    "``step_columns(X, i, table, slope, step, average_offset, floor, usual, squares)``, after"
    " ``read_columns``: a step along ``slope x_i``, divided in each column by the root of its sum of squares,"
    " is added to u, and ``average_offset`` times the step to average_coef. The sums with ``floor`` must be"
    " within 1e±37 of ``usual``.",
)
