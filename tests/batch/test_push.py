"""AUCClassifier(push=...): the optimum of the p-norm push, for every loss and layout."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from aucmax import AUCClassifier, io
from aucmax.batch.newton import Limits
from aucmax.batch.solver import Penalty, Problem
from aucmax.metrics import partial_auc
from aucmax.pairs.losses import LOSSES
from aucmax.pairs.push import Pushed
from aucmax.pairs.sums import Classes
from batch.problems import products_of, ranked
from oracles.push import pushed_objective, pushed_optimum
from pairs.problems import NarrowCells

SMOOTH = ["squared_hinge", "logistic", "squared", "exponential"]


def solve(loss, push, penalty, layout=np.asarray, tol=1e-9, **shape):
    X, y, weights = ranked(**shape)
    problem = Problem(products_of(X, layout), Classes.split(weights * y))
    return X, weights * y, problem.solve(Pushed(LOSSES[loss], push), penalty, Limits(tol, 300))


@pytest.mark.parametrize("push", [1.5, 4.0, 100.0])
@pytest.mark.parametrize("loss", SMOOTH)
def test_equals_brute_force(layout, loss, push):
    X, signed, found = solve(loss, push, Penalty(0.05), layout)
    expected, w = pushed_optimum(LOSSES[loss], push, X, signed, 0.05)
    assert found.converged
    assert found.objective == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(found.w, w, atol=1e-4 * np.abs(w).max())


@pytest.mark.parametrize("l1", [0.0, 0.01])
@pytest.mark.parametrize("push", [2.0, 30.0])
def test_hinge_to_a_proven_gap(push, l1):
    X, signed, found = solve("hinge", push, Penalty(0.05, l1), tol=1e-4)
    function = pushed_objective(LOSSES["hinge"], push, X, signed, 0.05, l1)
    assert found.converged
    assert found.objective == pytest.approx(function(found.w)[0], rel=1e-9)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            elsewhere = function(found.w + size * rng.normal(size=len(found.w)))[0]
            assert elsewhere >= found.objective * (1.0 - 1e-4)


@pytest.mark.parametrize(("loss", "l1"), [("squared_hinge", 0.08), ("logistic", 0.08), ("squared", 0.4)])
def test_elastic_net_satisfies_its_conditions(layout, loss, l1):
    X, signed, found = solve(loss, 4.0, Penalty(1e-2, l1), layout, tol=1e-8, d=12)
    assert found.converged
    gradient = pushed_objective(LOSSES[loss], 4.0, X, signed, 1e-2)(found.w)[1]
    zero = found.w == 0.0
    assert 0 < zero.sum() < len(zero)
    np.testing.assert_allclose(gradient[~zero], -l1 * np.sign(found.w[~zero]), atol=1e-7)
    assert np.all(np.abs(gradient[zero]) <= l1 + 1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_dense_and_csr_and_float32_and_repeated_rows_agree(loss):
    X, y, weights = ranked()
    X, times = np.round(X * 8) / 8, weights.astype(int)  # exact in float32
    model = AUCClassifier(loss, l2=0.05, push=3.0, standardize=False, tol=1e-7)
    one = clone(model).fit(X, y, weights)
    # Two weights of that gap are at most this far apart, by strong convexity.
    atol = 2.0 * np.sqrt(2.0 * 1e-7 * one.objective_ / 0.05) if loss == "hinge" else 0.0
    for other in (sparse.csr_array(X), X.astype(np.float32)):
        found = clone(model).fit(other, y, weights).coef_
        np.testing.assert_allclose(found, one.coef_, rtol=1e-4, atol=atol)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(repeated.coef_, one.coef_, rtol=1e-4, atol=atol)


def test_one_gives_the_bits_of_no_push():
    X, y, weights = ranked()
    plain, one = AUCClassifier().fit(X, y, weights), AUCClassifier(push=1).fit(X, y, weights)
    np.testing.assert_array_equal(plain.coef_, one.coef_)
    assert (plain.objective_, plain.l2_, plain.n_iter_) == (one.objective_, one.l2_, one.n_iter_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("push", [1.5, 4.0, 100.0])
@pytest.mark.parametrize("l2", ["auto", 1e-6])
def test_separable_rows(loss, push, l2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] > 0.5
    X[y, 0] += 1.0
    model = AUCClassifier(loss, l2=l2, push=push, max_iter=300).fit(X, y)  # a warning would be an error
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "exponential"])
def test_no_penalty_on_separable_rows(loss):
    X = np.array([[0.0], [1.0], [2.0], [4.0], [5.0]])
    model = AUCClassifier(loss, l2=0.0, push=8.0).fit(X, [0, 0, 0, 1, 1])
    assert np.isfinite(model.objective_)
    assert model.score(X, [0, 0, 0, 1, 1]) == 1.0


@pytest.mark.parametrize("loss", LOSSES)
def test_one_negative_makes_every_push_the_same(loss):
    X, y, _ = ranked()
    rows = np.append(np.flatnonzero(y > 0), np.flatnonzero(y < 0)[0])
    one, pushed = (AUCClassifier(loss, l2=0.1, push=push, tol=1e-7).fit(X[rows], y[rows]) for push in (1, 50))
    assert pushed.objective_ == pytest.approx(one.objective_, rel=1e-6)
    np.testing.assert_allclose(pushed.coef_, one.coef_, rtol=1e-3, atol=1e-6)


def test_a_push_ranks_the_top_better():
    rng = np.random.default_rng(0)
    n = 20_000
    X = rng.normal(size=(n, 3))
    odd = rng.random(n) < 0.05  # negatives that only the second column tells from positives
    y = (rng.random(n) < 0.05) & ~odd
    X[y] += [2.0, 0.0, 0.0]
    X[odd] += [3.0, 2.0, 0.0]
    half = n // 2
    top = [
        partial_auc(y[half:], model.decision_function(X[half:]), 0.05, standardized=True)
        for model in (AUCClassifier(push=push).fit(X[:half], y[:half]) for push in (1, 4))
    ]
    assert top[1] > top[0] + 0.02


def test_warm_start_from_another_push():
    X, y, _ = ranked()
    model = AUCClassifier(push=2.0, warm_start=True, tol=1e-6).fit(X, y)
    cold = AUCClassifier(push=4.0, tol=1e-6).fit(X, y)
    warm = model.set_params(push=4.0).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)


def test_a_push_survives_clones_pickles_and_files(tmp_path):
    X, y, _ = ranked()
    model = AUCClassifier(push=4.0).fit(X, y)
    assert clone(model).get_params()["push"] == 4.0
    io.save_model(model, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(model)), io.load_model(tmp_path / "model")):
        assert other.push == 4.0
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("push", [0.5, 0, -1.0, np.nan, np.inf, "2", None, True])
def test_bad_pushes_are_named(push):
    X, y, _ = ranked()
    with pytest.raises(ValueError, match="AUCClassifier: push must be a finite number of at least 1; got"):
        AUCClassifier(push=push).fit(X, y)


def test_a_loss_below_zero_is_refused():
    X, y, _ = ranked()
    AUCClassifier(NarrowCells()).fit(X, y)
    with pytest.raises(ValueError, match="AUCClassifier: push must be 1 for a loss that goes below zero"):
        AUCClassifier(NarrowCells(), push=2.0).fit(X, y)
