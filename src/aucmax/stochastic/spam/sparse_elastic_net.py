"""SPAM with an elastic net, O(non-zeros log features) a row: for wide sparse rows.

A weight that no row touches only shrinks: soft thresholds and divisions, one after the other, are one
soft threshold and one division. So ``w_j = P (key_j - c sign_j)`` until the common ``c`` reaches
``|key_j|``, where the weight dies. A heap tells which weights die when; the products of
w with the class sums follow from sums over the living, and the average from prefix sums over time.
"""

from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import dot2, entry, span, square
from ..engine.model import PERIOD, ClassSums, Model, inner_product
from ..engine.schedules import inverse_sqrt
from .elastic_net import counted, witnessed
from .saddle import State, coefficient

TINY = 1e-6  # below this the common factor is taken into the keys


class Clock(NamedTuple):
    """The common factor and threshold, and their sums over the iterates in the average."""

    P: float = 1.0
    c: float = 0.0
    sum_P: float = 0.0
    sum_Pc: float = 0.0


class Alive(NamedTuple):
    """Products of the signs and of the keys with the sums of the positives and of the negatives."""

    sign_pos: float = 0.0
    sign_neg: float = 0.0
    key_pos: float = 0.0
    key_neg: float = 0.0


class Lazy(NamedTuple):
    """Sign and signed key of each weight; its part of the average, and up to when it is counted."""

    sign: np.ndarray
    key: np.ndarray
    total: np.ndarray
    at_P: np.ndarray
    at_Pc: np.ndarray


class Heap(NamedTuple):
    """``order`` is a binary heap of weights, least ``floor`` first; ``place`` is its inverse, or -1.

    The floor of a living weight is at most its ``|key|``. It is raised only when the weight comes to the
    top, so that a key that grows costs nothing; the dead leave the heap in the same way.
    """

    order: np.ndarray
    place: np.ndarray
    floor: np.ndarray
    size: np.ndarray


class Memory(NamedTuple):
    sums: ClassSums
    lazy: Lazy
    heap: Heap
    clock: Clock = Clock()
    alive: Alive = Alive()


def begin(w: np.ndarray, sums: ClassSums) -> Memory:
    """The memory of a run that starts at ``w``."""
    d, living = len(w), np.flatnonzero(w)
    living = living[np.argsort(np.abs(w[living]), kind="stable")]  # sorted, hence a heap
    order, place = np.zeros(d, dtype=np.intp), np.full(d, -1, dtype=np.intp)
    order[: len(living)], place[living] = living, np.arange(len(living))
    lazy = Lazy(np.sign(w), w.copy(), np.zeros(d), np.zeros(d), np.zeros(d))
    heap = Heap(order, place, np.abs(w), np.array([len(living)], dtype=np.intp))
    return Memory(sums, lazy, heap, Clock(), measured(lazy, sums))


@inlined
def measured(lazy, sums):
    """The products over the living, from the arrays."""
    return Alive(
        inner_product(lazy.sign, sums.pos),
        inner_product(lazy.sign, sums.neg),
        inner_product(lazy.key, sums.pos),
        inner_product(lazy.key, sums.neg),
    )


@inlined
def rise(heap, r):
    """Move the weight at place ``r`` up to where it belongs."""
    order, place, floor, _ = heap
    j = order[r]
    while r > 0:
        above = (r - 1) // 2
        if floor[order[above]] <= floor[j]:
            break
        order[r] = order[above]
        place[order[r]] = r
        r = above
    order[r] = j
    place[j] = r


@inlined
def sink(heap):
    """Move the weight at the top down to where it belongs."""
    order, place, floor, size = heap
    j, r = order[0], 0
    while 2 * r + 1 < size[0]:
        below = 2 * r + 1
        if below + 1 < size[0] and floor[order[below + 1]] < floor[order[below]]:
            below += 1
        if floor[j] <= floor[order[below]]:
            break
        order[r] = order[below]
        place[order[r]] = r
        r = below
    order[r] = j
    place[j] = r


@inlined
def seat(heap, j, reach):
    """Let weight ``j`` be found when the threshold comes to ``reach``, or before."""
    order, place, floor, size = heap
    if place[j] < 0:
        place[j] = size[0]
        order[size[0]] = j
        size[0] += 1
    elif reach >= floor[j]:
        return
    floor[j] = reach
    rise(heap, place[j])


@inlined
def defer_top(heap, reach):
    """Raise the floor of the weight at the top."""
    order, _, floor, _ = heap
    floor[order[0]] = reach
    sink(heap)


@inlined
def drop_top(heap):
    """Take out the weight at the top."""
    order, place, _, size = heap
    place[order[0]] = -1
    size[0] -= 1
    if size[0] > 0:
        order[0] = order[size[0]]
        sink(heap)


@inlined
def rekey(memory, clock, alive, j, sign, key):
    """Count weight ``j`` in the average up to now, then give it a new key; sign 0 lets it die."""
    (pos, neg), (signs, keys, total, at_P, at_Pc), _, _, _ = memory
    total[j] += keys[j] * (clock.sum_P - at_P[j]) - signs[j] * (clock.sum_Pc - at_Pc[j])
    at_P[j] = clock.sum_P
    at_Pc[j] = clock.sum_Pc
    more_sign, more_key = sign - signs[j], key - keys[j]
    signs[j] = sign
    keys[j] = key
    return Alive(
        alive.sign_pos + pos[j] * more_sign,
        alive.sign_neg + neg[j] * more_sign,
        alive.key_pos + pos[j] * more_key,
        alive.key_neg + neg[j] * more_key,
    )


@inlined
def joined(memory, alive, j, y, x):
    """The products over the living once a row of signed weight ``y`` joined its class's sum."""
    sign, key = abs(y) * x * memory.lazy.sign[j], abs(y) * x * memory.lazy.key[j]
    if y > 0.0:
        memory.sums.pos[j] += y * x
        return Alive(alive.sign_pos + sign, alive.sign_neg, alive.key_pos + key, alive.key_neg)
    memory.sums.neg[j] -= y * x
    return Alive(alive.sign_pos, alive.sign_neg + sign, alive.key_pos, alive.key_neg + key)


@inlined
def rebase(memory, clock):
    """Take the common factor and threshold into the keys, and the prefix sums into the average."""
    sign, key, total, at_P, at_Pc = memory.lazy
    for j in range(len(key)):
        total[j] += key[j] * (clock.sum_P - at_P[j]) - sign[j] * (clock.sum_Pc - at_Pc[j])
        key[j] = clock.P * (key[j] - clock.c * sign[j])
        memory.heap.floor[j] = clock.P * (memory.heap.floor[j] - clock.c)
        at_P[j] = 0.0
        at_Pc[j] = 0.0
    return Clock(1.0, 0.0, 0.0, 0.0), measured(memory.lazy, memory.sums)


@kernel
def epoch(hyper, state, model, memory, data, running):
    """Visit the rows in order; ``running`` sums take in each row after its gradient."""
    X, y, order = data.X, data.y, data.order
    sums, lazy, heap, clock, alive = memory
    for i in order:
        state = counted(state, y[i], running)
        P, c, sum_P, sum_Pc = clock
        by_key, by_sign = dot2(X, i, lazy.key, lazy.sign)
        score = P * (by_key - c * by_sign)
        gamma = 1.0 if state.t > 1.0 else 0.0
        model = witnessed(model, y[i], score, square(X, i), gamma)
        clock = Clock(P, c, sum_P + gamma * P, sum_Pc + gamma * P * c)

        eta = inverse_sqrt(hyper.eta, state.t) / model.kappa2 if model.kappa2 > 0.0 else 0.0
        move = -eta * abs(y[i]) * coefficient(state, score, y[i] > 0.0)
        c_next = c + eta * hyper.beta1 / P
        first, last = span(X, i)
        for k in range(first, last):
            j, x = entry(X, i, k)
            value = P * (lazy.key[j] - c * lazy.sign[j]) + move * x
            reach = abs(value) / P + c
            sign = np.sign(value) if reach > c_next else 0.0
            alive = rekey(memory, clock, alive, j, sign, sign * reach)
            if sign != 0.0:
                seat(heap, j, reach)
            if running:
                alive = joined(memory, alive, j, y[i], x)
        while heap.size[0] > 0 and heap.floor[heap.order[0]] <= c_next:
            top = heap.order[0]
            if abs(lazy.key[top]) <= c_next:
                alive = rekey(memory, clock, alive, top, 0.0, 0.0)
                drop_top(heap)
            else:
                defer_top(heap, abs(lazy.key[top]))

        clock = Clock(P / (1.0 + eta * hyper.beta), c_next, clock.sum_P, clock.sum_Pc)
        if model.seen % PERIOD == 0 or clock.P < TINY:
            clock, alive = rebase(memory, clock)
        a = clock.P * (alive.key_pos - clock.c * alive.sign_pos)
        b = clock.P * (alive.key_neg - clock.c * alive.sign_neg)
        state = State(a, b, state.pos, state.neg, state.t)
    return state, model, Memory(sums, lazy, heap, clock, alive)


def shown(model: Model, memory: Memory) -> Model:
    """The model with the weights and the sum for the average as arrays; the memory stays as it is."""
    (sign, key, total, at_P, at_Pc), clock = memory.lazy, memory.clock
    w = clock.P * (key - clock.c * sign)
    v = total + key * (clock.sum_P - at_P) - sign * (clock.sum_Pc - at_Pc)
    return model._replace(u=w, v=v if len(model.v) else model.v, sqnorm=inner_product(w, w))
