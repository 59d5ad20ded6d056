"""Scores as unsigned integers in the same order, and a sort that carries one value beside each."""

import numpy as np
from numpy.typing import NDArray

from ..kernels.jit import kernel

Keys = NDArray[np.unsignedinteger]
RADIX = 256  # one byte a pass: wider digits miss the cache on long arrays and were slower
SIGN = np.uint64(1 << 63)


def order_keys(score: NDArray) -> Keys:
    """Map scores to unsigned integers: equal where the scores are equal, otherwise in their order."""
    if score.dtype.kind == "f":
        bits = score.view(np.uint32 if score.dtype.itemsize == 4 else np.uint64)
        return _float_keys(bits, bits.dtype.type(1 << (8 * bits.dtype.itemsize - 1)))
    if score.dtype == np.uint64:
        return score.copy()
    return score.astype(np.int64).view(np.uint64) ^ SIGN


@kernel
def _float_keys(bits, sign):
    keys = np.empty_like(bits)
    for i in range(bits.size):
        b = bits[i]
        # Negative floats grow towards zero, so all their bits turn over; -0.0 equals 0.0.
        if b > sign:
            keys[i] = ~b
        else:
            keys[i] = b | sign
    return keys


@kernel
def sort_by_key(keys, payload):
    """Sort both arrays by key, in time linear in their length; both serve as scratch space."""
    n = keys.size
    n_digits = keys.itemsize
    counts = np.zeros((n_digits, RADIX), np.int64)
    mask = np.uint64(RADIX - 1)
    for i in range(n):
        key = np.uint64(keys[i])
        for d in range(n_digits):
            counts[np.uintp(d), np.uintp((key >> np.uint64(8 * d)) & mask)] += 1
    spare_keys = np.empty_like(keys)
    spare_payload = np.empty_like(payload)
    for d in range(n_digits):
        shift = np.uint64(8 * d)
        start = counts[d]
        if n == 0 or start[np.uintp((np.uint64(keys[0]) >> shift) & mask)] == n:
            continue  # every key has the same digit here
        total = 0
        for j in range(RADIX):
            count = start[j]
            start[j] = total
            total += count
        for i in range(n):
            here = np.uintp(i)
            key = keys[here]
            digit = np.uintp((np.uint64(key) >> shift) & mask)
            place = np.uintp(start[digit])
            start[digit] += 1
            spare_keys[place] = key
            spare_payload[place] = payload[here]
        keys, spare_keys = spare_keys, keys
        payload, spare_payload = spare_payload, payload
    return keys, payload
