"""The diagnostics against brute force on small problems."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.preprocessing import normalize

from aucmax import SOLAM
from aucmax.reproduction.diagnostics import (
    SaddlePoint,
    duality_gap,
    saddle_point,
    update_variance,
)
from oracles.iterates import statistics
from oracles.pairs import squared_minimiser
from oracles.spam import saddle_coefficient


def saddle_function(X, y, weights):
    p, pos = np.average(y > 0, weights=weights), y > 0

    def f(w, a, b, alpha):
        s = X @ w
        rows = np.where(pos, (1 - p) * (s - a) ** 2, p * (s - b) ** 2) - p * (1 - p) * alpha**2
        rows += 2 * (1 + alpha) * np.where(pos, -(1 - p) * s, p * s)
        return np.average(rows, weights=weights)

    return f


@pytest.mark.parametrize("radius", [0.05, 0.5, 5.0])
def test_gap_equals_brute_force(problem, layout, radius):
    X, y, weights = problem
    f = saddle_function(X, y, weights)
    kappa = np.linalg.norm(X, axis=1).max()
    w = np.full(20, 0.5 * radius / np.sqrt(20))
    point = SaddlePoint(w, 0.1 * radius, -0.2 * radius, 0.3 * radius)
    alphas = np.linspace(-2 * radius * kappa, 2 * radius * kappa, 200001)
    quadratic = np.polynomial.Polynomial.fit([-1, 0, 1], [f(*point[:3], alpha) for alpha in (-1, 0, 1)], 2)
    least = minimize(
        lambda v: f(v[:20], v[20], v[21], point.alpha),
        np.zeros(22),
        constraints={"type": "ineq", "fun": lambda v: radius**2 - v[:20] @ v[:20]},
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    gap = duality_gap(point, layout(X), y, radius=radius, sample_weight=weights)
    np.testing.assert_allclose(gap, quadratic(alphas).max() - least.fun, rtol=1e-5)


def test_gap_vanishes_at_the_saddle_point_and_shrinks_along_solam(problem):
    X, y, _ = problem
    X = normalize(X)
    best = squared_minimiser(X, y, 2.0)
    radius = float(np.linalg.norm(best))
    a, b = best @ X[y > 0].mean(0), best @ X[y < 0].mean(0)
    assert abs(duality_gap(SaddlePoint(best, a, b, b - a), X, y, radius=radius)) < 1e-12
    gaps = [
        duality_gap(saddle_point(SOLAM(radius, max_iter=n, random_state=0).fit(X, y)), X, y, radius=radius)
        for n in (1, 10, 100)
    ]
    assert gaps[0] > gaps[1] > gaps[2] > 0


def test_gap_where_the_ball_does_not_bind(problem):
    X, y, _ = problem
    best = squared_minimiser(X, y, 0.0)
    a, b = best @ X[y > 0].mean(0), best @ X[y < 0].mean(0)
    assert abs(duality_gap(SaddlePoint(best, a, b, b - a), X, y, radius=100.0)) < 1e-10


def test_variance_equals_the_mean_over_rows(problem, layout):
    X, y, weights = problem
    known = statistics(X, y, weights)
    w, anchor = np.linspace(-1, 1, 20), np.linspace(0, 1, 20)

    def updates(w):
        s, s_pos, s_neg = X @ w, w @ known["m_pos"], w @ known["m_neg"]
        g = [saddle_coefficient(s[i], y[i] > 0, known["p"], s_pos, s_neg) for i in range(len(y))]
        return (known["weights"] * g)[:, None] * X

    for expected, kwargs in ((updates(w), {}), (updates(w) - updates(anchor), {"anchor": anchor})):
        variance = ((expected - expected.mean(0)) ** 2).sum(1).mean()
        actual = update_variance(w, layout(X), y, sample_weight=weights, **kwargs)
        np.testing.assert_allclose(actual, variance, rtol=1e-10)


def test_variance_obeys_the_lemma(problem):
    X, y, _ = problem
    X = normalize(X)
    best = squared_minimiser(X, y, 0.1)
    w, anchor = 0.9 * best, 1.2 * best
    bound = 4 * 8**2 * np.sum((w - best) ** 2) + 2 * 8**2 * np.sum((anchor - best) ** 2)
    assert update_variance(w, X, y, anchor=anchor) <= bound
    assert update_variance(best, X, y, anchor=best) < 1e-25 < update_variance(best, X, y)
