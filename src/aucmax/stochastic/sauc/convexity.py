"""The strength of SAUC's proximal term from which on, by the paper's analysis, its problem is convex."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, log

import numpy as np
from scipy.special import logsumexp

from ...pairs.bernstein import nodes


def log_gamma0(loss: Callable[[np.ndarray], np.ndarray], degree: int, length: float) -> float:
    """Natural logarithm of the paper's gamma0 (2.10), from which on the problem is convex, for unit rows.

    For rows of norm D, gamma0 is D^2 times as large. It is a logarithm since gamma0 can overflow. In the
    paper's notation R1 and R2 bound a and b; S1+, S2+, S1- and S2- bound their first and second derivatives.
    The differences of the loss's values are exact; from degree 25 or so on, the rounding of those values
    dominates the differences of a smooth loss, and gamma0 comes out larger.
    """
    m, log_length = degree, np.log(length)
    i, k = np.indices((m + 1, m + 1))
    differences = _forward_differences(loss(nodes(m, length)))
    logs = np.array([_log(comb(m, k) * differences[k]) for k in range(m + 1)])
    factors = [[_log(Fraction((m + 1) * comb(k, i), 2**k)) for k in range(m + 1)] for i in range(m + 1)]
    b = np.array(factors) + logs - i * log_length
    with np.errstate(divide="ignore"):
        first, second = np.log(np.maximum(k - i, 0)), np.log(np.maximum((k - i) * (k - i - 1), 0))
        n = np.arange(m + 1)
        a = n * log_length
        a_first = np.log(n) + (n - 1) * log_length
        a_second = np.log(n * (n - 1)) + (n - 2) * log_length
    r1, s1_pos, s2_pos = logsumexp(a), logsumexp(a_first), logsumexp(a_second)
    r2, s1_neg = logsumexp(b), logsumexp(b + first - log_length)
    s2_neg = logsumexp(b + second - 2 * log_length)
    pos = np.logaddexp(np.logaddexp(log(2.0) + r1, r2) + s2_pos, 2 * s1_pos)
    neg = np.logaddexp(np.logaddexp(r1, log(2.0) + r2) + s2_neg, 2 * s1_neg)
    return float(max(pos, neg) - np.log(m + 1))


def _forward_differences(values: np.ndarray) -> list[Fraction]:
    """Absolute differences of every order at the first value, exactly."""
    rest, differences = [Fraction(float(value)) for value in values], []
    while rest:
        differences.append(abs(rest[0]))
        rest = [after - before for before, after in pairwise(rest)]
    return differences


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator) if value else -np.inf
