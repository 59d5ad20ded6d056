"""FSAUC's loop where rows leave the L1 ball: O(non-zeros log features) per row, for sparse rows.

Consecutive projections on the L1 ball combine into one soft threshold, so that the weights are kept as those
of SPAM with an elastic net, with a common factor P of 1: ``w_j = key_j - c sign_j``. The L1 norm and the
distance from the stage's centre follow from sums over the non-zero weights. The heap has the weights whose
floor is below a ``limit``, so that few of them are in it.
"""

import heapq
from typing import NamedTuple

import numpy as np

from ...kernels.jit import inlined, kernel
from ...kernels.rows import dot2_sqnorm, entry, span
from ...kernels.vectors import inner_product
from ..engine.class_sums import add_to_class_sum
from ..engine.loop import REFRESH_PERIOD
from ..engine.model import SCORE_MEMORY, Model, update_mean_scores
from ..spam.sparse_elastic_net import LazyWeights, Shrinkage, add_past_iterates
from .projection import project, search_theta
from .stages import SLACK, State, add_row, end_stage, finish_row, scalar_distance2, step

MAX_THRESHOLD = 1e3  # the keys are computed anew when c exceeds this many mean weights: digits would cancel
CLOSE = 1.0 - 1e-9  # from this fraction of its radius on, the distance from the centre is computed exactly
LOOKAHEAD = 256  # the heap has what the threshold will reach in about as many rows
# The other loop, which is then faster, takes over after so many rows in turn without a projection, or where
# more than one in so many needs O(features).
MAX_IDLE, MAX_EXACT = 256, 16


class Sums(NamedTuple):
    """Over the weights that are not zero: their number, their keys (absolute and squared), and the centre."""

    n: float
    key: float
    key2: float
    centre_sign: float
    centre_key: float


@inlined
def load(w, weight, lazy, centre, heap):
    """Keys from weights, with c = 0; ``total`` becomes the sum of all past iterates. Returns the sums too."""
    sign, key, total, counted_P, counted_Pc, floor = lazy
    n, key_sum, key2, centre_sign, centre_key = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(len(w)):
        sign[j], key[j], floor[j] = np.sign(w[j]), w[j], abs(w[j]) if w[j] != 0.0 else np.inf
        total[j] += weight * w[j]
        counted_P[j], counted_Pc[j] = weight, 0.0
        n, key_sum, key2 = n + abs(sign[j]), key_sum + abs(w[j]), key2 + w[j] * w[j]
        centre_sign, centre_key = centre_sign + centre[j] * sign[j], centre_key + centre[j] * w[j]
    heap.clear()
    return Sums(n, key_sum, key2, centre_sign, centre_key), Shrinkage(1.0, 0.0, weight, 0.0)


@inlined
def store(w, lazy, shrinkage):
    """The opposite of ``load``: weights from keys; past iterates then sum to weight w + ``total``."""
    sign, key, total, counted_P, counted_Pc, _ = lazy
    _, c, weight, sum_Pc = shrinkage
    for j in range(len(w)):
        w[j] = key[j] - c * sign[j]
        total[j] += key[j] * (weight - counted_P[j]) - sign[j] * (sum_Pc - counted_Pc[j]) - weight * w[j]


@inlined
def set_key(lazy, shrinkage, sums, centre, j, new_sign, new_key):
    """Set the sign and key of weight ``j``, after its past iterates have been added; sign 0 for zero."""
    sign, key = lazy.sign, lazy.key
    count, key_sum, key2, centre_sign, centre_key = sums
    s, k = sign[j], key[j]
    add_past_iterates(lazy, shrinkage, j)
    sign[j], key[j] = new_sign, new_key
    return Sums(
        count + (abs(new_sign) - abs(s)),
        key_sum + (abs(new_key) - abs(k)),
        key2 + (new_key - k) * (new_key + k),
        centre_sign + centre[j] * (new_sign - s),
        centre_key + centre[j] * (new_key - k),
    )


@inlined
def move(X, i, along, lazy, shrinkage, limit, sums, centre, heap):
    """``w += along * x_i``."""
    sign, key, _, _, _, floor = lazy
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        j = np.uintp(column)
        value = key[j] - shrinkage.c * sign[j] + along * x
        new_sign = np.sign(value)
        sums = set_key(lazy, shrinkage, sums, centre, j, new_sign, value + shrinkage.c * new_sign)
        if value == 0.0:
            floor[j] = np.inf
        elif abs(key[j]) < floor[j]:
            floor[j] = abs(key[j])
            if floor[j] < limit:
                heapq.heappush(heap, (floor[j], np.int64(j)))
    return sums


@inlined
def norms(sums, c, centre2):
    """The L1 norm of w, and its squared distance from the centre."""
    product = sums.centre_key - c * sums.centre_sign
    distance2 = sums.key2 - c * (2.0 * sums.key - c * sums.n) - 2.0 * product + centre2
    return sums.key - c * sums.n, distance2


@inlined
def fill_heap(lazy, limit, heap):
    """Let the heap have the weights whose key is below ``limit``."""
    heap.clear()
    for j in range(len(lazy.key)):
        if lazy.sign[j] != 0.0:
            lazy.floor[j] = abs(lazy.key[j])
            if lazy.floor[j] < limit:
                heap.append((lazy.floor[j], j))
    heapq.heapify(heap)


@inlined
def raise_threshold(radius, lazy, shrinkage, limit, sums, centre, heap):
    """The threshold for which the L1 norm is ``radius``; weights that it reaches become zero (Michelot)."""
    key, floor = lazy.key, lazy.floor
    c = (sums.key - radius) / sums.n
    while True:
        if c >= limit:
            limit = c + LOOKAHEAD * (c - shrinkage.c)
            fill_heap(lazy, limit, heap)
        if len(heap) == 0 or heap[0][0] > c:
            return Shrinkage(1.0, c, shrinkage.sum_P, shrinkage.sum_Pc), limit, sums
        found, j = heap[0]
        if found != floor[j]:  # the floor has changed since
            heapq.heappop(heap)
        elif abs(key[j]) <= c:
            sums = set_key(lazy, shrinkage, sums, centre, j, 0.0, 0.0)
            floor[j] = np.inf
            heapq.heappop(heap)
            c = (sums.key - radius) / sums.n
        else:
            floor[j] = abs(key[j])
            heapq.heapreplace(heap, (floor[j], j))


@inlined
def exact_step(hyper, state, moved, w, v, weight, memory, max_sqnorm):
    """Project on all constraints and count the row, in O(features); the new state and the stage's weight."""
    origin, bound = state.origin, hyper.radius * np.sqrt(max_sqnorm)
    scalars, reach = (moved.a, origin.a, moved.b, origin.b), state.stage.reach * bound
    theta, tau = search_theta(w, memory.centre, hyper.radius, scalars, bound, max_sqnorm, reach)
    l1, distance2, _ = project(w, v, weight, memory.centre, theta, tau)
    state = finish_row(state, moved, theta, bound, l1, distance2)
    if state.stage.rows < state.stage.length:
        return state, weight
    state, _ = end_stage(hyper, state, w, v, weight, memory)
    return state, 0.0


@kernel
def lazy_epoch(hyper, state, model, memory, data):
    """Visit rows while most need a projection on the L1 ball alone; also return their number."""
    w, v, _, _, _, _, weight, max_sqnorm, scores, n_seen = model
    radius, X, y, centre = hyper.radius, data.X, data.y, memory.centre
    n_visited, n_idle, n_exact, centre2 = 0, 0, 0, inner_product(centre, centre)
    lazy, heap = LazyWeights(w.copy(), w.copy(), v, w.copy(), w.copy(), w.copy()), [(0.0, 0)]
    (sums, shrinkage), limit = load(w, weight, lazy, centre, heap), 0.0
    for i in data.order:
        by_key, by_sign, x2 = dot2_sqnorm(X, i, lazy.key, lazy.sign)
        c, max_sqnorm, positive, row_weight = shrinkage.c, max(max_sqnorm, x2), y[i] > 0.0, abs(y[i])
        score, bound = by_key - c * by_sign, radius * np.sqrt(max_sqnorm)
        scores = update_mean_scores(scores, score, positive, row_weight, SCORE_MEMORY)
        add_to_class_sum(X, i, y[i], memory.sums.pos, memory.sums.neg)
        state = add_row(state, positive, row_weight)
        shrinkage = Shrinkage(1.0, c, shrinkage.sum_P + row_weight, shrinkage.sum_Pc + row_weight * c)
        stage, point, origin, _, _, pos, neg, _, _ = state
        along, moved = step(hyper, stage, point, pos / (pos + neg), score, positive, row_weight, max_sqnorm)
        sums = move(X, i, along, lazy, shrinkage, limit, sums, centre, heap)
        n_seen, n_visited, n_idle = n_seen + 1, n_visited + 1, n_idle + 1

        l1, distance2 = norms(sums, c, centre2)
        reach2 = CLOSE * (stage.reach * bound) ** 2
        # A projection on the L1 ball comes no farther from the centre, which is in the ball.
        near_boundary = max_sqnorm * distance2 + scalar_distance2(moved, origin, bound) > reach2
        recompute = n_seen % REFRESH_PERIOD == 0 or c * sums.n > MAX_THRESHOLD * radius
        if near_boundary or recompute or stage.rows + 1.0 == stage.length:
            store(w, lazy, shrinkage)
            state, weight = exact_step(hyper, state, moved, w, v, shrinkage.sum_P, memory, max_sqnorm)
            (sums, shrinkage), limit = load(w, weight, lazy, centre, heap), 0.0
            centre2, n_exact = inner_product(centre, centre), n_exact + 1
            if n_exact > MAX_EXACT + n_visited // MAX_EXACT:
                break
            continue
        if l1 > SLACK * radius:
            shrinkage, limit, sums = raise_threshold(radius, lazy, shrinkage, limit, sums, centre, heap)
            n_idle = 0
        state = finish_row(state, moved, 1.0, bound, l1, distance2)
        if n_idle == MAX_IDLE:
            break
    store(w, lazy, shrinkage)
    weight = shrinkage.sum_P
    l1, distance2, sqnorm = project(w, v, weight, centre, 1.0, 0.0)
    model = Model(w, v, np.inf, 1.0, sqnorm, weight, weight, max_sqnorm, scores, n_seen)
    stage, point, origin, a_sum, b_sum, pos, neg, _, _ = state
    return State(stage, point, origin, a_sum, b_sum, pos, neg, l1, distance2), model, n_visited
