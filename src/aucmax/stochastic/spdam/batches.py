"""The batches of SPDAM at O(their non-zeros): which vectors are kept, and how a step moves them.

Rows are centred by the mean of their class, which would make them dense. So every vector is an array,
moved only where rows have non-zeros, and a tail: multiples of the two means, as plain numbers.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import axpy, axpy2, clear, dot, dot3, square
from ..engine.model import TINY, inner_product


class Hyper(NamedTuple):
    """The steps, the penalty, and the products of the class means with each other."""

    sigma: float
    tau: float
    theta: float
    lam: float
    pos_pos: float
    pos_neg: float
    neg_neg: float


class Tail(NamedTuple):
    """Of a vector: its coefficients on the class means, and its products with them."""

    pos: float = 0.0
    neg: float = 0.0
    by_pos: float = 0.0
    by_neg: float = 0.0


class State(NamedTuple):
    """``w = P z + Q U + tail``, ``u = U + tail``, the last batch's ``du = D + tail`` and its n/m - 1."""

    P: float = 1.0
    Q: float = 0.0
    theta: float = 0.0
    k: float = 0.0
    w: Tail = Tail()
    u: Tail = Tail()
    du: Tail = Tail()


class Memory(NamedTuple):
    """The duals and the arrays of ``State``; then the class means and the steps, which stay."""

    beta: np.ndarray
    z: np.ndarray
    U: np.ndarray
    D: np.ndarray
    m_pos: np.ndarray
    m_neg: np.ndarray
    hyper: Hyper


@inlined
def mix(f, v, g, w):
    """The tail of ``f v + g w``."""
    return Tail(
        f * v.pos + g * w.pos,
        f * v.neg + g * w.neg,
        f * v.by_pos + g * w.by_pos,
        f * v.by_neg + g * w.by_neg,
    )


@inlined
def difference(hyper):
    """The tail of ``b = m- - m+``."""
    return Tail(-1.0, 1.0, hyper.pos_neg - hyper.pos_pos, hyper.neg_neg - hyper.pos_neg)


@inlined
def plus_row(hyper, tail, c, positive, x_pos, x_neg):
    """The tail once ``c (x - mean of its class)`` was added."""
    if positive:
        by_pos, by_neg = x_pos - hyper.pos_pos, x_neg - hyper.pos_neg
        return Tail(tail.pos - c, tail.neg, tail.by_pos + c * by_pos, tail.by_neg + c * by_neg)
    by_pos, by_neg = x_pos - hyper.pos_neg, x_neg - hyper.neg_neg
    return Tail(tail.pos, tail.neg - c, tail.by_pos + c * by_pos, tail.by_neg + c * by_neg)


@inlined
def product(tail, inner, positive, x_pos, x_neg):
    """``(x - mean of its class) . v``, where ``inner`` is the product of ``x`` with v's arrays."""
    own = tail.by_pos if positive else tail.by_neg
    return inner + tail.pos * x_pos + tail.neg * x_neg - own


@inlined
def ahead(hyper, state):
    """The point ``w + theta (w - previous w)``: coefficients on z, U, D, and the tail.

    The previous w is ``tau (c w + u + k du + b (1 + b.w))``, by the step that led from it to w.
    """
    P, Q, theta, k, w, u, du = state
    f, g = 1.0 - theta * hyper.tau * hyper.lam, -theta * hyper.tau
    shift = mix(1.0, mix(1.0, u, k, du), 1.0 + w.by_neg - w.by_pos, difference(hyper))
    return f * P, f * Q + g, g * k, mix(f, w, g, shift)


@inlined
def step(hyper, state, du, k):
    """The proximal step in w for the duals' change ``du``, and how far ``z`` moves along ``D``."""
    P, Q, _, _, w, u, _ = state
    b = difference(hyper)
    bb = b.by_neg - b.by_pos
    c = hyper.lam + 1.0 / hyper.tau
    rho = 1.0 / (hyper.tau * c)
    u = mix(1.0, u, 1.0, du)
    ut = mix(1.0, u, k, du)
    bw = ((w.by_neg - w.by_pos) / hyper.tau - (ut.by_neg - ut.by_pos) - bb) / (c + bb)
    w = mix(rho, w, -1.0 / c, mix(1.0, ut, 1.0 + bw, b))
    push = -(rho * Q + k / c) / (rho * P)
    return State(rho * P, rho * Q - 1.0 / c, hyper.theta, k, w, u, du), push


@kernel
def epoch(hyper, state, memory, data, n_batches):
    beta, z, U, D = memory.beta, memory.z, memory.U, memory.D
    X, y, side, order = data.X, data.y, data.context, data.order
    n = len(order)
    moves = np.empty(n)
    for batch in range(n_batches):
        begin, end = batch * n // n_batches, (batch + 1) * n // n_batches
        on_z, on_U, on_D, tail = ahead(hyper, state)
        du = Tail(0.0, 0.0, 0.0, 0.0)
        for r in range(begin, end):
            i = order[r]
            x_pos, x_neg, e = side[i, 0], side[i, 1], side[i, 2]
            x_z, x_U, x_D = dot3(X, i, z, U, D)
            inner = on_z * x_z + on_U * x_U + on_D * x_D
            gap = e * product(tail, inner, y[i] > 0.0, x_pos, x_neg) - beta[i]
            change = hyper.sigma / (1.0 + hyper.sigma) * gap
            beta[i] += change
            moves[r] = change * e / n
            du = plus_row(hyper, du, moves[r], y[i] > 0.0, x_pos, x_neg)

        if batch == 0:
            D[:] = 0.0
        else:
            for r in range((batch - 1) * n // n_batches, begin):
                clear(X, order[r], D)
        if state.P < TINY:
            state = fold(state, z, U)
        state, push = step(hyper, state, du, n / (end - begin) - 1.0)
        for r in range(begin, end):
            axpy2(X, order[r], moves[r], U, push * moves[r], z)
            axpy(X, order[r], moves[r], D)
    return fold(state, z, U)


@inlined
def fold(state, z, U):
    """Take both coefficients into ``z``: afterwards ``w = z + tail``."""
    for j in range(len(z)):
        z[j] = state.P * z[j] + state.Q * U[j]
    return State(1.0, 0.0, state.theta, state.k, state.w, state.u, state.du)


@kernel
def duals(X, y, side, w, m_pos, m_neg):
    """Each row's best dual, ``z_i . w``."""
    beta = np.zeros(len(y))
    by_pos, by_neg = inner_product(m_pos, w), inner_product(m_neg, w)
    for i in range(len(y)):
        if y[i] != 0.0:
            beta[i] = side[i, 2] * (dot(X, i, w)[0] - (by_pos if y[i] > 0.0 else by_neg))
    return beta


@kernel
def mean_along(X, y, side, beta, m_pos, m_neg):
    """``u``, the mean of the ``beta_i z_i``."""
    u, pos, neg, n = np.zeros(len(m_pos)), 0.0, 0.0, 0
    for i in range(len(y)):
        if y[i] != 0.0:
            n += 1
            c = side[i, 2] * beta[i]
            axpy(X, i, c, u)
            if y[i] > 0.0:
                pos += c
            else:
                neg += c
    return (u - pos * m_pos - neg * m_neg) / n


@kernel
def largest(X, y, side, pos_pos, neg_neg):
    """The largest ``|z_i|^2``; never quite zero, so that one can divide by it."""
    kappa2, x2_max = 0.0, 0.0
    for i in range(len(y)):
        if y[i] != 0.0:
            x_pos, x_neg, e = side[i, 0], side[i, 1], side[i, 2]
            x2 = square(X, i)
            z2 = x2 + (pos_pos - 2.0 * x_pos if y[i] > 0.0 else neg_neg - 2.0 * x_neg)
            kappa2, x2_max = max(kappa2, e * e * z2), max(x2_max, x2)
    return max(kappa2, 1e-12 * x2_max) if x2_max > 0.0 else 1.0


def measured(hyper: Hyper, tail: Tail, v: np.ndarray, m_pos: np.ndarray, m_neg: np.ndarray) -> Tail:
    """The tail of a vector with array ``v``, its products computed from the array."""
    by_pos = m_pos @ v + tail.pos * hyper.pos_pos + tail.neg * hyper.pos_neg
    by_neg = m_neg @ v + tail.pos * hyper.pos_neg + tail.neg * hyper.neg_neg
    return Tail(tail.pos, tail.neg, float(by_pos), float(by_neg))
