"""Counts of scores in a limited number of cells, which depend on the set of rows and not on their order.

A cell counts the positive and the negative rows whose key lies in [low, high]. Cells are disjoint and
ascending; one with ``low == high`` holds a single score, any other is merged.

The cells are defined by a fixed binary tree over the keys. Each node has a budget of cells; the root's is
the capacity. A node with no more distinct scores than its budget keeps each of them. Otherwise, with a
budget of one, its rows become one cell; with more, its children share the budget equally, except that a
child with fewer distinct scores than its half leaves the rest to the other.

The tree follows the leading bits of the key: sign, exponent, mantissa, which resolves scores near zero
finely. Probabilities are also dense just below 1, so within [1/2, 1) the tree first separates scores by the
binary exponent of their distance to 1.

More data can only lower the budget of a node that exceeds it: its sibling's share grows, its parent's budget
shrinks. So rows that share a cell also share one later. A node with a merged cell exceeds its budget, and
still does with more data; any other node has a cell for each score. So the rule can be applied to cells as
well as to rows, with the same result.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.jit import inlined, kernel
from ..kernels.sorting import SIGN

HALF, ONE = np.array([0.5, 1.0]).view(np.uint64) | SIGN


class Cells(NamedTuple):
    """Disjoint intervals of keys in ascending order, with the rows of each class in them."""

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]


@kernel
def single_cells(keys, signed):
    """One cell for each distinct key; the keys are sorted."""
    low = np.empty(keys.size, np.uint64)
    positive, negative = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    size, i = 0, 0
    while i < keys.size:
        key, start, n_pos = keys[np.uintp(i)], i, 0
        while i < keys.size and keys[np.uintp(i)] == key:
            n_pos += 1 if signed[np.uintp(i)] > 0 else 0
            i += 1
        here = np.uintp(size)
        low[here], positive[here], negative[here] = key, n_pos, i - start - n_pos
        size += 1
    return low[:size], low[:size], positive[:size], negative[:size]


@kernel
def union(a, b):
    """The cells of both arguments; cells that overlap are merged."""
    size = a.low.size + b.low.size
    low, high = np.empty(size, np.uint64), np.empty(size, np.uint64)
    positive, negative = np.empty(size, np.int64), np.empty(size, np.int64)
    i, j, last = 0, 0, -1
    while i < a.low.size or j < b.low.size:
        from_a = j == b.low.size or (i < a.low.size and a.low[np.uintp(i)] <= b.low[np.uintp(j)])
        cells = a if from_a else b
        k = np.uintp(i if from_a else j)
        if last >= 0 and cells.low[k] <= high[np.uintp(last)]:
            here = np.uintp(last)
            high[here] = max(high[here], cells.high[k])
            positive[here] += cells.positive[k]
            negative[here] += cells.negative[k]
        else:
            last += 1
            here = np.uintp(last)
            low[here], high[here] = cells.low[k], cells.high[k]
            positive[here], negative[here] = cells.positive[k], cells.negative[k]
        if from_a:
            i += 1
        else:
            j += 1
    size = last + 1
    return low[:size], high[:size], positive[:size], negative[:size]


@kernel
def compress(cells, capacity):
    """Merge cells, by the rule of this module, into at most ``capacity``."""
    low, high, n = cells.low, cells.high, cells.low.size
    merged = np.zeros(n + 1, np.int64)  # number of merged cells before each one
    for i in range(n):
        merged[i + 1] = merged[i] + (1 if low[i] < high[i] else 0)
    first = np.empty(n, np.int64)  # for each new cell, the first old cell that is merged into it
    size = 0
    stack = np.empty((100, 3), np.int64)  # (start, stop, budget) of at most one node at each depth, below 80
    top = 0
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, capacity
    while top >= 0:
        start, stop, budget = stack[top, 0], stack[top, 1], stack[top, 2]
        top -= 1
        if stop - start <= budget and merged[stop] == merged[start]:
            for i in range(start, stop):
                first[size] = i
                size += 1
        elif stop - start == 1 or budget == 1:
            first[size] = start
            size += 1
        else:
            middle = _right_child(low, start, stop, high[stop - 1])
            left = middle - start if merged[middle] == merged[start] else capacity
            right = stop - middle if merged[stop] == merged[middle] else capacity
            top += 1
            stack[top, 0], stack[top, 1] = middle, stop
            stack[top, 2] = budget - min(left, budget - budget // 2)
            top += 1
            stack[top, 0], stack[top, 1] = start, middle
            stack[top, 2] = budget - min(right, budget // 2)
    return _merge_cells(cells, first[:size])


@inlined
def _right_child(low, start, stop, largest):
    """Index of the first cell in the right child of a node."""
    threshold = _smallest_right_key(low[start], largest)
    while stop - start > 1:
        middle = (start + stop) // 2
        if low[middle] < threshold:
            start = middle
        else:
            stop = middle
    return stop


@inlined
def _smallest_right_key(smallest, largest):
    """Smallest key of the right child of the lowest node that contains both keys."""
    if smallest >= HALF and largest < ONE:
        halvings, most_halvings = _halvings(smallest), _halvings(largest)
        if halvings != most_halvings:
            fewest_right = _prefix(halvings, most_halvings) if halvings > 0 else np.uint64(1)
            return ONE - (np.uint64(1) << (np.uint64(52) - fewest_right))
    return _prefix(smallest, largest)


@inlined
def _halvings(key):
    """How often the distance 1/2 from 1 is halved to reach this score: 0 in [1/2, 3/4), 1 in [3/4, 7/8)."""
    return np.uint64(52) - _bit_length(ONE - key - np.uint64(1))


@inlined
def _prefix(smaller, larger):
    """Leading bits of the larger number up to the first in which the two differ."""
    shift = _bit_length(smaller ^ larger) - np.uint64(1)
    return (larger >> shift) << shift


@inlined
def _bit_length(number):
    length = np.uint64(0)
    for shift in (32, 16, 8, 4, 2, 1):
        rest = number >> np.uint64(shift)
        if rest > 0:
            number = rest
            length += np.uint64(shift)
    return length + number


@inlined
def _merge_cells(cells, first):
    """Merge the cells from each index in ``first`` up to the next one."""
    size = first.size
    high = np.empty(size, np.uint64)
    positive, negative = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for k in range(size):
        stop = first[k + 1] if k + 1 < size else cells.low.size
        high[k] = cells.high[stop - 1]
        for i in range(first[k], stop):
            positive[k] += cells.positive[i]
            negative[k] += cells.negative[i]
    return cells.low[first], high, positive, negative
