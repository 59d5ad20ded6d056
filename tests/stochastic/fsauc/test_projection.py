"""FSAUC's projection against Dykstra's algorithm."""

import numpy as np
import pytest

from aucmax.kernels.proximal import soft_threshold
from aucmax.stochastic.fsauc.projection import l1_threshold, offset, search_theta
from oracles.fsauc import project_l1
from oracles.iterates import project

pytestmark = pytest.mark.python_mode


def dykstra(z, projections, n_rounds):
    """The projection on an intersection of convex sets from the projections on each."""
    corrections = [np.zeros_like(z) for _ in projections]
    for _ in range(n_rounds):
        for k, onto in enumerate(projections):
            before = z + corrections[k]
            z = onto(before)
            corrections[k] = before - z
    return z


@pytest.mark.parametrize("seed", range(8))
def test_projection_is_the_nearest_point(seed):
    rng = np.random.default_rng(seed)
    w, centre = rng.normal(size=6), project_l1(rng.normal(size=6), 1.0)
    a, b, a1, b1 = *rng.normal(size=2), *rng.uniform(-0.3, 0.3, size=2)
    radius, bound, reach = 1.0, 0.3, 0.4
    theta, tau = search_theta(w, centre, radius, (a, a1, b, b1), bound, 1.0, reach)
    found = [soft_threshold(c + theta * (v - c), tau) for v, c in zip(w, centre, strict=True)]
    found += [a1 + offset(a, a1, theta, bound), b1 + offset(b, b1, theta, bound)]
    origin = np.array([*centre, a1, b1])

    def box(z):
        return np.array([*project_l1(z[:-2], radius), *np.clip(z[-2:], -bound, bound)])

    def ball(z):
        return origin + project(z - origin, reach)

    np.testing.assert_allclose(found, dykstra(np.array([*w, a, b]), [box, ball], 3000), atol=1e-8)


def test_thresholded_point_is_on_the_l1_sphere():
    w = np.array([3.0, -1.0, 0.5, 0.0, -2.0])
    zero = np.zeros(5)
    for radius in (0.1, 1.0, 6.0):
        tau = l1_threshold(w, zero, 1.0, radius)
        assert sum(abs(soft_threshold(v, tau)) for v in w) == pytest.approx(radius, rel=1e-12)
    assert l1_threshold(w, zero, 1.0, 6.5) == 0.0
