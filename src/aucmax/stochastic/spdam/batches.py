"""SPDAM's batches in O(their non-zeros): the vectors that are kept, and how a step moves them.

Rows are centred by the mean of their class, which would make them dense. So every vector is kept as an
array, which changes only where rows have non-zeros, plus multiples of the two class means, kept as numbers.
``row_table`` has three columns: each row's products with the two means, and the scale sqrt(weight / fraction
of its class). A row minus the mean of its class, times its scale, is called a scaled centred row.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import axpy, axpy2, dot, entry, for_both_layouts, span, sqnorm
from ...kernels.vectors import inner_product

MIN_SCALE = 1e-100  # P and Q are applied to z when P falls below this


class Hyper(NamedTuple):
    """The steps, the penalty, and the products of the class means with each other."""

    sigma: float
    tau: float
    theta: float
    lam: float
    pos_pos: float
    pos_neg: float
    neg_neg: float


class MeansPart(NamedTuple):
    """A vector's coefficients on the class means, and the products of the whole vector with the means."""

    pos: float = 0.0
    neg: float = 0.0
    by_pos: float = 0.0
    by_neg: float = 0.0


class State(NamedTuple):
    """``w = P z + Q U``, ``u = U`` and the last batch's ``du = D``, each plus its part along the means.

    ``theta`` is the extrapolation of the next batch, ``k`` the last batch's n/m - 1.
    """

    P: float = 1.0
    Q: float = 0.0
    theta: float = 0.0
    k: float = 0.0
    w: MeansPart = MeansPart()
    u: MeansPart = MeansPart()
    du: MeansPart = MeansPart()


class Memory(NamedTuple):
    """The dual variables and the arrays of ``State``; the class means and the steps, which are constant."""

    beta: np.ndarray
    z: np.ndarray
    U: np.ndarray
    D: np.ndarray
    m_pos: np.ndarray
    m_neg: np.ndarray
    hyper: Hyper


@for_both_layouts
def dot3(X, i, u, v, w):
    """``x_i . u``, ``x_i . v`` and ``x_i . w``."""
    inner_u, inner_v, inner_w = 0.0, 0.0, 0.0
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        j = np.uintp(column)
        inner_u += x * u[j]
        inner_v += x * v[j]
        inner_w += x * w[j]
    return inner_u, inner_v, inner_w


@for_both_layouts
def clear_columns(X, i, u):
    """Set ``u`` to zero where row ``i`` has entries."""
    start, stop = span(X, i)
    for k in range(start, stop):
        column, _ = entry(X, i, k)
        u[np.uintp(column)] = 0.0


@inlined
def combine(f, v, g, w):
    """The means part of ``f v + g w``."""
    return MeansPart(
        f * v.pos + g * w.pos,
        f * v.neg + g * w.neg,
        f * v.by_pos + g * w.by_pos,
        f * v.by_neg + g * w.by_neg,
    )


@inlined
def mean_difference(hyper):
    """The means part of ``b = m- - m+``."""
    return MeansPart(-1.0, 1.0, hyper.pos_neg - hyper.pos_pos, hyper.neg_neg - hyper.pos_neg)


@inlined
def add_centred_row(hyper, part, c, positive, x_pos, x_neg):
    """The means part of a vector after adding ``c (x - mean of its class)``."""
    pos, neg, by_pos, by_neg = part
    if positive:
        row_by_pos, row_by_neg = x_pos - hyper.pos_pos, x_neg - hyper.pos_neg
        return MeansPart(pos - c, neg, by_pos + c * row_by_pos, by_neg + c * row_by_neg)
    row_by_pos, row_by_neg = x_pos - hyper.pos_neg, x_neg - hyper.neg_neg
    return MeansPart(pos, neg - c, by_pos + c * row_by_pos, by_neg + c * row_by_neg)


@inlined
def centred_product(part, inner, positive, x_pos, x_neg):
    """``(x - mean of its class) . v``, where ``inner`` is the product of ``x`` with the array part of v."""
    own = part.by_pos if positive else part.by_neg
    return inner + part.pos * x_pos + part.neg * x_neg - own


@inlined
def extrapolate(hyper, state):
    """The point ``w + theta (w - previous w)``: its coefficients on z, U and D, and its means part.

    The previous w is ``tau (c w + u + k du + b (1 + b.w))``, by the step that led from it to w.
    """
    P, Q, theta, k, w, u, du = state
    f, g = 1.0 - theta * hyper.tau * hyper.lam, -theta * hyper.tau
    shift = combine(1.0, combine(1.0, u, k, du), 1.0 + w.by_neg - w.by_pos, mean_difference(hyper))
    return f * P, f * Q + g, g * k, combine(f, w, g, shift)


@inlined
def step(hyper, state, du, k):
    """The proximal step in w for the change ``du``; also the multiple of ``D`` to add to ``z``."""
    P, Q, _, _, w, u, _ = state
    b = mean_difference(hyper)
    bb = b.by_neg - b.by_pos
    c = hyper.lam + 1.0 / hyper.tau
    rho = 1.0 / (hyper.tau * c)
    u = combine(1.0, u, 1.0, du)
    ut = combine(1.0, u, k, du)
    bw = ((w.by_neg - w.by_pos) / hyper.tau - (ut.by_neg - ut.by_pos) - bb) / (c + bb)
    w = combine(rho, w, -1.0 / c, combine(1.0, ut, 1.0 + bw, b))
    z_change = -(rho * Q + k / c) / (rho * P)
    return State(rho * P, rho * Q - 1.0 / c, hyper.theta, k, w, u, du), z_change


@kernel
def epoch(hyper, state, memory, data, n_batches):
    beta, z, U, D = memory.beta, memory.z, memory.U, memory.D
    X, y, order, row_table = data.X, data.y, data.order, data.context[0]
    n = len(order)
    moves = np.empty(n)
    for batch in range(n_batches):
        begin, end = batch * n // n_batches, (batch + 1) * n // n_batches
        on_z, on_U, on_D, part = extrapolate(hyper, state)
        du = MeansPart(0.0, 0.0, 0.0, 0.0)
        for r in range(begin, end):
            i = order[r]
            x_pos, x_neg, scale = row_table[i, 0], row_table[i, 1], row_table[i, 2]
            x_z, x_U, x_D = dot3(X, i, z, U, D)
            inner = on_z * x_z + on_U * x_U + on_D * x_D
            gap = scale * centred_product(part, inner, y[i] > 0.0, x_pos, x_neg) - beta[i]
            change = hyper.sigma / (1.0 + hyper.sigma) * gap
            beta[i] += change
            moves[r] = change * scale / n
            du = add_centred_row(hyper, du, moves[r], y[i] > 0.0, x_pos, x_neg)

        if batch == 0:
            D[:] = 0.0
        else:
            for r in range((batch - 1) * n // n_batches, begin):
                clear_columns(X, order[r], D)
        if state.P < MIN_SCALE:
            state = apply_coefficients(state, z, U)
        state, z_change = step(hyper, state, du, n / (end - begin) - 1.0)
        for r in range(begin, end):
            axpy2(X, order[r], moves[r], U, z_change * moves[r], z)
            axpy(X, order[r], moves[r], D)
    return apply_coefficients(state, z, U)


@inlined
def apply_coefficients(state, z, U):
    """Apply P and Q to ``z``: afterwards ``w = z`` plus its means part."""
    for j in range(len(z)):
        z[j] = state.P * z[j] + state.Q * U[j]
    return State(1.0, 0.0, state.theta, state.k, state.w, state.u, state.du)


@kernel
def best_duals(X, y, row_table, w, m_pos, m_neg):
    """The optimal dual variable of each row at ``w``: its scaled centred row times ``w``."""
    beta = np.zeros(len(y))
    by_pos, by_neg = inner_product(m_pos, w), inner_product(m_neg, w)
    for i in range(len(y)):
        if y[i] != 0.0:
            beta[i] = row_table[i, 2] * (dot(X, i, w)[0] - (by_pos if y[i] > 0.0 else by_neg))
    return beta


@kernel
def combine_rows(X, y, row_table, beta, m_pos, m_neg):
    """The mean of the scaled centred rows, each times its ``beta``."""
    u, pos, neg, n = np.zeros(len(m_pos)), 0.0, 0.0, 0
    for i in range(len(y)):
        if y[i] != 0.0:
            n += 1
            c = row_table[i, 2] * beta[i]
            axpy(X, i, c, u)
            if y[i] > 0.0:
                pos += c
            else:
                neg += c
    return (u - pos * m_pos - neg * m_neg) / n


@kernel
def max_centred_sqnorm(X, y, row_table, pos_pos, neg_neg):
    """The largest squared norm of a scaled centred row, bounded away from zero because it is divided by."""
    largest, x2_max = 0.0, 0.0
    for i in range(len(y)):
        if y[i] != 0.0:
            x_pos, x_neg, scale = row_table[i, 0], row_table[i, 1], row_table[i, 2]
            x2 = sqnorm(X, i)
            z2 = x2 + (pos_pos - 2.0 * x_pos if y[i] > 0.0 else neg_neg - 2.0 * x_neg)
            largest, x2_max = max(largest, scale * scale * z2), max(x2_max, x2)
    return max(largest, 1e-12 * x2_max) if x2_max > 0.0 else 1.0


def recompute_products(memory: Memory, part: MeansPart, v: np.ndarray) -> MeansPart:
    """The means part of the vector with array ``v``, its products with the means computed from the array."""
    hyper = memory.hyper
    by_pos = memory.m_pos @ v + part.pos * hyper.pos_pos + part.neg * hyper.pos_neg
    by_neg = memory.m_neg @ v + part.pos * hyper.pos_neg + part.neg * hyper.neg_neg
    return MeansPart(part.pos, part.neg, float(by_pos), float(by_neg))
