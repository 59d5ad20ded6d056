"""Random numbers inside kernels, by Marsaglia's xorshift64. Its state is an array with one integer."""

import numpy as np
from sklearn.utils import check_random_state

from .jit import inlined

# The three shifts of xorshift64. A float64 has 53 significant bits, so the lowest 11 of 64 are dropped.
A, B, C, DROPPED_BITS = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(11)


def seed_state(random_state) -> np.ndarray:
    """The initial state for a seed, a RandomState or None."""
    return 1 + check_random_state(random_state).randint(2**62, size=1, dtype=np.uint64)


@inlined
def uniform(state):
    """Draw a number from [0, 1) and advance ``state``."""
    x = state[0]
    x ^= x << A
    x ^= x >> B
    x ^= x << C
    state[0] = x
    return np.float64(x >> DROPPED_BITS) * 2.0**-53


@inlined
def normals(state, out, scale):
    """Fill ``out`` with independent normal numbers of standard deviation ``scale`` (Box-Muller)."""
    for k in range(0, len(out), 2):
        length = scale * np.sqrt(-2.0 * np.log(1.0 - uniform(state)))
        angle = 2.0 * np.pi * uniform(state)
        out[k] = length * np.cos(angle)
        if k + 1 < len(out):
            out[k + 1] = length * np.sin(angle)
