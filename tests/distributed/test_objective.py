"""The objective over blocks against all pairs one by one, for any engine and any cut into blocks."""

import numpy as np
import pytest
from scipy import sparse

from aucmax import AUCClassifier
from aucmax.batch.newton import Limits
from aucmax.batch.solver import Penalty
from aucmax.distributed import objective, row_sums
from aucmax.distributed.curvature import INTERVALS, CoarseMesh
from aucmax.distributed.objective import Objective, PartitionedColumns
from aucmax.distributed.problem import PartitionedRows
from aucmax.distributed.row_sums import sum_gradient, sum_hessian
from aucmax.pairs.losses import LOSSES, Loss, SmoothedHinge
from aucmax.pairs.push import push_loss
from oracles.distributed import BlockRounds, mean_over_pairs, problem


class Softplus(Loss):
    """A loss of a user's own, without straight tails."""

    def value(self, margin):
        return np.logaddexp(0.0, 1.0 - margin)

    def derivative(self, margin):
        return -1.0 / (1.0 + np.exp(margin - 1.0))

    def second(self, margin):
        return 0.25 / np.cosh(0.5 * (margin - 1.0)) ** 2


SMOOTH = {
    **{name: loss for name, loss in LOSSES.items() if not loss.kinked},
    "smoothed hinge": SmoothedHinge(0.3),
    "softplus": Softplus(),
}


def objective_of(X, y, weights, loss, l2=0.1, sizes=(40,), layout=np.asarray, factor=1.0):
    rounds = BlockRounds.of(X, y, weights, sizes, layout)
    factors = np.broadcast_to(factor, X.shape[1]).astype(float)
    return Objective(PartitionedColumns(rounds, len(y), X.mean(axis=0), factors), loss, l2)


@pytest.mark.parametrize("push", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("loss", SMOOTH)
def test_value_is_the_mean_over_all_pairs(loss, push):
    X, y, weights = problem(500)
    w = np.random.default_rng(1).normal(size=X.shape[1]) * 0.5
    value = objective_of(X, y, weights, push_loss(SMOOTH[loss], push)).at(w).value
    exact = mean_over_pairs(SMOOTH[loss], push, X @ w, y, weights)
    assert value == pytest.approx(exact + 0.05 * w @ w, rel=3e-9)


@pytest.mark.python_mode
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_derivatives_of_few_rows(layout, monkeypatch):
    X, y, weights = problem(60)
    w, v = np.linspace(-0.3, 0.3, 5), np.linspace(1.0, 2.0, 5)
    f = objective_of(X, y, weights, LOSSES["squared_hinge"], sizes=(25,), layout=layout)
    assert np.isfinite(f.at(w).hessp(v)[0]).all()
    monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    point = f.at(w)
    exact = mean_over_pairs(LOSSES["squared_hinge"], 1.0, X @ w, y, weights)
    assert point.value == pytest.approx(exact + 0.05 * w @ w, rel=1e-7)
    up, down = f.at(w + 1e-5 * v), f.at(w - 1e-5 * v)
    assert point.slope(v, v) == pytest.approx((up.value - down.value) / 2e-5, rel=1e-6)
    np.testing.assert_allclose(point.hessp(v)[0], (up.gradient - down.gradient) / 2e-5, rtol=1e-3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e6])
def test_value_of_scores_of_any_size(size):
    X, y, weights = problem(500)
    w = np.linspace(-1.0, 1.0, 5) * size
    value = objective_of(X, y, weights, LOSSES["squared_hinge"], l2=0.0).at(w).value
    assert value == pytest.approx(mean_over_pairs(LOSSES["squared_hinge"], 1.0, X @ w, y, weights), rel=1e-9)


@pytest.mark.parametrize("push", [1.0, 3.0])
@pytest.mark.parametrize("loss", SMOOTH)
def test_derivatives_equal_differences_of_the_value(loss, push, monkeypatch):
    monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    X, y, weights = problem()
    f = objective_of(X, y, weights, push_loss(SMOOTH[loss], push), factor=np.linspace(0.5, 1.5, 5))
    w, step, d = np.random.default_rng(1).normal(size=5) * 0.3, 1e-5, np.eye(5)
    point, neighbours = f.at(w), [(f.at(w + step * e), f.at(w - step * e)) for e in d]
    first = [(up.value - down.value) / (2 * step) for up, down in neighbours]
    np.testing.assert_allclose(point.gradient, first, atol=1e-7 * np.abs(first).max())
    second = [(up.gradient - down.gradient) / (2 * step) for up, down in neighbours]
    products = [point.hessp(e)[0] for e in d]
    np.testing.assert_allclose(products, second, atol=1e-4 * np.abs(second).max())


@pytest.mark.parametrize("push", [1.0, 3.0])
@pytest.mark.parametrize("loss", SMOOTH)
def test_formed_hessian_is_near_the_exact_one(loss, push, monkeypatch):
    X, y, weights = problem(2000)
    f = objective_of(X, y, weights, push_loss(SMOOTH[loss], push), factor=np.linspace(0.5, 1.5, 5))
    w = np.random.default_rng(1).normal(size=5) * 0.3
    formed = np.array([f.at(w).hessp(e)[0] for e in np.eye(5)])
    monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    exact = np.array([f.at(w).hessp(e)[0] for e in np.eye(5)])
    np.testing.assert_allclose(formed, exact, atol=0.02 * np.abs(exact).max())
    assert np.linalg.eigvalsh(formed).min() > 0.0


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("push", [1.0, 3.0])
@pytest.mark.parametrize("size", [0.1, 0.4, 1.0, 3.0, 20.0])
def test_first_trial_has_the_smallest_slope_of_its_lengths(size, push, layout):
    X, y, weights = problem()
    f = objective_of(X, y, weights, push_loss(LOSSES["squared_hinge"], push), sizes=(60,), layout=layout)
    start = f.at(np.linspace(-0.3, 0.3, 5))
    p = -size * np.linalg.solve([start.hessp(e)[0] for e in np.eye(5)], start.gradient)
    trials = [f.at(start.w + length * p) for length in objective.LENGTHS]
    before = f.columns.rounds.n_rounds
    length, found = f.first_trial(start, p, p)
    assert f.columns.rounds.n_rounds == before + 2  # the passes of one evaluation
    best = int(np.argmin([abs(trial.slope(p, p)) for trial in trials]))
    assert length == objective.LENGTHS[best]
    assert found.value == pytest.approx(trials[best].value, rel=1e-12)
    np.testing.assert_allclose(found.w, trials[best].w, rtol=1e-12)
    np.testing.assert_allclose(found.gradient, trials[best].gradient, atol=1e-10)
    np.testing.assert_allclose(found.hessp(p)[0], trials[best].hessp(p)[0], atol=1e-9)


def test_lengths_too_large_for_the_loss_are_not_tried():
    y = np.arange(20) % 2
    X = 1e-3 * y[:, None]
    X[1] = 300.0
    f = objective_of(X, y, np.ones(20), SMOOTH["softplus"], l2=0.0)
    start, p = f.at(np.ones(1)), np.ones(1)
    with pytest.raises(ValueError, match="The scores spread over"):
        f.at(start.w + 4.0 * p)
    length, found = f.first_trial(start, p, p)
    assert length < 4.0
    assert found.slope(p, p) < 0.0


def test_scores_rounded_otherwise_find_their_nodes():
    X, loss = np.arange(-8.0, 8.0)[:, None] / 256.0, LOSSES["squared_hinge"]  # every score is a node
    X *= np.r_[[1.0] * 15, 100.0][:, None]
    f = objective_of(X, np.arange(16) % 2, np.ones(16), loss)
    f.columns.centre[:] = 0.0
    point, (rows,) = f.at(np.ones(1)), f.columns.rounds.blocks
    state, gradients = point._state, []
    for rounding in (1.0 - 1e-14, 1.0, 1.0 + 1e-14):
        score = rounding * X[:, 0]
        gradients.append(sum_gradient(rows, state.scorer, score, state.histogram.nodes, state.node_slopes))
    np.testing.assert_allclose(gradients, [gradients[1]] * 3, rtol=1e-10)


@pytest.mark.python_mode
@pytest.mark.parametrize("layout", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize("step", [1, 3])
def test_sums_of_the_hessian_one_row_at_a_time(step, layout, monkeypatch):
    monkeypatch.setattr(row_sums, "BLOCK_BYTES", 0)
    monkeypatch.setattr(row_sums, "BLOCK_ROWS", 16)
    X, y, weights = problem(60)
    (rows,) = BlockRounds.of(X, y, weights, (60,), lambda X: layout(X)).blocks
    rows = rows._replace(first=7)
    rng, centre, mesh = np.random.default_rng(0), X.mean(axis=0), CoarseMesh(-2.0, 4.0 / INTERVALS)
    score, curvature = rng.uniform(-2.2, 2.2, 60), rng.random((2, INTERVALS + 1))
    square, by_node = np.zeros((5, 5)), np.zeros((2, INTERVALS + 1, 5))
    for i in range(60):
        if (rows.first + i) % step:
            continue
        x, k, weight = X[i] - centre, int(rows.y[i] > 0.0), step * abs(rows.y[i])
        place = min(max((score[i] - mesh.start) / mesh.spacing, 0.0), INTERVALS)
        node = min(int(place), INTERVALS - 1)
        for share, at in ((1.0 - (place - node), node), (place - node, node + 1)):
            by_node[k, at] += share * weight * x
            square += share * weight * curvature[k, at] * np.outer(x, x)
    found = sum_hessian(rows, centre, score, mesh, curvature, step)
    np.testing.assert_allclose(found[0], square, atol=1e-14)
    np.testing.assert_allclose(found[1], by_node, atol=1e-14)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("sizes", [(200,), (1, 60, 0, 7)])
def test_cut_into_blocks_changes_rounding_only(sizes, layout):
    X, y, weights = problem()
    w, loss = np.linspace(-0.3, 0.3, 5), push_loss(LOSSES["squared_hinge"], 2.0)
    one = objective_of(X, y, weights, loss).at(w)
    other = objective_of(X, y, weights, loss, sizes=sizes, layout=layout).at(w)
    assert other.value == pytest.approx(one.value, rel=1e-13)
    np.testing.assert_allclose(other.gradient, one.gradient, atol=1e-13)
    np.testing.assert_allclose(other.hessp(w)[0], one.hessp(w)[0], atol=1e-12)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("push", [1.0, 4.0])
@pytest.mark.parametrize("loss", [*LOSSES, "softplus"])
def test_minimum_is_that_in_memory(loss, push, wide, monkeypatch):
    if wide:
        monkeypatch.setattr(objective, "MAX_HESSIAN_FEATURES", 0)
    X, y, weights = problem(3000)
    known = LOSSES.get(loss) or SMOOTH[loss]
    tol = 1e-5 if known.kinked else 1e-8
    rounds = BlockRounds.of(X, y, weights, (700, 30))
    class_weight = np.array([weights[y == 0].sum(), weights[y == 1].sum()])
    rows = PartitionedRows(rounds, np.bincount(y[weights > 0.0]), class_weight, 5)
    problem_1 = rows.problem(1.0)
    found = problem_1.solve(push_loss(known, push), Penalty(0.01), Limits(tol, 100))
    exact = AUCClassifier(known, l2=0.01, push=push, tol=tol).fit(X, y, weights)
    assert found.converged
    assert found.objective == pytest.approx(exact.objective_, rel=2e-5 if known.kinked else 1e-9)
    coef = problem_1.products.coef(found.w)
    np.testing.assert_allclose(
        coef, exact.coef_[0], atol=(0.01 if known.kinked else 1e-6) * np.abs(coef).max()
    )


def test_a_sample_of_the_rows_is_the_same_in_any_cut():
    X, y, weights = problem(3000)
    samples = []
    for sizes in ((3000,), (700, 30)):
        rounds = BlockRounds.of(X, y, weights, sizes)
        rows = PartitionedRows(rounds, np.bincount(y[weights > 0.0]), np.ones(2), 5)
        samples.append(rows.sample)
        assert rounds.n_rounds == 1
    for one, other in zip(*samples, strict=True):
        np.testing.assert_array_equal(one, other)
    n_pos = np.sum(samples[0][1] > 0)
    assert 300 < n_pos < 450
    assert 300 < len(samples[0][1]) - n_pos < 450
