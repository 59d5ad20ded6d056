"""The kernel against the method written out row by row, dense and CSR, however the stream is cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from aucmax.kernels.rows import as_rows
from aucmax.pairs.losses import get_loss
from aucmax.pairs.slopes import slope_pieces
from aucmax.stochastic.engine.loop import visiting_order
from aucmax.streaming.estimator import OnlineAUCClassifier
from oracles.streaming import StreamOracle

LAYOUTS = {"dense": np.asarray, "plain": np.asarray, "csr": sparse.csr_array}


def rows_and_labels(n_rows=300, seed=0):
    """Rows that drift a little, half of the values zero, three rows in ten positive, and their weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 12)) * (rng.random((n_rows, 12)) < 0.5)
    X[7] = 0.0
    X[:, 1] *= 100.0
    y = np.where(X[:, 2:] @ rng.normal(size=10) + rng.normal(size=n_rows) > 1.0, 1, -1)
    return X, y, rng.uniform(0.5, 3.0, size=n_rows)


def definition(model, center):
    slopes, at_zero = slope_pieces(get_loss(model.loss))
    keep = 1.0 if model.half_life is None else 0.5 ** (1 / model.half_life)
    return StreamOracle(
        slopes,
        at_zero,
        step_size=model.step_size,
        reservoir=model.reservoir,
        l2=model.l2,
        keep=keep,
        center=center,
    )


class AtEachStep(StreamOracle):
    """Shrinks all columns at each step, which takes O(columns)."""

    def shrink(self, at):
        super().shrink(np.full(len(at), True))


@pytest.mark.parametrize("half_life", [None, 300])
@pytest.mark.parametrize("l2", [0.01, 0.1, 1.0])
def test_penalty_of_rare_sparse_columns_is_about_that_of_all_steps(l2, half_life):
    """Columns that come always, often, rarely, and once."""
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 7)) < [1.0, 0.5, 0.1, 0.02, 0.005, 0.0, 0.0]) * rng.normal(size=(2000, 7))
    X[100, 5] = X[1000, 6] = 1.0
    y = np.where(X[:, :5].sum(axis=1) + rng.normal(size=2000) > 0.5, 1, -1)
    model = OnlineAUCClassifier(l2=l2, half_life=half_life, center=False)
    slopes, at_zero = slope_pieces(get_loss(model.loss))
    keep = 1.0 if half_life is None else 0.5 ** (1 / half_life)
    found = model.partial_fit(sparse.csr_array(X), y).coef_[0]
    exact = AtEachStep(slopes, at_zero, l2=l2, keep=keep, center=False).learn(X, y).coef()
    assert_allclose(found, exact, rtol=0, atol=0.1 * np.abs(exact).max())
    assert_allclose(found[:2], exact[:2], rtol=0.01)


def assert_equal_to_definition(model, oracle):
    scale = np.abs(oracle.coef()).max()
    assert_allclose(model.coef_[0], oracle.coef(), rtol=0, atol=1e-10 * scale)
    found = model._model("coef_")
    weights, _, factors = found.columns.linear(slice(None), found.state, found.classes)
    assert_allclose(weights * factors / found.state.norm, oracle.last(), rtol=0, atol=1e-10 * scale)
    assert_allclose(model.intercept_[0], oracle.intercept(), rtol=1e-9, atol=1e-10)
    rows = np.random.default_rng(5).normal(size=(20, len(oracle.coef()))) / (np.abs(model.coef_[0]) + scale)
    found = model.calibration_.probability(rows @ model.coef_[0] + model.intercept_[0])
    assert_allclose(found, oracle.probability(rows), rtol=1e-5, atol=1e-7)
    assert model.prequential_auc() == pytest.approx(oracle.auc(), abs=1e-10, nan_ok=True)
    assert model.auc_coverage_ == pytest.approx(min(oracle.close / max(oracle.expected, 1), 1), rel=1e-12)


SETTINGS = {
    "default": {},
    "small reservoir": {"reservoir": 10},
    "no replay": {"reservoir": 0},
    "logistic": {"loss": "logistic", "step_size": 2.0},
    "penalty": {"l2": 0.1},
    "half-life": {"half_life": 40.0, "l2": 0.05},
    "shortest half-life": {"half_life": 1.0},
}


@pytest.mark.python_mode
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_equals_the_definition(name, layout):
    X, y, weights = rows_and_labels()
    model = OnlineAUCClassifier(center=layout == "dense", **SETTINGS[name])
    model.partial_fit(LAYOUTS[layout](X), y, sample_weight=weights)
    assert_equal_to_definition(model, definition(model, layout == "dense").learn(X, y, weights))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["negatives first", "positives first", "blocks", "by a column"])
def test_equals_the_definition_in_any_order(layout, order):
    X, y, _ = rows_and_labels(500)
    key = {"negatives first": y, "positives first": -y, "by a column": X[:, 3]}.get(order)
    if key is None:
        key = np.arange(len(y)) // 100 * 2 + (y > 0)
    X, y = (part[np.argsort(key, kind="stable")] for part in (X, y))
    model = OnlineAUCClassifier(center=layout == "dense", reservoir=50)
    model.partial_fit(LAYOUTS[layout](X), y, classes=[-1, 1])
    assert_equal_to_definition(model, definition(model, layout == "dense").learn(X, y))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unusual_values_equal_the_definition(layout):
    X, y, _ = rows_and_labels()
    X[:, 0] *= 1e-6
    X[100, 3], X[150] = 1e100, 1e6
    model = OnlineAUCClassifier(center=layout == "dense").partial_fit(LAYOUTS[layout](X), y)
    assert_equal_to_definition(model, definition(model, layout == "dense").learn(X, y))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_later_passes_equal_the_definition(layout):
    X, y, _ = rows_and_labels()
    model = OnlineAUCClassifier(center=layout == "dense", max_iter=3, shuffle=False)
    model.fit(LAYOUTS[layout](X), y)
    oracle = definition(model, layout == "dense").learn(X, y)
    for _ in range(2):
        oracle.learn(X, y, new=False)
    assert_equal_to_definition(model, oracle)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shuffled_later_passes_equal_the_definition(layout):
    X, y, _ = rows_and_labels()
    model = OnlineAUCClassifier(center=layout == "dense", max_iter=3, random_state=0)
    model.fit(LAYOUTS[layout](X), y)
    oracle, rng = definition(model, layout == "dense"), np.random.RandomState(0)
    for k in range(3):
        order = visiting_order(as_rows(LAYOUTS[layout](X)), rng)
        oracle.learn(X[order], y[order], new=k == 0, again=k > 0)
    assert_equal_to_definition(model, oracle)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fewer_rows_than_are_held_back(layout):
    X, y, weights = rows_and_labels(40)
    model = OnlineAUCClassifier(center=layout == "dense")
    for k in range(0, 40, 8):
        model.partial_fit(LAYOUTS[layout](X[k : k + 8]), y[k : k + 8], [-1, 1], weights[k : k + 8])
    assert_equal_to_definition(model, definition(model, layout == "dense").learn(X, y, weights))
    assert model.n_seen_ == 40


@pytest.mark.parametrize("layout", LAYOUTS)
@given(cuts=st.lists(st.integers(0, 300), max_size=12), half_life=st.sampled_from([None, 30.0]))
@settings(max_examples=25, deadline=None)
def test_chunks_do_not_change_a_bit(layout, cuts, half_life):
    X, y, weights = rows_and_labels()
    given_rows, center = LAYOUTS[layout](X), layout == "dense"
    whole = OnlineAUCClassifier(center=center, half_life=half_life, reservoir=20, l2=0.01)
    whole.partial_fit(given_rows, y, sample_weight=weights)
    parts = OnlineAUCClassifier(center=center, half_life=half_life, reservoir=20, l2=0.01)
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), 300], strict=True):
        if start < stop:
            parts.partial_fit(given_rows[start:stop], y[start:stop], [-1, 1], weights[start:stop])
    assert_array_equal(parts.coef_, whole.coef_)
    assert_array_equal(parts.intercept_, whole.intercept_)
    assert_array_equal(parts.calibration_.log_odds, whole.calibration_.log_odds)
    assert_array_equal(parts._model("coef_").numbers, whole._model("coef_").numbers)
