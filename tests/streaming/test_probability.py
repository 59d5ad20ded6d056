"""Probabilities of a stream: calibrated on rows before they are learnt, in any order, at any share."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from aucmax.io import load_checkpoint, load_model, save_checkpoint, save_model
from aucmax.streaming.estimator import OnlineAUCClassifier


def made_rows(n, share, seed=0):
    """Rows whose true log-odds are linear in the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1.0, 100.0, 0.01, 1.0] + [5.0, 0.0, 3.0, -1.0]
    z = (X - [5.0, 0.0, 3.0, -1.0]) / [1.0, 100.0, 0.01, 1.0]
    odds = z @ [1.5, -1.0, 0.5, 0.0]
    odds += np.log(share / (1 - share)) - 0.5 * 3.5 * min(1.0, 4 * share * (1 - share) + 0.5) * (
        1 - 2 * share
    )
    truth = 1 / (1 + np.exp(-odds))
    return X, (rng.random(n) < truth).astype(int), truth


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_probabilities_are_near_the_true_ones(share, layout):
    X, y, truth = made_rows(20_000, share)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = OnlineAUCClassifier().partial_fit(layout(Z), y)
    found = model.predict_proba(layout(Z))[:, 1]
    assert found.mean() == pytest.approx(truth.mean(), rel=0.1)
    best, guess = log_loss(y, truth), log_loss(y, np.full(len(y), y.mean()))
    assert log_loss(y, found) < best + 0.05 * (guess - best)


def test_probabilities_rank_as_the_decision_function():
    X, y, _ = made_rows(2000, 0.1)
    model = OnlineAUCClassifier().partial_fit(X, y)
    order = np.argsort(model.decision_function(X))
    assert np.all(np.diff(model.predict_proba(X)[order, 1]) >= 0)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > 0.5)


@pytest.mark.parametrize("order", ["negatives first", "positives first", "blocks"])
def test_a_sorted_stream_keeps_the_share_of_positives(order):
    X, y, _ = made_rows(6000, 0.2)
    key = {"negatives first": y, "positives first": -y, "blocks": np.arange(len(y)) // 500 * 2 + y}[order]
    X, y = (part[np.argsort(key, kind="stable")] for part in (X, y))
    model = OnlineAUCClassifier().partial_fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.1)


def test_weights_count_as_repeated_rows():
    X, y, _ = made_rows(10_000, 0.3)
    weighted = OnlineAUCClassifier().partial_fit(X, y, sample_weight=np.where(y == 1, 4.0, 1.0))
    share = 4 * y.sum() / (4 * y.sum() + (1 - y).sum())
    mean = np.average(weighted.predict_proba(X)[:, 1], weights=np.where(y == 1, 4.0, 1.0))
    assert mean == pytest.approx(share, abs=0.03)


def test_later_passes_do_not_make_the_probabilities_overconfident():
    X, y, _ = made_rows(300, 0.3)
    model = OnlineAUCClassifier(max_iter=50, random_state=0).fit(X, y)
    new, y_new, truth = made_rows(5000, 0.3, seed=1)
    assert log_loss(y_new, model.predict_proba(new)) < 1.1 * log_loss(y_new, truth)


def test_probabilities_forget_with_the_half_life():
    X, y, _ = made_rows(20_000, 0.5)
    rare = np.flatnonzero((y == 0) | (np.random.default_rng(3).random(len(y)) < 0.02))
    X, y = np.concatenate([X, X[rare]]), np.concatenate([y, y[rare]])
    model = OnlineAUCClassifier(half_life=1000).partial_fit(X, y)
    lasting = OnlineAUCClassifier().partial_fit(X, y)
    now = y[-5000:].mean()
    recent = model.predict_proba(X[-5000:])[:, 1].mean()
    assert abs(recent - now) < 0.03 < abs(lasting.predict_proba(X[-5000:])[:, 1].mean() - now)


def test_files_keep_the_probabilities(tmp_path):
    X, y, _ = made_rows(1000, 0.3)
    model = OnlineAUCClassifier(random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.auc")
    np.testing.assert_array_equal(load_model(tmp_path / "model.auc").predict_proba(X), model.predict_proba(X))
    part = OnlineAUCClassifier().partial_fit(X[:500], y[:500])
    save_checkpoint(part, tmp_path / "part.ckpt")
    again = load_checkpoint(tmp_path / "part.ckpt").model.partial_fit(X[500:], y[500:])
    expected = part.partial_fit(X[500:], y[500:]).predict_proba(X)
    np.testing.assert_array_equal(again.predict_proba(X), expected)


def test_before_both_classes_came_the_share_is_all_there_is():
    X, _, _ = made_rows(100, 0.3)
    model = OnlineAUCClassifier().partial_fit(X, np.zeros(100), classes=[0, 1])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 0.5 / 101, atol=1e-3)
