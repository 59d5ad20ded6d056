"""OnlineAUCClassifier against its definition, and on streams with outliers, drift and rare classes."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize

from aucmax.io import load_checkpoint, load_model, save_checkpoint, save_model
from aucmax.pairs.bernstein import pair_matrix
from aucmax.pairs.losses import Loss, get_loss
from aucmax.streaming.estimator import OnlineAUCClassifier
from aucmax.testing import CHECKS
from oracles.pairs import auc
from oracles.streaming import streaming


def stream(n_rows, n_features=6, seed=0, noise=1.0):
    """Dense rows with offsets and scales of all sizes, and the weights that made the labels."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_rows, n_features))
    w = rng.normal(size=n_features)
    y = (Z @ w + noise * rng.normal(size=n_rows) > 1.0).astype(int)
    return Z * np.logspace(-3, 3, n_features) + np.linspace(-50, 50, n_features), y, w


def definition(model, X, y, weights, **settings):
    length = 2 * model.score_range
    K = pair_matrix(get_loss(model.loss).value, model.degree, length)
    return streaming(X, y, K=K, length=length, eta=model.step_size, l2=model.l2, weights=weights, **settings)


def agree(actual, desired):
    np.testing.assert_allclose(actual, desired, rtol=0, atol=1e-10 * np.abs(desired).max())


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, marks=pytest.mark.python_mode),
        {"loss": "logistic", "degree": 7, "score_range": 1.0, "step_size": 2.0},
        pytest.param({"l2": 0.1, "half_life": 20.0}, marks=pytest.mark.python_mode),
        {"half_life": 1.0},
    ],
)
@pytest.mark.parametrize("center", ["auto", False])
def test_equals_the_definition(problem, layout, settings, center):
    X, y, weights = problem
    given = layout(X)
    model = OnlineAUCClassifier(center=center, **settings).partial_fit(given, y, sample_weight=weights)
    keep = 0.5 ** (1 / settings["half_life"]) if "half_life" in settings else 1.0
    centred = center == "auto" and not sparse.issparse(given)
    mean, threshold, last, decisions = definition(model, X, y, weights, keep=keep, center=centred)
    agree(model.coef_[0], mean)
    agree(model._solver.model.last(), last)
    assert model.intercept_[0] == pytest.approx(-threshold, abs=1e-10)
    faded = weights * keep ** np.arange(len(y))[::-1]
    bins = np.floor(1024 * (1 + decisions / (1 + np.abs(decisions))))
    assert model.auc_ == pytest.approx(auc(y, bins, faded), abs=1e-9)
    assert model.auc_ == pytest.approx(auc(y, decisions, faded), abs=4e-3)


@pytest.mark.parametrize("settings", [{}, {"l2": 0.01, "half_life": 300.0}])
def test_further_passes_equal_the_definition(layout, settings):
    X, y, _ = stream(200, n_features=30, noise=0.1)
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.3, (X - X.mean(axis=0)) / X.std(axis=0), 0.0)
    model = OnlineAUCClassifier(center=False, max_iter=4, shuffle=False, **settings).fit(layout(X), y)
    keep = 0.5 ** (1 / settings["half_life"]) if "half_life" in settings else 1.0
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    agree(model.coef_[0], definition(model, X, y, None, keep=keep, center=False, new=200)[0])
    every = definition(model, X, y, None, keep=keep, center=False)[0]
    assert np.abs(every - model.coef_[0]).max() > 1e-3 * np.abs(every).max()  # some rows took turns


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_behaviour_with_standardised_rows(check):
    check(OnlineAUCClassifier(random_state=0), np.asarray)


@pytest.mark.parametrize("check", [c for c in CHECKS if "agree" in c.__name__ or "pickle" in c.__name__])
def test_behaviour_with_penalty_and_half_life(check, layout):
    check(OnlineAUCClassifier(center=False, l2=0.01, half_life=50, random_state=0), layout)


def test_counts(problem):
    X, y, weights = problem
    model = OnlineAUCClassifier().partial_fit(X, y, sample_weight=weights * (weights > 1))
    kept = weights > 1
    assert model.n_seen_ == kept.sum()
    np.testing.assert_array_equal(model.class_count_, [(y[kept] < 0).sum(), (y[kept] > 0).sum()])
    assert not hasattr(OnlineAUCClassifier(), "auc_")


def test_auc_is_nan_until_both_classes_have_rows(problem):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(X[y < 0], y[y < 0], classes=[-1, 1])
    assert np.isnan(model.auc_)


def test_auc_counts_only_the_first_pass(problem):
    X, y, _ = problem
    once, often = (OnlineAUCClassifier(max_iter=k, shuffle=False).fit(X, y) for k in (1, 5))
    assert once.auc_ == often.auc_
    assert once.n_seen_ * 5 == often.n_seen_


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic", "squared", "exponential"])
def test_one_pass_comes_near_the_optimum(loss):
    X, y, w = stream(20_000)
    model = OnlineAUCClassifier(loss, random_state=0).fit(X[:10_000], y[:10_000])
    best = auc(y[10_000:12_000], (X @ (w / np.logspace(-3, 3, 6)))[10_000:12_000])
    assert model.score(X[10_000:12_000], y[10_000:12_000]) > best - 0.003
    assert model.auc_ == pytest.approx(best, abs=0.02)


@pytest.mark.parametrize("settings", [{}, {"l2": 0.1}])
def test_long_rows_equal_the_definition(settings):
    X, y, _ = stream(300)
    X = np.exp(2 * (X - X.mean(axis=0)) / X.std(axis=0))
    model = OnlineAUCClassifier(**settings).partial_fit(X, y)
    agree(model.coef_[0], definition(model, X, y, None)[0])


def test_long_rows_have_little_effect():
    X, y, _ = stream(20_000, n_features=20, seed=2)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    long = X.copy()
    long[500::1000] *= 1000
    clean, other = (OnlineAUCClassifier(shuffle=False).fit(rows, y).score(X, y) for rows in (X, long))
    assert other > clean - 0.03


def test_the_intercept_separates_the_classes():
    X, y, _ = stream(5000, noise=0.3)
    model = OnlineAUCClassifier(random_state=0).fit(X, y)
    recall = [np.mean(model.predict(X)[y == label] == label) for label in (0, 1)]
    assert min(recall) > 0.85


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale_of_a_column_hardly_matters(factor):
    X, y, _ = stream(2000)
    plain = OnlineAUCClassifier(shuffle=False).fit(X, y)
    scaled = X.copy()
    scaled[:, 2] *= factor
    other = OnlineAUCClassifier(shuffle=False).fit(scaled, y)
    np.testing.assert_allclose(other.coef_[0, 2] * factor, plain.coef_[0, 2], rtol=1e-6)
    assert other.score(scaled, y) == pytest.approx(plain.score(X, y), abs=1e-6)


def mixed_sizes(n_rows=4000, seed=0):
    """Rows of 0/1 columns and three others that are zero at times; all matter alike."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 40)) < 0.1).astype(float)
    X[:, :3] = rng.lognormal(size=(n_rows, 3)) * (rng.random((n_rows, 3)) < 0.7)
    y = (X @ rng.normal(size=40) + rng.logistic(size=n_rows) > 0.5).astype(int)
    return X, y


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("settings", [{}, {"half_life": 1000.0}])
def test_scale_of_a_sparse_column_hardly_matters(factor, settings):
    X, y = mixed_sizes()
    plain = OnlineAUCClassifier(shuffle=False, **settings).fit(sparse.csr_array(X), y)
    scaled = X.copy()
    scaled[:, 1] *= factor
    other = OnlineAUCClassifier(shuffle=False, **settings).fit(sparse.csr_array(scaled), y)
    assert other.score(sparse.csr_array(scaled), y) > plain.score(sparse.csr_array(X), y) - 0.01


@pytest.mark.parametrize("settings", [{}, {"half_life": 20.0, "l2": 0.1}, {"half_life": 1.0}])
def test_columns_of_another_size_equal_the_definition(layout, settings):
    X, y = mixed_sizes(300)
    X[:, :2] *= [1e6, 1e-6]
    X[150:, 3] *= 1e4  # its values grow in mid-stream
    X[200, 4] = 1e200
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = OnlineAUCClassifier(center=False, **settings).partial_fit(layout(X), y, sample_weight=weights)
    keep = 0.5 ** (1 / settings["half_life"]) if "half_life" in settings else 1.0
    mean, threshold, last, _ = definition(model, X, y, weights, keep=keep, center=False)
    np.testing.assert_allclose(model.coef_[0], mean, rtol=1e-9, atol=0)
    np.testing.assert_allclose(model._solver.model.last(), last, rtol=1e-9, atol=0)
    assert model.intercept_[0] == pytest.approx(-threshold, rel=1e-9)
    halves = OnlineAUCClassifier(center=False, **settings)
    for part in (slice(0, 101), slice(101, None)):
        halves.partial_fit(layout(X[part]), y[part], sample_weight=weights[part])
    np.testing.assert_array_equal(halves.coef_, model.coef_)


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


@pytest.mark.parametrize("size", [1e6, 1e150, 1e300])
def test_broken_rows_do_not_ruin_the_model(layout, size):
    X, y, _ = stream(6000)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    clean = OnlineAUCClassifier(shuffle=False).fit(layout(X), y).score(layout(X), y)
    broken = X.copy()
    broken[1000::2000] = size * np.where(np.arange(6) % 2, 1, -1)
    model = OnlineAUCClassifier(shuffle=False).fit(layout(broken), y)
    assert model.score(layout(X), y) > clean - 0.03


def test_sparse_rows_are_not_centred(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="center=False"):
        OnlineAUCClassifier(center=True).fit(sparse.csr_array(X), y)
    model = OnlineAUCClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="center=False"):
        model.partial_fit(sparse.csr_array(X), y)
    mixed = OnlineAUCClassifier().partial_fit(sparse.csr_array(X), y).partial_fit(X, y)
    pure = OnlineAUCClassifier(center=False).partial_fit(X, y).partial_fit(X, y)
    np.testing.assert_allclose(mixed.coef_, pure.coef_, rtol=1e-9)


def test_half_life_follows_a_change_of_labels():
    X, y, _ = stream(12_000)
    y[6000:] = 1 - y[6000:]
    scores = []
    for half_life in (None, 500):
        model = OnlineAUCClassifier(half_life=half_life).partial_fit(X[:9000], y[:9000])
        scores.append(model.score(X[9000:], y[9000:]))
    assert scores[1] > 0.9
    assert scores[1] > scores[0] + 0.03


def test_half_life_on_an_endless_stream(layout):
    """Numbers that grow are divided in time: the model stays finite and good."""
    X, y, _ = stream(2000)
    X = layout((X - X.mean(axis=0)) / X.std(axis=0))
    model = OnlineAUCClassifier(half_life=5, step_size=0.05)
    for _ in range(3):
        model.partial_fit(X, y)
    assert max(model._solver.state.average_weight, model._solver.state.forget_scale) <= 2.0**101
    assert model.score(X, y) > 0.8


def test_l2_shrinks_and_can_be_set_later(problem, layout):
    X, y, _ = problem
    norms = [
        np.linalg.norm(OnlineAUCClassifier(l2=l2, shuffle=False).fit(layout(X), y).coef_) for l2 in (0, 1, 10)
    ]
    assert norms[0] > 1.5 * norms[1] > 3 * norms[2]
    model = OnlineAUCClassifier().partial_fit(layout(X), y)
    model.set_params(l2=0.1).partial_fit(layout(X), y)
    assert np.isfinite(model.coef_).all()


def test_pickle_keeps_the_auc(problem):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.auc_ == model.auc_
    assert copy.n_seen_ == model.n_seen_


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "cubic"},
        {"degree": 0},
        {"degree": 2000},
        {"half_life": 0.5},
        {"center": "yes"},
        {"score_range": 0},
    ],
)
def test_parameters_are_checked(problem, settings):
    X, y, _ = problem
    with pytest.raises(ValueError, match=next(iter(settings))):
        OnlineAUCClassifier(**settings).fit(X, y)


def test_a_model_file_has_no_counts(problem, tmp_path):
    X, y, _ = problem
    model = OnlineAUCClassifier().partial_fit(X, y)
    save_model(model, tmp_path / "m.auc")
    save_checkpoint(model, tmp_path / "m.ckpt", 0)
    loaded, kept = load_model(tmp_path / "m.auc"), load_checkpoint(tmp_path / "m.ckpt").model
    for name in ("auc_", "n_seen_", "class_count_"):
        with pytest.raises(AttributeError, match=f"model file, .* no {name}; .*aucmax.io.load_checkpoint"):
            getattr(loaded, name)
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(OnlineAUCClassifier(), name)
        np.testing.assert_array_equal(getattr(kept, name), getattr(model, name))
    assert not hasattr(loaded, "auc_")
    assert loaded.fit(X, y).n_seen_ == len(y)


@pytest.mark.python_mode
def test_the_range_widens_with_the_scores(problem, layout):
    X, y, weights = problem
    model = OnlineAUCClassifier(score_range=0.2, center=False).partial_fit(
        layout(X), y, sample_weight=weights
    )
    state = model._solver.state
    assert state.pos_score - state.neg_score > 1.5 * 2 * model.score_range
    agree(model.coef_[0], definition(model, X, y, weights, center=False)[0])


def test_the_range_follows_the_scores_on_real_data(real):
    # Skin against other colours: beyond the range both look alike at its lower end.
    X, y = real("skin_nonskin")
    X = normalize(X.toarray())
    first = np.random.default_rng(0).permutation(len(y))[:100_000]
    assert OnlineAUCClassifier(random_state=0).fit(X[first], y[first]).score(X, y) > 0.985


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


def scaled_fit(factor, X, y):
    return OnlineAUCClassifier(Scaled(factor), max_iter=2, random_state=0).fit(X, y)


@pytest.mark.parametrize("factor", [1e-100, 1e-60, 1e-12, 1e12, 1e60, 1e100])
@pytest.mark.parametrize("n_positives", [3, 90])
def test_sparse_steps_at_any_scale_of_the_loss(factor, n_positives):
    X, y, _ = stream(400)
    X = sparse.csr_array(np.where(np.abs(X - X.mean(0)) > X.std(0), 1.0, 0.0))
    kept = np.concatenate([np.flatnonzero(y == 0)[:90], np.flatnonzero(y == 1)[:n_positives]])
    model = scaled_fit(factor, X[kept], y[kept])
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    if factor > 1.0:  # then the prior of uneven classes, which has a scale of its own, is nothing
        np.testing.assert_allclose(model.coef_, scaled_fit(1e30, X[kept], y[kept]).coef_, rtol=1e-6)


@pytest.mark.parametrize("half_life", [1.0, 20.0])
@pytest.mark.parametrize("gone", [0, 1])
def test_a_class_without_rows_for_a_thousand_half_lives(layout, half_life, gone):
    X, y, _ = stream(400)
    X = layout(np.where(np.abs(X - X.mean(0)) > X.std(0), 1.0, 0.0))
    model = OnlineAUCClassifier(half_life=half_life, center=False).partial_fit(X, y)
    rest = np.flatnonzero(y != gone)
    for _ in range(int(1100 * half_life / len(rest)) + 1):
        model.partial_fit(X[rest], y[rest])
    assert np.isfinite(model.coef_).all()
    model.partial_fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("weight", [1e-200, 1e200])
def test_equal_weights_of_any_size(problem, layout, weight):
    X, y, _ = problem
    plain = OnlineAUCClassifier().partial_fit(layout(X), y)
    other = OnlineAUCClassifier().partial_fit(layout(X), y, sample_weight=np.full(len(y), weight))
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-9)
    assert other.auc_ == pytest.approx(plain.auc_, abs=1e-9)


@pytest.mark.parametrize("score_range", [1e-6, 1e3])
def test_prequential_auc_does_not_depend_on_the_size_of_the_range(score_range):
    X, y, _ = stream(3000)
    usual, other = (OnlineAUCClassifier(score_range=r).partial_fit(X, y) for r in (4.0, score_range))
    assert other.auc_ == pytest.approx(usual.auc_, abs=0.02)


def test_a_loss_that_overflows_is_refused(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="no finite number at a margin of 2000; lower score_range"):
        OnlineAUCClassifier("exponential", score_range=1000.0).fit(X, y)
