"""SAUC's convexity constant against exact rational arithmetic."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from aucmax.pairs.bernstein import nodes
from aucmax.pairs.losses import LOSSES
from aucmax.stochastic.sauc.convexity import log_gamma0

hinge = LOSSES["hinge"].value


@pytest.mark.parametrize(("degree", "length"), [(1, 0.5), (4, 2.0), (10, 0.25), (10, 20.0)])
def test_gamma0_is_the_papers(degree, length):
    m, L = degree, Fraction(length)
    values = [Fraction(float(v)) for v in hinge(nodes(m, length))]
    change = [abs(sum((-1) ** (k - j) * comb(k, j) * values[j] for j in range(k + 1))) for k in range(m + 1)]
    b = {
        (i, k): comb(m, k) * comb(k, i) * (m + 1) * change[k] / (2**k * L**i)
        for k in range(m + 1)
        for i in range(k + 1)
    }
    r1, r2 = sum(L**i for i in range(m + 1)), sum(b.values())
    s1 = sum(i * L ** (i - 1) for i in range(m + 1))
    s2 = sum(i * (i - 1) * L ** (i - 2) for i in range(m + 1))
    t1 = sum((k - i) * v / L for (i, k), v in b.items())
    t2 = sum((k - i) * (k - i - 1) * v / L**2 for (i, k), v in b.items())
    gamma0 = max((2 * r1 + r2) * s2 + s1**2, (r1 + 2 * r2) * t2 + t1**2) / (m + 1)
    assert np.exp(log_gamma0(hinge, degree, length)) == pytest.approx(float(gamma0), rel=1e-12)


def test_gamma0_does_not_overflow():
    assert log_gamma0(hinge, 100, 2e4) > 1000.0
