"""SAUC against its box written out over pairs, and against the optimum of the whole Bernstein objective."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.preprocessing import normalize

from aucmax.pairs.losses import LOSSES
from aucmax.stochastic.sauc.estimator import SAUC
from oracles.pairs import pairs
from oracles.sauc import polynomial, sauc


def streamed(model, X, y, weights, n_chunks):
    for part in np.array_split(np.arange(len(y)), n_chunks):
        model.partial_fit(X[part], y[part], classes=[-1, 1], sample_weight=weights[part])
    return model


@pytest.mark.python_mode
@pytest.mark.parametrize(
    ("loss", "degree", "radius"), [("hinge", 7, 0.2), ("logistic", 1, 3.0), ("hinge", 30, 2.0)]
)
def test_fit_equals_the_box(problem, layout, loss, degree, radius):
    X, y, weights = problem
    settings = dict(degree=degree, radius=radius)
    last, mean = sauc(
        X,
        y,
        loss=LOSSES[loss].value,
        beta=1.5,
        proximal=0.4,
        kappa2=(X**2).sum(1).max(),
        n_passes=2,
        weights=weights / weights.mean(),
        **settings,
    )
    model = SAUC(loss, step_size=1.5, proximal=0.4, max_iter=2, shuffle=False, **settings)
    model.fit(layout(X), y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-11)
    np.testing.assert_allclose(model._solver.model.last(), last, atol=1e-11)
    assert model._solver.model.sqnorm == pytest.approx(last @ last, rel=1e-10)


@pytest.mark.python_mode
def test_stream_equals_the_box_when_longer_rows_widen_the_range(problem, layout):
    X, y, weights = problem
    X = X * np.geomspace(0.1, 3.0, len(y))[:, None]
    settings = dict(degree=6, radius=0.5)
    last, mean = sauc(
        X, y, loss=LOSSES["squared_hinge"].value, beta=1.0, proximal=0.1, weights=weights, **settings
    )
    model = streamed(SAUC("squared_hinge", step_size=1.0, proximal=0.1, **settings), layout(X), y, weights, 9)
    np.testing.assert_allclose(model.coef_[0], mean, atol=1e-11)
    np.testing.assert_allclose(model._solver.model.last(), last, atol=1e-11)


def test_wide_sparse_rows_equal_narrow_dense_ones(problem):
    """With wide rows, a short stage updates only the columns it has changed."""
    X, y, weights = problem
    wide = np.zeros((len(y), 2000))
    wide[:, 100:120] = X
    narrow = SAUC(random_state=0, proximal=1.0).fit(X, y, sample_weight=weights)
    found = SAUC(random_state=0, proximal=1.0).fit(sparse.csr_array(wide), y, sample_weight=weights)
    np.testing.assert_allclose(found.coef_[0, 100:120], narrow.coef_[0], atol=1e-12)
    np.testing.assert_array_equal(found.coef_[0, 120:], 0.0)


@pytest.mark.parametrize("degree", [5, 10, 20, 40])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_comes_near_the_optimum(problem, loss, degree):
    X, y, _ = problem
    X, radius, p = normalize(X), 2.0, np.mean(y > 0)
    differences, _ = pairs(X, y)

    def objective(w):
        return p * (1 - p) * polynomial(LOSSES[loss].value, degree, 2 * radius, differences @ w).mean()

    def gradient(w):
        slope = polynomial(LOSSES[loss].value, degree, 2 * radius, differences @ w, 1)
        return p * (1 - p) * slope @ differences / len(differences)

    # The optimum is on the sphere: minimise over directions.
    def on_sphere(v):
        w, norm = radius * v / np.linalg.norm(v), np.linalg.norm(v)
        g = gradient(w)
        return objective(w), radius / norm * (g - (g @ w) * w / radius**2)

    best = minimize(on_sphere, differences.mean(0), jac=True, method="L-BFGS-B").fun
    model = SAUC(loss, degree=degree, radius=radius, max_iter=30, random_state=0).fit(X, y)
    assert np.linalg.norm(model.coef_) <= radius * (1 + 1e-12)
    assert objective(model.coef_[0]) - best < 1e-3


def test_theory_moves_little_but_in_the_direction_of_the_mean_difference(problem):
    X, y, _ = problem
    X = normalize(X)
    model = SAUC(radius=10.0, proximal="theory", random_state=0).fit(X, y)
    assert 0 < np.linalg.norm(model.coef_) < 1e-10
    differences = X[y > 0].mean(0) - X[y < 0].mean(0)
    cosine = model.coef_[0] @ differences / np.linalg.norm(model.coef_) / np.linalg.norm(differences)
    assert cosine > 0.99


def test_theory_does_not_overflow_at_high_degrees(problem):
    X, y, _ = problem
    model = SAUC(degree=100, radius=1000.0, proximal="theory", step_size=100.0, random_state=0)
    assert np.isfinite(model.fit(normalize(X), y).coef_).all()


def test_overflowing_loss_is_refused(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="lower radius or scale the rows"):
        SAUC("exponential", radius=1e4).fit(X, y)


@pytest.mark.parametrize("parameters", [{"degree": 101}, {"loss": "nothing"}, {"proximal": "practice"}])
def test_invalid_parameters_are_refused(problem, parameters):
    X, y, _ = problem
    with pytest.raises(ValueError, match=f"SAUC: {next(iter(parameters))} must be"):
        SAUC(**parameters).fit(X, y)
