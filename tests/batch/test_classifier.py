"""AUCClassifier as a user meets it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score

from aucmax.batch import closed_form
from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV
from aucmax.pairs.losses import LOSSES
from batch.problems import ranked


@pytest.mark.parametrize("loss", LOSSES)
def test_integer_weights_equal_repeated_rows(layout, loss):
    X, y, weights = ranked()
    times = weights.astype(int)
    weighted = AUCClassifier(loss, l2=0.05).fit(layout(X), y, sample_weight=weights)
    repeated = AUCClassifier(loss, l2=0.05).fit(layout(np.repeat(X, times, axis=0)), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_dense_and_csr_and_float32_agree(loss):
    from scipy import sparse

    X, y, _ = ranked()
    X = np.round(X * 8) / 8  # exact in float32
    one = AUCClassifier(loss, standardize=False, tol=1e-6).fit(X, y)
    for other in (sparse.csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        model = AUCClassifier(loss, standardize=False, tol=1e-6).fit(other, y)
        np.testing.assert_allclose(model.coef_, one.coef_, rtol=1e-6)


def test_intercept_has_the_best_balanced_accuracy():
    X, y, _ = ranked()
    model = AUCClassifier().fit(X, y)
    scores = X @ model.coef_[0]
    best = max(balanced_accuracy_score(y, np.where(scores > cut, 1, -1)) for cut in scores)
    assert balanced_accuracy_score(y, model.predict(X)) == pytest.approx(best)


def test_auto_l2_follows_the_scale_of_the_data():
    X, y, _ = ranked()
    model = AUCClassifier(standardize=False, tol=1e-8)
    one, thousand = clone(model).fit(X, y), clone(model).fit(1000.0 * X, y)
    np.testing.assert_allclose(thousand.l2_, 1e6 * one.l2_)
    np.testing.assert_allclose(1000.0 * thousand.coef_, one.coef_, rtol=1e-6)


def test_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 8))
    y = X[:, 0] + rng.normal(size=40_000) > 1.0
    one, two = (AUCClassifier(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_warm_start_continues_from_the_last_fit():
    X, y, _ = ranked()
    model = AUCClassifier(warm_start=True, tol=1e-6).fit(X, y)
    first = model.n_iter_
    before = model.coef_.copy()
    assert model.fit(X, y).n_iter_ <= 1 < first
    np.testing.assert_array_equal(model.coef_, before)
    model.fit(X[:, :3], y)  # other columns: from nothing
    assert model.coef_.shape == (1, 3)


def test_max_iter_warns_and_verbose_prints(capsys):
    X, y, _ = ranked()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        AUCClassifier("logistic", l2=1e-4, tol=1e-10, max_iter=1, verbose=1).fit(X, y)
    assert "[AUCClassifier] iteration 0: objective" in capsys.readouterr().out


def test_squared_loss_by_iterations(monkeypatch):
    X, y, weights = ranked()
    direct = AUCClassifier("squared", tol=1e-10).fit(X, y, weights)
    monkeypatch.setattr(closed_form, "MAX_FEATURES", 2)
    iterated = AUCClassifier("squared", tol=1e-10).fit(X, y, weights)
    np.testing.assert_allclose(iterated.coef_, direct.coef_, rtol=1e-6)
    assert iterated.objective_ == pytest.approx(direct.objective_, rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"loss": "zero_one"}, "loss"),
        ({"l2": -1.0}, "l2"),
        ({"l2": "much"}, "l2"),
        ({"l1": -0.1}, "l1"),
        ({"tol": 0.0}, "tol"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_parameters_are_named(parameters, name):
    X, y, _ = ranked()
    with pytest.raises(ValueError, match=name):
        AUCClassifier(**parameters).fit(X, y)


@pytest.mark.filterwarnings("ignore:.*columns are constant")
def test_constant_features_give_a_model_without_nan():
    model = AUCClassifier().fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert not model.coef_.any()
    assert model.score(np.ones((6, 2)), [0, 1, 0, 1, 0, 1]) == 0.5


def test_known_auc_on_real_data(real):
    X, y = real("svmguide1")
    assert AUCClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.97


def test_the_hinge_is_refused_without_l2():
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ValueError, match="l2 must be above 0 for loss='hinge'"):
        AUCClassifier("hinge", l2=0.0).fit(X, y)
    with pytest.raises(ValueError, match="l2 must be above 0 for loss='hinge'"):
        AUCClassifierCV("hinge", l2s=[0.0, 0.1]).fit(X, y)


def test_numbers_too_large_to_square(layout):
    X, y = np.ones((4, 2)), [0, 1, 0, 1]
    X[2:, 1] = 1e200
    with pytest.raises(ValueError, match="Column 1 of X has numbers too large to square"):
        AUCClassifier().fit(layout(X), y)


@pytest.mark.parametrize("scale", [1e-155, 1e-200])
def test_numbers_too_small_to_square(layout, scale):
    X, y = make_classification(60, 4, n_informative=3, n_redundant=0, random_state=0)
    expected = AUCClassifier().fit(X, y).score(X, y)
    assert AUCClassifier().fit(1e-140 * X, y).score(1e-140 * X, y) == pytest.approx(expected)
    X[:, 2] *= scale
    for model in (AUCClassifier(), AUCClassifierCV()):
        with pytest.raises(ValueError, match="Column 2 of X has numbers too small to square; multiply it by"):
            model.fit(layout(X), y)
