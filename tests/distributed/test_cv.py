"""DaskAUCClassifierCV against fits and held-out AUC of each fold in memory."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

import aucmax
from aucmax import AUCClassifier, metrics
from aucmax.batch.newton import Limits
from aucmax.calibration import fit_calibration
from aucmax.distributed import DaskAUCClassifierCV
from aucmax.distributed.folds import Folds, fold_numbers
from aucmax.distributed.problem import PartitionedRows
from aucmax.distributed.rounds import SharedRounds
from aucmax.distributed.row_sums import SignedRows
from aucmax.pairs.losses import get_loss
from aucmax.pairs.push import push_loss
from oracles.distributed import BlockRounds, problem, spread


def numbers(n_rows, n_folds):
    return fold_numbers(SignedRows(np.empty((n_rows, 0)), np.ones(n_rows), 0), n_folds)


def folds_of(X, y, weights, n_folds, sizes=(700, 30), layout=np.asarray):
    rounds = BlockRounds.of(X, y, weights, sizes, layout)
    class_weight = np.array([weights[y == 0].sum(), weights[y == 1].sum()])
    rows = PartitionedRows(rounds, np.bincount(y[weights > 0.0]), class_weight, X.shape[1])
    return rounds, Folds(rows, n_folds)


def test_folds_are_equal_shares_of_the_rows():
    count = np.bincount(numbers(100_000, 5))
    assert len(count) == 5
    assert np.abs(count - 20_000).max() < 4 * np.sqrt(20_000)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("loss", "push"), [("squared_hinge", 1.0), ("logistic", 2.0), ("squared", 1.0)])
def test_held_out_auc_is_that_of_models_in_memory(loss, push, layout):
    X, y, weights = problem(3000)
    rounds, folds = folds_of(X, y, weights, 3, layout=layout)
    pushed, l2s = push_loss(get_loss(loss), push), np.array([1.0, 0.01])
    problem_1 = folds.rows.problem(1.0)
    before = rounds.n_rounds
    found = folds.cross_validate(0.2, problem_1, pushed, l2s, Limits(1e-8, 100))
    assert rounds.n_rounds - before < 40
    number, signed = numbers(len(y), 3), []
    for k, l2 in enumerate(l2s):
        coefs = []
        for fold in range(3):
            train, test = number != fold, (number == fold) & (weights > 0.0)
            exact = AUCClassifier(loss, l2=l2, push=push, standardize=False, tol=1e-9)
            scaled = X / folds.rows.spread
            exact.fit(scaled[train], y[train], weights[train])
            score = exact.decision_function(scaled[test])
            known = metrics.partial_auc(y[test], score, 0.2, standardized=True, sample_weight=weights[test])
            assert found.scores[k, fold] == pytest.approx(known, abs=2e-4)
            coefs.append(exact.coef_[0])
            signed.append(np.where(y[test] == 1, weights[test], -weights[test]))
        np.testing.assert_allclose(found.coefs[k], np.mean(coefs, axis=0), atol=1e-5)
        np.testing.assert_allclose(found.variances[k], np.var(coefs, axis=0), atol=1e-6)
    weight = np.split(found.held_out[0], 2)[1]
    assert weight[weight > 0.0].sum() == pytest.approx(weights[y == 1].sum())
    assert -weight[weight < 0.0].sum() == pytest.approx(weights[y == 0].sum())


def test_probabilities_are_calibrated_on_held_out_rows():
    X, y, weights = problem(3000)
    _, folds = folds_of(X, y, weights, 3)
    problem_1, l2 = folds.rows.problem(1.0), np.array([0.1])
    found = folds.cross_validate(None, problem_1, get_loss("logistic"), l2, Limits(1e-8, 100))
    number, scores, signed = numbers(len(y), 3), [], []
    scaled = X / folds.rows.spread
    for fold in range(3):
        train, test = number != fold, number == fold
        exact = AUCClassifier("logistic", l2=0.1, standardize=False, tol=1e-9)
        coef = exact.fit(scaled[train], y[train], weights[train]).coef_[0]
        scores.append((scaled[test] - problem_1.moments.centre) @ coef)
        signed.append(np.where(y[test] == 1, weights[test], -weights[test]))
    known = fit_calibration(np.concatenate(scores), np.concatenate(signed))
    place = np.linspace(-3.0, 3.0, 50)
    calibrated = fit_calibration(*np.split(found.held_out[0], 2)).probability(place)
    np.testing.assert_allclose(calibrated, known.probability(place), atol=5e-3)


@pytest.mark.parametrize("settings", [{}, {"max_fpr": 0.2}, {"loss": "squared"}, {"one_se": True}])
def test_chosen_model_is_that_of_its_settings(settings):
    X, y, weights = problem(3000)
    model = DaskAUCClassifierCV(**settings, l2s=5, cv=3).fit(*spread(X, y, weights, chunks=900))
    exact = AUCClassifier(model.loss, l2=model.l2_, push=model.push_, tol=1e-8).fit(X, y, weights)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-8)
    assert model.scores_.shape == (len(model.l2s_), 3)
    assert model.l2_ in model.l2s_
    probability = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(probability > 0.5, model.predict(X) == 1)
    expected = np.average(y, weights=weights)
    assert np.average(probability, weights=weights) == pytest.approx(expected, abs=0.02)


def test_cut_into_partitions_changes_rounding_only():
    X, y, weights = problem(3000)
    models = [
        DaskAUCClassifierCV(l2s=4, cv=3).fit(*spread(X, y, weights, chunks=chunks)) for chunks in (3000, 411)
    ]
    assert models[0].l2_ == pytest.approx(models[1].l2_, rel=1e-12)
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-9)
    np.testing.assert_allclose(models[0].scores_, models[1].scores_, rtol=1e-9)


def test_scaling_of_sparse_columns_is_chosen():
    X, y, weights = problem(2000)
    rows, *rest = spread(X, y, weights, chunks=500)
    model = DaskAUCClassifierCV(l2s=3, cv=3).fit(rows.map_blocks(sparse.csr_matrix), *rest)
    assert model.standardize_ in (0.5, 0.75, 1.0)


def test_saved_model_gives_the_same_probabilities(tmp_path):
    X, y, _ = problem(1000)
    model = DaskAUCClassifierCV(l2s=3, cv=2, calibration="sigmoid").fit(*spread(X, y, chunks=400))
    aucmax.io.save_model(model, tmp_path / "model.auc")
    again = aucmax.io.load_model(tmp_path / "model.auc")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    logistic = model.to_sklearn(probabilities=True)
    np.testing.assert_allclose(logistic.predict_proba(X), model.predict_proba(X), rtol=1e-9)


def test_folds_of_one_class_are_refused():
    X, y, _ = problem()
    y[:] = 0
    y[:2] = 1
    with pytest.raises(ValueError, match="one of 5 folds, or the rest, has rows of one class only"):
        DaskAUCClassifierCV().fit(*spread(X, y))
    with pytest.raises(ValueError, match="DaskAUCClassifierCV: cv must be a whole number of at least 2"):
        DaskAUCClassifierCV(cv=1).fit(*spread(X, y))


class TestSharedRounds:
    def test_all_threads_share_rounds(self):
        rounds = BlockRounds([1.0, 2.0, 3.0])
        shared = SharedRounds(rounds)

        def ask(n):
            for _ in range(n):  # some end earlier than others
                state, total = shared.sum_twice(
                    lambda block: n * block, lambda total: total + 1.0, lambda block, state: block * state
                )
            return state, total, shared.sum(lambda block: block**2)

        found = shared.map(ask, [1, 2, 3])
        assert found == [(6 * n + 1.0, 6.0 * (6 * n + 1.0), 14.0) for n in (1, 2, 3)]
        assert rounds.n_rounds == 2 * 4  # two passes for each of four rounds

    def test_an_error_ends_all_threads(self):
        shared = SharedRounds(BlockRounds([1.0, 2.0]))

        def fail(block):
            raise ValueError("broken")

        n_threads = threading.active_count()
        with pytest.raises(ValueError, match="broken"):
            shared.map(lambda k: shared.sum(fail if k == 2 else lambda block: block), [1, 2, 3])
        assert threading.active_count() == n_threads

        def fail_in_a_thread(k):
            if k == 2:
                raise KeyError("of a thread")
            return shared.sum(lambda block: block)

        with pytest.raises(KeyError, match="of a thread"):
            shared.map(fail_in_a_thread, [1, 2, 3])

    def test_ctrl_c_while_threads_start_ends_all_of_them(self, monkeypatch):
        submit = ThreadPoolExecutor.submit

        def interrupted(pool, function, *args):
            submit(pool, function, *args)
            raise KeyboardInterrupt

        monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
        shared, n_threads = SharedRounds(BlockRounds([1.0])), threading.active_count()
        with pytest.raises(KeyboardInterrupt):
            shared.map(lambda k: shared.sum(lambda block: block), [1, 2])
        assert threading.active_count() == n_threads
