"""SPAM with an elastic net in O(non-zeros log features) per row, for wide sparse rows.

A weight whose column is zero in a row is only shrunk, and consecutive soft thresholds and divisions combine
into one of each: ``w_j = P (key_j - c sign_j)`` until the common threshold ``c`` reaches ``|key_j|``, where
the weight becomes zero. A heap finds the weights that become zero. The products of w with the class sums
follow from sums over the non-zero weights, and the average from sums of P and P c over the iterates.
"""

import heapq
from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import dot2, entry, span, sqnorm
from ...kernels.vectors import inner_product
from ..engine.class_sums import ClassSums
from ..engine.loop import REFRESH_PERIOD
from ..engine.model import Model
from .saddle import State, count_row, record_score, score_derivative

MIN_FACTOR = 1e-6  # the keys are rescaled when the common factor falls below this


class Shrinkage(NamedTuple):
    """The common factor P and threshold c; sums of P and of P c over the iterates in the average."""

    P: float = 1.0
    c: float = 0.0
    sum_P: float = 0.0
    sum_Pc: float = 0.0


class Products(NamedTuple):
    """Products of the signs and of the keys with the sums of the positives and of the negatives."""

    sign_pos: float = 0.0
    sign_neg: float = 0.0
    key_pos: float = 0.0
    key_neg: float = 0.0


class LazyWeights(NamedTuple):
    """Sign and signed key of each weight, and its sum over past iterates.

    The sum includes the iterates up to the time when ``Shrinkage`` had the sums ``counted_P, counted_Pc``.
    ``floor`` is at most ``|key|`` for a weight that is not zero, so that a key that grows costs nothing.
    """

    sign: np.ndarray
    key: np.ndarray
    total: np.ndarray
    counted_P: np.ndarray
    counted_Pc: np.ndarray
    floor: np.ndarray


class LazyMemory(NamedTuple):
    sums: ClassSums
    weights: LazyWeights
    shrinkage: Shrinkage
    products: Products


def start_lazy(w: np.ndarray, sums: ClassSums) -> LazyMemory:
    """The memory of a run that starts at ``w``."""
    total, counted_P, counted_Pc = np.zeros((3, len(w)))
    floor = np.where(w != 0.0, np.abs(w), np.inf)
    weights = LazyWeights(np.sign(w), w.copy(), total, counted_P, counted_Pc, floor)
    return LazyMemory(sums, weights, Shrinkage(), products_with_sums(weights, sums))


@inlined
def products_with_sums(weights, sums):
    """The products computed from the arrays."""
    return Products(
        inner_product(weights.sign, sums.pos),
        inner_product(weights.sign, sums.neg),
        inner_product(weights.key, sums.pos),
        inner_product(weights.key, sums.neg),
    )


@inlined
def max_threshold(hyper, state, model, shrinkage, n_rows):
    """An upper bound of the threshold c after the next rows, twice as far as it can come for rounding errors.

    The sum of ``1 / sqrt(t)`` over the rows is at most ``2 (sqrt(t + n_rows) - sqrt(t))``.
    """
    if model.max_sqnorm == 0.0:
        return np.inf
    steps = 2.0 * hyper.eta / model.max_sqnorm * n_rows / (np.sqrt(state.t + n_rows) + np.sqrt(state.t))
    return shrinkage.c + 2.0 * steps * hyper.beta1 / shrinkage.P * np.exp(steps * hyper.beta)


@inlined
def build_heap(floor, limit):
    """A heap of the weights whose floor is below ``limit``: few of them if the next chunk is short."""
    heap = [(floor[j], j) for j in range(len(floor)) if floor[j] < limit]
    heapq.heapify(heap)
    return heap


@inlined
def add_past_iterates(weights, shrinkage, j):
    """Add the iterates of weight ``j``, since it was set, to its sum."""
    sign, key, total, counted_P, counted_Pc, _ = weights
    total[j] += key[j] * (shrinkage.sum_P - counted_P[j]) - sign[j] * (shrinkage.sum_Pc - counted_Pc[j])
    counted_P[j] = shrinkage.sum_P
    counted_Pc[j] = shrinkage.sum_Pc


@inlined
def set_key(memory, shrinkage, products, j, sign, key):
    """Set the sign and key of weight ``j``, after its past iterates have been added; sign 0 for zero."""
    pos, neg = memory.sums
    signs, keys = memory.weights.sign, memory.weights.key
    add_past_iterates(memory.weights, shrinkage, j)
    sign_change, key_change = sign - signs[j], key - keys[j]
    signs[j] = sign
    keys[j] = key
    return Products(
        products.sign_pos + pos[j] * sign_change,
        products.sign_neg + neg[j] * sign_change,
        products.key_pos + pos[j] * key_change,
        products.key_neg + neg[j] * key_change,
    )


@inlined
def add_entry_to_sums(memory, products, j, signed_weight, x):
    """Add an entry of a row to the sum of its class; return the products with the new sums."""
    weight = abs(signed_weight)
    sign, key = weight * x * memory.weights.sign[j], weight * x * memory.weights.key[j]
    sign_pos, sign_neg, key_pos, key_neg = products
    if signed_weight > 0.0:
        memory.sums.pos[j] += signed_weight * x
        return Products(sign_pos + sign, sign_neg, key_pos + key, key_neg)
    memory.sums.neg[j] -= signed_weight * x
    return Products(sign_pos, sign_neg + sign, key_pos, key_neg + key)


@inlined
def rebase(memory, shrinkage):
    """Apply the common factor and threshold to the keys, and the sums of P and P c to the average."""
    sign, key, total, counted_P, counted_Pc, floor = memory.weights
    P, c, sum_P, sum_Pc = shrinkage
    for j in range(len(key)):
        total[j] += key[j] * (sum_P - counted_P[j]) - sign[j] * (sum_Pc - counted_Pc[j])
        key[j] = P * (key[j] - c * sign[j])
        floor[j] = P * (floor[j] - c)
        counted_P[j] = 0.0
        counted_Pc[j] = 0.0
    return Shrinkage(1.0, 0.0, 0.0, 0.0), products_with_sums(memory.weights, memory.sums)


@inlined
def zero_small_weights(memory, heap, shrinkage, products, c):
    """Set the weights to zero whose ``|key|`` the threshold ``c`` has reached."""
    key, floor = memory.weights.key, memory.weights.floor
    while len(heap) > 0 and heap[0][0] <= c:
        found, j = heap[0]
        if found != floor[j]:  # the floor has been lowered since
            heapq.heappop(heap)
        elif abs(key[j]) <= c:
            products = set_key(memory, shrinkage, products, j, 0.0, 0.0)
            floor[j] = np.inf
            heapq.heappop(heap)
        else:
            floor[j] = abs(key[j])
            heapq.heapreplace(heap, (floor[j], j))
    return products


@kernel
def heap_epoch(hyper, state, model, memory, data, running):
    """Visit the rows in order; each row is added to ``running`` sums after its gradient."""
    X, y = data.X, data.y
    sums, weights, shrinkage, products = memory
    limit = max_threshold(hyper, state, model, shrinkage, len(data.order))
    heap = build_heap(weights.floor, limit)
    for i in data.order:
        state = count_row(state, y[i], running)
        P, c, sum_P, sum_Pc = shrinkage
        by_key, by_sign = dot2(X, i, weights.key, weights.sign)
        score = P * (by_key - c * by_sign)
        gamma = 1.0 if state.t > 1.0 else 0.0  # the average begins with the second iterate
        model = record_score(model, y[i], score, sqnorm(X, i), gamma)
        shrinkage = Shrinkage(P, c, sum_P + gamma * P, sum_Pc + gamma * P * c)

        eta = (hyper.eta / np.sqrt(state.t)) / model.max_sqnorm if model.max_sqnorm > 0.0 else 0.0
        move = -eta * abs(y[i]) * score_derivative(state, score, y[i] > 0.0)
        c_next = c + eta * hyper.beta1 / P
        start, stop = span(X, i)
        for k in range(start, stop):
            j, x = entry(X, i, k)
            value = P * (weights.key[j] - c * weights.sign[j]) + move * x
            new_key = abs(value) / P + c
            sign = np.sign(value) if new_key > c_next else 0.0
            products = set_key(memory, shrinkage, products, j, sign, sign * new_key)
            if sign != 0.0 and new_key < weights.floor[j]:
                weights.floor[j] = new_key
                if new_key < limit:
                    heapq.heappush(heap, (new_key, np.int64(j)))
            if running:
                products = add_entry_to_sums(memory, products, j, y[i], x)
        products = zero_small_weights(memory, heap, shrinkage, products, c_next)

        shrinkage = Shrinkage(P / (1.0 + eta * hyper.beta), c_next, shrinkage.sum_P, shrinkage.sum_Pc)
        if model.n_seen % REFRESH_PERIOD == 0 or shrinkage.P < MIN_FACTOR:
            limit = shrinkage.P * (limit - shrinkage.c)
            shrinkage, products = rebase(memory, shrinkage)
            heap = build_heap(weights.floor, limit)
        a = shrinkage.P * (products.key_pos - shrinkage.c * products.sign_pos)
        b = shrinkage.P * (products.key_neg - shrinkage.c * products.sign_neg)
        state = State(a, b, state.pos, state.neg, state.t)
    return state, model, LazyMemory(sums, weights, shrinkage, products)


def with_weights(model: Model, memory: LazyMemory) -> Model:
    """The model with the weights and their sum over past iterates as arrays."""
    sign, key, total, counted_P, counted_Pc, _ = memory.weights
    P, c, sum_P, sum_Pc = memory.shrinkage
    w = P * (key - c * sign)
    v = total + key * (sum_P - counted_P) - sign * (sum_Pc - counted_Pc)
    return model._replace(u=w, v=v if len(model.v) else model.v, sqnorm=inner_product(w, w))
