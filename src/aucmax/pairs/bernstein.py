"""Bernstein polynomials: a pair loss as a bilinear form in one vector for each row.

``basis(p)`` is the vector of Bernstein basis polynomials at p. With scores s in [-L/2, L/2], P = 1/2 + s/L
for a positive row and Q = 1/2 - s/L for a negative one, the loss of their margin is close to
``basis(P) . K . basis(Q)``. The mean over all pairs is then the same form in the mean vectors of the two
classes, which can be summed over rows, chunks and machines.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..kernels.jit import inlined


def binomials(degree: int) -> np.ndarray:
    """The coefficients ``C(degree, k)``, each rounded once."""
    return np.array([float(math.comb(degree, k)) for k in range(degree + 1)])


def nodes(degree: int, length: float) -> np.ndarray:
    """Margins, from ``-length`` to ``length``, at which the polynomial uses the value of the loss."""
    return length * (2.0 * np.arange(degree + 1) / degree - 1.0)


def pair_matrix(loss: Callable[[np.ndarray], np.ndarray], degree: int, length: float) -> np.ndarray:
    """The matrix K of a loss for scores in ``[-length/2, length/2]``, with ``degree + 1`` rows and columns.

    ``basis(P) . K . basis(Q)`` is the Bernstein polynomial of the loss, of this degree on
    ``[-length, length]``, at the margin ``length * (P + Q - 1)``. K is symmetric, and each entry is a
    mean of values of the loss, so nothing cancels at any degree.

    Parameters
    ----------
    loss : callable
        Loss of an array of margins.
    degree : int
        From 1 to 1000; for more, binomials overflow.
    length : float
        Width of the range of scores, which is the largest margin.
    """
    m = degree
    # K_ij is a mean over random subsets of m positions, of sizes i and j: a position in both subsets counts,
    # one in a single subset counts with probability 1/2, and the loss is taken at the node of that count (the
    # polar form of the polynomial at (P + Q)/2). o is the size of the intersection, and smoothed[o, n] the
    # mean loss at node o + Binomial(n, 1/2).
    smoothed = np.zeros((m + 1, 2 * m + 1))
    smoothed[:, 0] = loss(nodes(m, length))
    for n in range(1, m + 1):
        smoothed[: m + 1 - n, n] = 0.5 * (smoothed[: m + 1 - n, n - 1] + smoothed[1 : m + 2 - n, n - 1])
    table = np.zeros((m + 1, m + 1))
    for k in range(m + 1):
        table[k, : k + 1] = binomials(k)
    matrix = np.zeros((m + 1, m + 1))
    for o in range(m + 1):  # C(m - i, j - o) is 0 where two such subsets do not fit in m positions
        size = m + 1 - o
        overlap = table[o:, o, None] * (table[size - 1 :: -1, :size] / table[m, o:])
        matrix[o:, o:] += overlap * sliding_window_view(smoothed[o, : 2 * size - 1], size)
    return 0.5 * (matrix + matrix.T)


def widening_matrix(degree: int, factor: float) -> np.ndarray:
    """The matrix that converts mean basis vectors to a range of scores ``factor`` times as wide.

    The new P is ``1/2 + (P - 1/2)/factor``. Its basis vector is this matrix, which has no negative entries,
    times the old one, without an approximation.
    """
    low, high = 0.5 - 0.5 / factor, 0.5 + 0.5 / factor
    columns = [np.convolve(_basis(j, high), _basis(degree - j, low)) for j in range(degree + 1)]
    return np.array(columns).T


def _basis(degree: int, p: float) -> np.ndarray:
    out = np.empty(degree + 1)
    bernstein_basis(p, binomials(degree), out)
    return out


@inlined
def bernstein_basis(p, choose, out):
    """Write the basis polynomials at ``p`` into ``out``; ``choose`` are the ``binomials`` of their degree.

    Only products are used, so each has full relative accuracy, also near 0 and 1.
    """
    last = len(choose) - 1
    power = 1.0
    for k in range(last + 1):
        out[k] = choose[k] * power
        power *= p
    power = 1.0
    for k in range(last, -1, -1):
        out[k] *= power
        power *= 1.0 - p
