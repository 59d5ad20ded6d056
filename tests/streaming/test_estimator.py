"""What OnlineAUCClassifier promises: rows in any order, broken rows, drift, weights, files, errors."""

import copy
import pickle
import signal

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize

from aucmax.io import load_checkpoint, load_model, save_checkpoint, save_model
from aucmax.pairs.losses import Loss
from aucmax.streaming.estimator import OnlineAUCClassifier
from aucmax.streaming.model import Stream
from aucmax.testing import CHECKS
from oracles.pairs import auc


def stream(n_rows, n_features=6, seed=0, noise=1.0):
    """Dense rows with offsets and scales of all sizes, and the weights that made the labels."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_rows, n_features))
    w = rng.normal(size=n_features)
    y = (Z @ w + noise * rng.normal(size=n_rows) > 1.0).astype(int)
    return Z * np.logspace(-3, 3, n_features) + np.linspace(-50, 50, n_features), y, w


def standard_stream(n_rows, **settings):
    X, y, _ = stream(n_rows, **settings)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


# With center=False, which is also what "auto" means for CSR rows, tests/test_testing.py runs all checks.
@pytest.mark.parametrize("check", [c for c in CHECKS if c.__name__ != "layouts_agree"])
def test_behaviour_of_standardised_columns(check):
    check(OnlineAUCClassifier(random_state=0), np.asarray)


@pytest.mark.parametrize("check", [c for c in CHECKS if "agree" in c.__name__ or "pickle" in c.__name__])
def test_behaviour_with_penalty_and_half_life(check, layout):
    check(OnlineAUCClassifier(center=False, l2=0.01, half_life=50, random_state=0), layout)


# The order of the rows


def orders(X, y):
    """Orders that harm methods which learn from each row as it comes."""
    rng = np.random.default_rng(1)
    neg, pos = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    half = len(neg) // 2
    yield "half of the negatives first", np.concatenate([neg[:half], rng.permutation([*neg[half:], *pos])])
    yield "negatives first", np.concatenate([neg, pos])
    yield "positives first", np.concatenate([pos, neg])
    yield "blocks", np.lexsort((y, np.arange(len(y)) // 1000))
    yield "by a column", np.argsort(X[:, 0], kind="stable")


def test_the_order_of_the_rows_hardly_matters(layout):
    X, y = standard_stream(10_000)
    fit = OnlineAUCClassifier(shuffle=False).fit
    mixed = fit(layout(X), y).score(layout(X), y)
    for name, order in orders(X, y):
        model = OnlineAUCClassifier().partial_fit(layout(X[order]), y[order], classes=[0, 1])
        assert model.score(layout(X), y) > mixed - 0.01, name


def test_without_replay_a_sorted_stream_is_not_learnt(layout):
    X, y = standard_stream(4000)
    order = np.argsort(y, kind="stable")
    with_replay, without = (
        OnlineAUCClassifier(reservoir=size).partial_fit(layout(X[order]), y[order]).score(layout(X), y)
        for size in (1000, 0)
    )
    assert with_replay > without + 0.02


def test_prequential_auc_does_not_count_classes_that_come_apart(layout):
    X, y = standard_stream(4000)
    mixed = OnlineAUCClassifier().partial_fit(layout(X), y)
    assert mixed.auc_ == pytest.approx(mixed.score(layout(X), y), abs=0.02)
    assert mixed.auc_coverage_ > 0.95
    order = np.argsort(y, kind="stable")
    apart = OnlineAUCClassifier().partial_fit(layout(X[order]), y[order])
    assert apart.auc_coverage_ < 0.1
    with pytest.warns(UserWarning, match="of the two classes came close only 0% as often as in a mixed"):
        assert np.isnan(apart.auc_) or apart.auc_ < 0.99


@pytest.mark.parametrize("trend", [-15.0, 0.0, 15.0])
def test_a_column_that_grows_with_time_does_not_raise_the_prequential_auc(trend):
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.01
    X = rng.normal(size=(len(y), 6))
    X[:, 0] += 0.6 * y  # the best AUC is 0.66
    X[:, 1] += trend * np.arange(len(y)) / len(y)
    model = OnlineAUCClassifier().partial_fit(X, y)
    assert 0.60 < model.auc_ < 0.67
    assert model.auc_coverage_ > 0.9


def test_prequential_auc_of_a_rare_class():
    X, y = standard_stream(20_000, noise=0.5)
    kept = np.flatnonzero((y == 0) | (np.arange(len(y)) % 50 == 0))
    model = OnlineAUCClassifier().partial_fit(X[kept], y[kept])
    assert y[kept].mean() < 0.02
    assert model.auc_ == pytest.approx(model.score(X[kept], y[kept]), abs=0.03)


# Broken rows, scales


@pytest.mark.parametrize("size", [1e6, 1e300, 5e-324])
@pytest.mark.parametrize("place", [0, 1, 10, 1000])
def test_a_broken_row_does_little_harm(layout, size, place):
    X, y = standard_stream(6000)
    clean = OnlineAUCClassifier(shuffle=False).fit(layout(X), y).score(layout(X), y)
    broken = X.copy()
    broken[place] = size * np.where(np.arange(6) % 2, 1, -1)
    model = OnlineAUCClassifier(shuffle=False).fit(layout(broken), y)
    assert model.score(layout(X), y) > clean - 0.003


@pytest.mark.parametrize("size", [1e6, 1e150, 1e300])
def test_several_broken_rows_do_not_ruin_the_model(layout, size):
    X, y = standard_stream(6000)
    clean = OnlineAUCClassifier(shuffle=False).fit(layout(X), y).score(layout(X), y)
    broken = X.copy()
    broken[1000::2000] = size * np.where(np.arange(6) % 2, 1, -1)
    model = OnlineAUCClassifier(shuffle=False).fit(layout(broken), y)
    assert model.score(layout(X), y) > clean - 0.01


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic", "squared", "exponential"])
def test_one_pass_comes_near_the_optimum(loss):
    X, y, w = stream(20_000)
    model = OnlineAUCClassifier(loss, random_state=0).fit(X[:10_000], y[:10_000])
    best = auc(y[10_000:12_000], (X @ (w / np.logspace(-3, 3, 6)))[10_000:12_000])
    assert model.score(X[10_000:12_000], y[10_000:12_000]) > best - 0.003
    assert model.auc_ == pytest.approx(best, abs=0.02)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale_of_a_column_hardly_matters(factor):
    X, y, _ = stream(2000)
    plain = OnlineAUCClassifier(shuffle=False).fit(X, y)
    scaled = X.copy()
    scaled[:, 2] *= factor
    other = OnlineAUCClassifier(shuffle=False).fit(scaled, y)
    np.testing.assert_allclose(other.coef_[0, 2] * factor, plain.coef_[0, 2], rtol=1e-6)
    assert other.score(scaled, y) == pytest.approx(plain.score(X, y), abs=1e-6)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("half_life", [None, 1000.0])
def test_scale_of_a_sparse_column_hardly_matters(factor, half_life):
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 40)) < 0.1).astype(float)
    X[:, :3] = rng.lognormal(size=(4000, 3)) * (rng.random((4000, 3)) < 0.7)
    y = (X @ rng.normal(size=40) + rng.logistic(size=4000) > 0.5).astype(int)
    scaled = X.copy()
    scaled[:, 1] *= factor
    plain, other = (
        OnlineAUCClassifier(shuffle=False, half_life=half_life)
        .fit(sparse.csr_array(rows), y)
        .score(sparse.csr_array(rows), y)
        for rows in (X, scaled)
    )
    assert other > plain - 0.015


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e200, 1e300])
def test_rows_of_any_size_give_the_same_model(layout, factor):
    X, y = standard_stream(1000)
    plain = OnlineAUCClassifier(center=False).partial_fit(layout(X), y)
    other = OnlineAUCClassifier(center=False).partial_fit(layout(factor * X), y)
    assert np.isfinite(other.coef_).all()
    assert auc(y, X @ other.coef_[0] * factor) > auc(y, X @ plain.coef_[0]) - 0.2


def test_constant_and_late_columns():
    X, y, _ = stream(4000)
    constant = np.column_stack([X, np.full(len(y), 7.0)])
    model = OnlineAUCClassifier(shuffle=False).fit(constant, y)
    assert model.coef_[0, -1] == 0.0
    late = np.column_stack([X, np.zeros(len(y))])
    late[2000:, -1] = y[2000:] + np.random.default_rng(0).normal(size=2000)
    learnt = OnlineAUCClassifier(shuffle=False).fit(late, y)
    assert learnt.coef_[0, -1] > 0
    assert learnt.score(late[2000:], y[2000:]) > model.score(constant[2000:], y[2000:]) + 0.01


def test_sparse_rows_are_not_centred(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="center=False"):
        OnlineAUCClassifier(center=True).fit(sparse.csr_array(X), y)
    model = OnlineAUCClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="center=False"):
        model.partial_fit(sparse.csr_array(X), y)
    mixed = OnlineAUCClassifier().partial_fit(sparse.csr_array(X), y).partial_fit(X, y)
    pure = OnlineAUCClassifier(center=False).partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(mixed.coef_, pure.coef_)


# Drift


@pytest.mark.parametrize("reservoir", [4096, 100])
def test_half_life_follows_a_turn(layout, reservoir):
    """Recent scores and kept rows must not hold the model back."""
    X, y = standard_stream(12_000)
    y[6000:] = 1 - y[6000:]
    scores = []
    for half_life in (None, 500):
        model = OnlineAUCClassifier(half_life=half_life, reservoir=reservoir)
        model.partial_fit(layout(X[:9000]), y[:9000])
        scores.append(model.score(layout(X[9000:]), y[9000:]))
    assert scores[1] > 0.9
    assert scores[1] > scores[0] + 0.03


def test_half_life_goes_on_without_end(layout):
    X, y = standard_stream(2000)
    model = OnlineAUCClassifier(half_life=5, step_size=0.05)
    for _ in range(3):
        model.partial_fit(layout(X), y)
    state = model._model("coef_").state
    assert max(state.weight_unit, state.average_weight) <= 2.0**101
    assert model.score(layout(X), y) > 0.8


@pytest.mark.parametrize("half_life", [1.0, 20.0])
@pytest.mark.parametrize("gone", [0, 1])
def test_a_class_that_stays_away_for_a_thousand_half_lives(layout, half_life, gone):
    X, y = standard_stream(400)
    X = layout(np.where(np.abs(X) > 1.0, 1.0, 0.0))
    model = OnlineAUCClassifier(half_life=half_life, center=False).partial_fit(X, y)
    rest = np.flatnonzero(y != gone)
    for _ in range(int(1100 * half_life / len(rest)) + 1):
        model.partial_fit(X[rest], y[rest])
    assert np.isfinite(model.coef_).all()
    model.partial_fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("half_life", [None, 300])
@pytest.mark.parametrize("n_broken", [1, 10, 40])
def test_broken_values_of_a_sparse_column_are_forgotten(n_broken, half_life):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = (X[:, 0] + rng.normal(size=6000) > 0).astype(int)
    model, broken = OnlineAUCClassifier(center=False, half_life=half_life), X[:4000].copy()
    broken[1000 : 1000 + n_broken, 0] *= 1e6
    clean = clone(model).partial_fit(X[:4000], y[:4000]).score(X[4000:], y[4000:])
    assert model.partial_fit(broken, y[:4000]).score(X[4000:], y[4000:]) > clean - 0.01


def test_read_only_arrays_are_copied(tmp_path, problem, layout):
    """As joblib hands them to its workers."""
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(layout(X), y)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    again = mapped.partial_fit(layout(X), y).coef_
    np.testing.assert_array_equal(again, model.partial_fit(layout(X), y).coef_)


# Parameters and weights


def test_l2_shrinks_and_may_come_late(problem, layout):
    X, y, _ = problem
    norms = [
        np.linalg.norm(OnlineAUCClassifier(l2=l2, shuffle=False).fit(layout(X), y).coef_) for l2 in (0, 1, 10)
    ]
    assert norms[0] > 1.5 * norms[1] > 3 * norms[2]
    model = OnlineAUCClassifier().partial_fit(layout(X), y)
    model.set_params(l2=0.1).partial_fit(layout(X), y)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("weight", [1e-310, 1e-200, 1e200, 1e306])
def test_equal_weights_of_any_size(problem, layout, weight):
    X, y, _ = problem
    plain = OnlineAUCClassifier().partial_fit(layout(X), y)
    other = OnlineAUCClassifier().partial_fit(layout(X), y, sample_weight=np.full(len(y), weight))
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-9)
    assert other.auc_ == pytest.approx(plain.auc_, abs=1e-9)


def test_weights_of_a_class_do_not_matter_but_those_within_it_do(problem):
    X, y, _ = problem
    plain = OnlineAUCClassifier().partial_fit(X, y)
    by_class = OnlineAUCClassifier().partial_fit(X, y, sample_weight=np.where(y > 0, 7.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, plain.coef_, rtol=1e-9)
    heavy = np.where(X[:, 0] > 0, 5.0, 1.0)
    within = OnlineAUCClassifier().partial_fit(X, y, sample_weight=heavy)
    assert np.abs(within.coef_ - plain.coef_).max() > 1e-3


class Scaled(Loss):
    """The logistic loss times a factor, which changes neither the minimiser nor adaptive steps."""

    def __init__(self, factor):
        self.factor = factor

    def value(self, margin):
        return self.factor * np.logaddexp(0.0, -margin)

    def derivative(self, margin):
        return -self.factor / (1.0 + np.exp(margin))

    def second(self, margin):
        return self.factor * 0.25 / np.cosh(0.5 * margin) ** 2


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_own_losses_of_any_scale(problem, layout, factor):
    X, y, _ = problem
    plain, other = (
        OnlineAUCClassifier(loss).partial_fit(layout(X), y).coef_ for loss in ("logistic", Scaled(factor))
    )
    np.testing.assert_allclose(other, plain, rtol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "cubic"},
        {"reservoir": -1},
        {"reservoir": 1.5},
        {"reservoir": False},
        {"half_life": 0.5},
        {"center": "yes"},
        {"step_size": 1e7},
    ],
)
def test_parameters_are_checked(problem, settings):
    X, y, _ = problem
    with pytest.raises(ValueError, match=next(iter(settings))):
        OnlineAUCClassifier(**settings).fit(X, y)


def test_the_largest_step_size_gives_a_finite_model(problem, layout):
    X, y, _ = problem
    model = OnlineAUCClassifier(step_size=1e6, max_iter=20, random_state=0).fit(layout(1e3 * X), y)
    assert np.isfinite(model.coef_).all()


# Attributes, files, errors


def test_counts(problem):
    X, y, weights = problem
    model = OnlineAUCClassifier().partial_fit(X, y, sample_weight=weights * (weights > 1))
    kept = weights > 1
    assert model.n_seen_ == kept.sum()
    np.testing.assert_array_equal(model.class_count_, [(y[kept] < 0).sum(), (y[kept] > 0).sum()])
    for name in ("auc_", "coef_", "intercept_"):
        assert not hasattr(OnlineAUCClassifier(), name)


def test_rows_of_weight_zero_only(problem, layout):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(layout(X), y, sample_weight=np.zeros(len(y)))
    assert model.n_seen_ == 0
    assert not model.coef_.any()
    model.partial_fit(layout(X), y)
    np.testing.assert_array_equal(model.coef_, OnlineAUCClassifier().partial_fit(layout(X), y).coef_)


def test_auc_counts_rows_when_they_are_new(problem):
    X, y, _ = problem
    once, often = (OnlineAUCClassifier(max_iter=k, shuffle=False).fit(X, y) for k in (1, 5))
    assert once.auc_ == often.auc_
    assert once.n_seen_ * 5 == often.n_seen_


def test_the_intercept_splits_the_classes():
    X, y, _ = stream(5000, noise=0.3)
    model = OnlineAUCClassifier(random_state=0).fit(X, y)
    recall = [np.mean(model.predict(X)[y == label] == label) for label in (0, 1)]
    assert min(recall) > 0.85


def assert_same_model(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.n_seen_ == other.n_seen_
    assert one.auc_ == other.auc_


@pytest.mark.parametrize("cut", [20, 150])
@pytest.mark.parametrize("center", ["auto", False])
def test_copies_pickles_and_checkpoints_go_on_to_the_same_bits(problem, layout, tmp_path, cut, center):
    X, y, weights = problem
    model = OnlineAUCClassifier(center=center, half_life=100, l2=0.01)
    model.partial_fit(layout(X[:cut]), y[:cut], [-1, 1], weights[:cut])
    save_checkpoint(model, tmp_path / "m.ckpt", 0)
    others = [pickle.loads(pickle.dumps(model)), copy.copy(model), load_checkpoint(tmp_path / "m.ckpt").model]
    for each in (model, *others):
        each.partial_fit(layout(X[cut:]), y[cut:], sample_weight=weights[cut:])
    for other in others:
        assert_same_model(other, model)


def test_a_model_file_has_no_counts(problem, tmp_path):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(X, y)
    save_model(model, tmp_path / "m.auc")
    loaded = load_model(tmp_path / "m.auc")
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    for name in ("auc_", "auc_coverage_", "n_seen_", "class_count_"):
        with pytest.raises(AttributeError, match=f"model file, .* no {name}; .*aucmax.io.load_checkpoint"):
            getattr(loaded, name)
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(OnlineAUCClassifier(), name)
    assert not hasattr(loaded, "auc_")
    assert loaded.fit(X, y).n_seen_ == len(y)


@pytest.mark.parametrize("cut", [20, 150])
def test_errors_leave_the_model_as_it_was(problem, layout, cut):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(layout(X[:cut]), y[:cut], [-1, 1])
    other = copy.deepcopy(model)
    bad = X.copy()
    bad[-1, 0] = np.nan
    with pytest.raises(ValueError, match="NaN|not finite|nan"):
        model.partial_fit(layout(bad), y)
    with pytest.raises(ValueError, match="class"):
        model.partial_fit(layout(X), np.where(y > 0, 3, y))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(layout(X[:, :5]), y)
    for each in (model, other):
        each.partial_fit(layout(X[cut:]), y[cut:])
    assert_same_model(model, other)


def test_an_interrupt_waits_until_the_chunk_is_learnt(problem, monkeypatch):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(X[:100], y[:100])
    other = copy.deepcopy(model)
    learn = Stream.learn

    def interrupted(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        return learn(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Stream, "learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[100:], y[100:])
    assert_same_model(model, other.partial_fit(X[100:], y[100:]))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_scores_do_not_run_away(real):
    X, y = real("skin_nonskin")
    X = normalize(X.toarray())
    first = np.random.default_rng(0).permutation(len(y))[:100_000]
    assert OnlineAUCClassifier(random_state=0).fit(X[first], y[first]).score(X, y) > 0.985


def test_rows_that_came_before_the_other_class_are_made_up_for():
    """One class after the other: the first makes as many steps as the second has rows."""
    X, y, _ = stream(600)
    order = np.argsort(y, kind="stable")
    neg, pos = OnlineAUCClassifier().partial_fit(X[order], y[order])._model("coef_").classes
    assert neg.steps == pytest.approx(pos.rows, rel=0.1)
    assert pos.steps == pytest.approx(pos.rows, rel=0.1)


def test_a_stream_that_is_not_mixed_is_replayed_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6))
    y = (X[:, 0] - X[:, 1] + X[:, 2]) * np.where(X[:, 5] > 0, 1.0, -0.5) + rng.normal(size=4000) > 0
    steps = {}
    for name, order in (("mixed", np.arange(4000)), ("sorted", np.argsort(X[:, 5]))):
        for passes in (1, 3):
            model = OnlineAUCClassifier(shuffle=False, max_iter=passes).fit(X[order], y[order])
            classes = model._model("coef_").classes
            steps[name, passes] = classes.steps.sum() / classes.rows.sum()
    assert 1.0 < steps["mixed", 1] < 1.4
    assert steps["sorted", 1] > 1.6
    assert steps["sorted", 3] > 1.5


def test_replaying_a_broken_row_does_not_shrink_its_columns_further():
    losses = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        dense = (rng.random((2000, 30)) < 0.3).astype(float)
        y = (dense @ rng.normal(size=30) > 1.5).astype(int)
        X = sparse.csr_array(dense)
        broken = X.copy()
        row = 10 + int(np.argmax(y[10:] == (y.mean() < 0.5)))  # of the rarer class, which is replayed often
        broken.data[broken.indptr[row] : broken.indptr[row + 1]] = 1e300
        clean, model = (OnlineAUCClassifier().partial_fit(rows, y) for rows in (X, broken))
        losses.append(clean.score(X, y) - model.score(X, y))
        scales = model._model("coef_").columns.table[:, 3]
        assert scales.min() == 0.5 * scales.max()
    assert np.mean(losses) < 0.003


def test_no_sparse_column_lies_across_two_cache_lines():
    X, y, _ = stream(100)
    model = OnlineAUCClassifier().partial_fit(sparse.csr_array(X), y)
    assert model._model("coef_").columns.table.ctypes.data % 64 == 0


def test_later_passes_neither_keep_nor_replay_rows_of_a_mixed_stream(layout):
    X, y = standard_stream(3000)
    X = layout(X[:1000])
    once, often = (
        OnlineAUCClassifier(max_iter=k, random_state=0).fit(X, y[:1000])._model("coef_") for k in (1, 4)
    )
    np.testing.assert_array_equal(often.reservoir.places, once.reservoir.places)
    np.testing.assert_array_equal(often.reservoir.weights, once.reservoir.weights)
    assert often.classes.steps.sum() - once.classes.steps.sum() == pytest.approx(3000, rel=0.01)


def test_a_column_that_is_constant_but_for_rounding_is_like_one_of_zeros():
    rng = np.random.default_rng(0)
    y = (rng.random(5000) < 0.3).astype(int)
    rare = (rng.random((5000, 8)) < np.where(y, 0.02, 0.005)[:, None]).astype(float)
    X = np.column_stack([rare, rng.normal(size=5000) + 0.3 * y])
    plain = OnlineAUCClassifier().partial_fit(X, y)
    shifted = OnlineAUCClassifier().partial_fit((X - 0.1) / 0.07, y)
    np.testing.assert_allclose(
        shifted.decision_function((X - 0.1) / 0.07), plain.decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize(("scale", "said"), [(1e160, "large .*divide"), (1e-200, "small .*multiply")])
def test_numbers_that_cannot_be_squared_are_warned_of(scale, said):
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    for method in ("fit", "partial_fit"):
        with pytest.warns(UserWarning, match=f"all numbers of X are too {said} them by a constant"):
            getattr(OnlineAUCClassifier(), method)(scale * X, y)
    OnlineAUCClassifier().partial_fit(0 * X, y)
