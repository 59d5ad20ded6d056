"""The random numbers of the kernels."""

import numpy as np


class Xorshift:
    """Marsaglia's generator on Python's own integers."""

    def __init__(self, state):
        self.x = int(state[0])

    def uniform(self):
        mask = 2**64 - 1
        self.x ^= (self.x << 13) & mask
        self.x ^= self.x >> 7
        self.x ^= (self.x << 17) & mask
        return (self.x >> 11) / 2**53

    def normals(self, n):
        out = []
        while len(out) < n:
            length, angle = np.sqrt(-2 * np.log(1 - self.uniform())), 2 * np.pi * self.uniform()
            out += [length * np.cos(angle), length * np.sin(angle)]
        return np.array(out[:n])
