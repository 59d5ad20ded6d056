"""The Bernstein form against exact rational arithmetic."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from aucmax.pairs.bernstein import bernstein_basis, binomials, nodes, pair_matrix, widening_matrix
from aucmax.pairs.losses import LOSSES


def hinge(margin):
    return np.maximum(0.0, 1.0 - margin)


def exact_basis(m, p):
    return [comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]


def elevation(r, m):
    """Column i: the basis polynomial i of degree r in the basis of degree m."""
    return [
        [
            Fraction(comb(r, i) * comb(m - r, k - i), comb(m, k)) if 0 <= k - i <= m - r else 0
            for i in range(r + 1)
        ]
        for k in range(m + 1)
    ]


def exact_matrix(values, m):
    """K = 2^-m sum_r C(m, r) E_r Phi_r E_{m-r}', in rationals."""
    total = [[Fraction(0)] * (m + 1) for _ in range(m + 1)]
    for r in range(m + 1):
        left, right = elevation(r, m), elevation(m - r, m)
        inner = [
            [sum(left[i][a] * values[a + b] for a in range(r + 1)) for b in range(m - r + 1)]
            for i in range(m + 1)
        ]
        for i in range(m + 1):
            for j in range(m + 1):
                total[i][j] += comb(m, r) * sum(inner[i][b] * right[j][b] for b in range(m - r + 1))
    return [[float(entry / 2**m) for entry in row] for row in total]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("degree", [1, 2, 5, 12])
def test_matrix_is_exact(name, degree):
    length = 3.0
    values = [Fraction(float(v)) for v in LOSSES[name].value(nodes(degree, length))]
    matrix = pair_matrix(LOSSES[name].value, degree, length)
    np.testing.assert_allclose(matrix, exact_matrix(values, degree), rtol=1e-14)


@pytest.mark.parametrize("degree", [10, 40, 100])
def test_form_is_the_polynomial_of_the_loss(degree):
    length = 4.0
    matrix = pair_matrix(hinge, degree, length)
    values = [Fraction(float(v)) for v in hinge(nodes(degree, length))]
    for p, q in [
        (0, 0),
        (1, 1),
        (1, 0),
        (Fraction(1, 3), Fraction(6, 7)),
        (Fraction(99, 100), Fraction(1, 50)),
    ]:
        u = Fraction(p + q) / 2
        exact = float(sum(v * b for v, b in zip(values, exact_basis(degree, u), strict=True)))
        left, right = np.array(exact_basis(degree, p), float), np.array(exact_basis(degree, q), float)
        assert left @ matrix @ right == pytest.approx(exact, rel=1e-13, abs=1e-300)
    assert (matrix >= 0).all()
    assert matrix.max() <= hinge(-length)
    np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.python_mode
@pytest.mark.parametrize("degree", [1, 2, 10, 100])
@pytest.mark.parametrize("p", [0.0, 2.0**-40, 0.125, 0.5, 0.8125, 1.0 - 2.0**-40, 1.0])
def test_basis_is_exact(degree, p):
    out = np.empty(degree + 1)
    bernstein_basis(p, binomials(degree), out)
    exact = exact_basis(degree, Fraction(p))
    np.testing.assert_allclose(out, np.array(exact, float), rtol=5e-14, atol=1e-300)


@pytest.mark.python_mode
@pytest.mark.parametrize("degree", [1, 10, 40])
def test_moments_survive_a_wider_range(degree):
    score, factor = np.array([-0.9, 0.1, 0.4]), 1.7
    old, new = np.empty((3, degree + 1)), np.empty((3, degree + 1))
    for k in range(3):
        bernstein_basis(0.5 + score[k] / 2.0, binomials(degree), old[k])
        bernstein_basis(0.5 + score[k] / (2.0 * factor), binomials(degree), new[k])
    np.testing.assert_allclose(widening_matrix(degree, factor) @ old.mean(0), new.mean(0), rtol=1e-12)
