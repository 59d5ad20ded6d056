"""Bernstein polynomials: a pair loss as a product of what each row knows by itself.

With scores in [-L/2, L/2], P = 1/2 + s/L of a positive row and Q = 1/2 - s/L of a negative one, the
loss of their margin is nearly ``bern(P) . K . bern(Q)``: the mean over all pairs is the same form in
the classes' mean vectors, which add up over rows, chunks and machines.
"""

from collections.abc import Callable
from math import comb

import numpy as np

from ._jit import inlined


def binomials(degree: int) -> np.ndarray:
    """The coefficients ``C(degree, k)``: what the routines below call ``choose``."""
    return np.array([float(comb(degree, k)) for k in range(degree + 1)])


def nodes(degree: int, length: float) -> np.ndarray:
    """Margins, from ``-length`` to ``length``, at which the polynomial looks at the loss."""
    return length * (2.0 * np.arange(degree + 1) / degree - 1.0)


def pair_matrix(loss: Callable[[np.ndarray], np.ndarray], degree: int, length: float) -> np.ndarray:
    """The matrix K of a loss for scores in ``[-length/2, length/2]``.

    ``bern(P) . K . bern(Q)`` is the Bernstein polynomial of the loss, of this degree on
    ``[-length, length]``, at the margin ``length * (P + Q - 1)``. K is symmetric, and a mean of the
    values of the loss in each entry: nothing cancels, at any degree.

    Parameters
    ----------
    loss : callable
        Loss of an array of margins.
    degree : int
        From 1 to 1000; beyond, binomials leave the range of floats.
    length : float
        Width of the range of scores, and so the largest margin.

    Returns
    -------
    ndarray of shape (degree + 1, degree + 1)
    """
    m = degree
    # Blossoming (P + Q)/2: of m places i are marked by P and j by Q, o by both. A place marked twice
    # counts, one marked once counts with probability 1/2; smoothed[o, n] is the mean of the loss at
    # o + Binomial(n, 1/2) marks.
    smoothed = np.zeros((m + 1, m + 1))
    smoothed[:, 0] = loss(nodes(m, length))
    for n in range(1, m + 1):
        smoothed[: m + 1 - n, n] = 0.5 * (smoothed[: m + 1 - n, n - 1] + smoothed[1 : m + 2 - n, n - 1])
    i, j = np.indices((m + 1, m + 1))
    table = np.zeros((m + 1, m + 1))
    for k in range(m + 1):
        table[k, : k + 1] = binomials(k)
    matrix = np.zeros((m + 1, m + 1))
    for o in range(m + 1):
        at = (o <= i) & (o <= j) & (i + j - o <= m)
        a, b = i[at], j[at]
        overlap = table[a, o] * (table[m - a, b - o] / table[m, b])
        matrix[at] += overlap * smoothed[o, a + b - 2 * o]
    return 0.5 * (matrix + matrix.T)


def widening(degree: int, factor: float) -> np.ndarray:
    """The matrix that takes mean basis vectors over to a range of scores ``factor`` times as wide.

    The new P is ``1/2 + (P - 1/2)/factor``; its basis is an exact, non-negative combination of the
    old one, so that moments collected on a range that proved too narrow are not lost.
    """
    low, high = 0.5 - 0.5 / factor, 0.5 + 0.5 / factor
    columns = [np.convolve(_binomial_law(j, high), _binomial_law(degree - j, low)) for j in range(degree + 1)]
    return np.array(columns).T


def _binomial_law(n: int, p: float) -> np.ndarray:
    out = np.empty(n + 1)
    bern(p, binomials(n), out)
    return out


@inlined
def bern(p, choose, out):
    """Write the basis of degree ``len(choose) - 1`` at ``p`` into ``out``.

    ``choose`` are the ``binomials`` of that degree. Only products: full relative accuracy, also at
    0 and 1.
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


@inlined
def bern_slope(p, choose, value, slope):
    """Write the basis of degree ``len(choose)`` at ``p`` into ``value``, its derivative into ``slope``.

    ``choose`` are the ``binomials`` of the degree below, of whose basis both are made.
    """
    m = len(choose)
    bern(p, choose, value)
    before = 0.0
    for k in range(m):
        here = value[k]
        value[k] = p * before + (1.0 - p) * here
        slope[k] = m * (before - here)
        before = here
    value[m] = p * before
    slope[m] = m * before
