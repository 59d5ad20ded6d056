"""Bernstein polynomials: a pair loss as a product of what each row knows by itself.

With scores in [-L/2, L/2], P = 1/2 + s/L of a positive row and Q = 1/2 - s/L of a negative one, the
loss of their margin is nearly ``bern(P) . K . bern(Q)``: the mean over all pairs is the same form in
the classes' mean vectors, which add up over rows, chunks and machines.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, pairwise
from math import comb, log
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import logsumexp

from ..kernels.jit import inlined


def binomials(degree: int) -> np.ndarray:
    """The coefficients ``C(degree, k)``: what the routines below call ``choose``."""
    # Each from the last in whole numbers, of any size: a float is rounded once.
    exact = accumulate(range(degree), lambda c, k: c * (degree - k) // (k + 1), initial=1)
    return np.array([float(c) for c in exact])


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
    smoothed = np.zeros((m + 1, 2 * m + 1))
    smoothed[:, 0] = loss(nodes(m, length))
    for n in range(1, m + 1):
        smoothed[: m + 1 - n, n] = 0.5 * (smoothed[: m + 1 - n, n - 1] + smoothed[1 : m + 2 - n, n - 1])
    table = np.zeros((m + 1, m + 1))
    for k in range(m + 1):
        table[k, : k + 1] = binomials(k)
    matrix = np.zeros((m + 1, m + 1))
    for o in range(m + 1):  # C(m - i, j - o) is 0 where i and j marks do not fit in m places
        size = m + 1 - o
        overlap = table[o:, o, None] * (table[size - 1 :: -1, :size] / table[m, o:])
        matrix[o:, o:] += overlap * sliding_window_view(smoothed[o, : 2 * size - 1], size)
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


class Constants(NamedTuple):
    """Natural logarithms of the constants of SAUC's analysis, for rows of norm 1.

    In the paper's notation R1 and R2 bound a and b, S1+, S2+, S1- and S2- their first and second
    derivatives, and the proximal term makes the problem convex from gamma0 on; for rows of norm D,
    gamma0 is D^2 times as large. They are logarithms since gamma0 leaves the range of floats.
    """

    r1: float
    r2: float
    s1_pos: float
    s2_pos: float
    s1_neg: float
    s2_neg: float
    gamma0: float


def constants(loss: Callable[[np.ndarray], np.ndarray], degree: int, length: float) -> Constants:
    """SAUC's constants for a loss, as its paper defines them after (2.7) and in (2.10).

    The differences of the loss's values are taken exactly; from degree 25 or so on, the rounding of
    those values by themselves dominates them for a smooth loss, and the constants come out larger.
    """
    m, log_length = degree, np.log(length)
    rest = [Fraction(float(value)) for value in loss(nodes(m, length))]
    differences = []
    for _ in range(m + 1):
        differences.append(abs(rest[0]))
        rest = [after - before for before, after in pairwise(rest)]
    i, k = np.indices((m + 1, m + 1))
    logs = np.array([_log(Fraction(comb(m, k)) * differences[k]) for k in range(m + 1)])
    ways = np.array(
        [[_log(Fraction((m + 1) * comb(k, i), 2**k)) for k in range(m + 1)] for i in range(m + 1)]
    )
    b = ways + logs - i * log_length
    with np.errstate(divide="ignore"):
        first, second = np.log(np.maximum(k - i, 0)), np.log(np.maximum((k - i) * (k - i - 1), 0))
        n = np.arange(m + 1)
        a, a1, a2 = (
            n * log_length,
            np.log(n) + (n - 1) * log_length,
            np.log(n * (n - 1)) + (n - 2) * log_length,
        )
    r1, s1_pos, s2_pos = logsumexp(a), logsumexp(a1), logsumexp(a2)
    r2, s1_neg, s2_neg = (
        logsumexp(b),
        logsumexp(b + first - log_length),
        logsumexp(b + second - 2 * log_length),
    )
    two = np.log(2.0)
    pos = np.logaddexp(np.logaddexp(two + r1, r2) + s2_pos, 2 * s1_pos)
    neg = np.logaddexp(np.logaddexp(r1, two + r2) + s2_neg, 2 * s1_neg)
    gamma0 = max(pos, neg) - np.log(m + 1)
    return Constants(*(float(value) for value in (r1, r2, s1_pos, s2_pos, s1_neg, s2_neg, gamma0)))


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator) if value else -np.inf


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
