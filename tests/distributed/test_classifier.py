"""DaskAUCClassifier against all pairs one by one, on a real cluster, and when a worker is killed."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import aucmax
from aucmax import AUCClassifier
from aucmax.batch.threshold import balanced_threshold
from aucmax.distributed import DaskAUCClassifier, polynomial
from aucmax.distributed.classifier import _classes
from aucmax.distributed.partitions import Partitions
from aucmax.distributed.polynomial import Objective
from aucmax.losses import LOSSES, get_loss
from aucmax.pairsums import Classes
from distributed import Client, LocalCluster

# The same rows in other forms and cuts.
LAYOUTS = {
    "dense": lambda X: X,
    "csr": lambda X: X.map_blocks(sparse.csr_matrix),
    "columns": lambda X: X.rechunk((-1, 2)).rechunk((40, 2)),
    "float32": lambda X: X.astype(np.float32),
}


def problem(n_rows=200, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.7)
    y = (X @ rng.normal(size=n_features) + rng.normal(size=n_rows) > 0.8).astype(int)
    X = np.round(X + np.linspace(-1, 3, n_features), 3).astype(np.float32).astype(float)
    return X, y, rng.uniform(0.0, 2.0, n_rows) * (rng.random(n_rows) < 0.9)


def spread(X, y, *weights, chunks=40):
    return da.from_array(X, chunks=(chunks, -1)), *(
        da.from_array(part, chunks=chunks) for part in (y, *weights)
    )


def bernstein(loss, degree, length):
    """The polynomial of a loss, by the law of coins; beyond the range it is not asked."""
    heights = loss.value(length * (2 * np.arange(degree + 1) / degree - 1))
    return lambda margin: (
        binom.pmf(np.arange(degree + 1), degree, 0.5 + 0.5 * margin[..., None] / length) @ heights
    )


def objective(X, y, weights, loss, degree, l2, length):
    """Of validated partitions; and the middle of the classes."""
    labelled = Partitions.of(*spread(X, y, weights))
    classes, totals = _classes(labelled)
    centre = 0.5 * sum(np.average(X[y == k], axis=0, weights=weights[y == k]) for k in (0, 1))
    factors = dict(zip(classes.tolist(), [-1.0, 1.0] / totals, strict=True))
    return Objective(labelled.signed(factors), get_loss(loss), degree, l2, centre, length)


@pytest.mark.python_mode
@pytest.mark.parametrize("loss", LOSSES)
def test_value_is_the_mean_over_all_pairs(loss):
    X, y, weights = problem()
    w = np.random.default_rng(1).normal(size=X.shape[1]) * 0.3
    value = objective(X, y, weights, loss, 30, 0.1, 24.0).at(w).value
    score = X @ w
    pairs = bernstein(get_loss(loss), 30, 24.0)(score[y == 1][:, None] - score[y == 0])
    pairs = np.average(pairs, weights=np.outer(weights[y == 1], weights[y == 0]))
    assert value == pytest.approx(pairs + 0.05 * w @ w, rel=1e-12)


@pytest.mark.parametrize("length", [24.0, 1.5])  # all scores within the range; many beyond
@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_are_those_of_the_value(loss, length):
    X, y, weights = problem()
    f = objective(X, y, weights, loss, 12, 0.1, length)
    w, step = np.random.default_rng(1).normal(size=X.shape[1]) * 0.3, 1e-5
    point, sides = f.at(w), [(f.at(w + step * e), f.at(w - step * e)) for e in np.eye(len(w))]
    slopes = [(up.value - down.value) / (2 * step) for up, down in sides]
    np.testing.assert_allclose(point.gradient, slopes, atol=1e-7 * np.abs(slopes).max())
    bends = [(up.gradient - down.gradient) / (2 * step) for up, down in sides]
    np.testing.assert_allclose(point.hessian, bends, atol=2e-5 * np.abs(bends).max())


@pytest.mark.python_mode
@pytest.mark.parametrize("length", [24.0, 1.5])
def test_products_equal_the_hessian(length, monkeypatch):
    X, y, weights = problem()
    f = objective(X, y, weights, "squared_hinge", 12, 0.1, length)
    v, point = np.arange(5.0), f.at(np.linspace(-0.3, 0.3, 5))
    known = point.hessian @ v
    monkeypatch.setattr(polynomial, "MOST_FEATURES", 0)
    np.testing.assert_allclose(point.hessp(v)[0], known, rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("chunks", [40, 7, 200])
def test_partitions_do_not_matter(layout, chunks):
    X, y, weights = problem()
    first = DaskAUCClassifier().fit(*spread(X, y, weights))
    rows, *rest = spread(X, y, weights, chunks=chunks)
    other = DaskAUCClassifier().fit(LAYOUTS[layout](rows), *rest)
    np.testing.assert_allclose(other.coef_, first.coef_, atol=1e-10)
    assert other.intercept_ == pytest.approx(first.intercept_, abs=1e-10)


def test_wide_rows_reach_the_same_minimum(monkeypatch):
    X, y, _ = problem()
    few = DaskAUCClassifier(tol=1e-8).fit(*spread(X, y))
    monkeypatch.setattr(polynomial, "MOST_FEATURES", 0)
    wide = DaskAUCClassifier(tol=1e-8).fit(*spread(X, y))
    np.testing.assert_allclose(wide.coef_, few.coef_, atol=1e-6)


def test_minimum():
    X, y, _ = problem()
    model = DaskAUCClassifier("logistic", tol=1e-10).fit(*spread(X, y))
    f = objective(X, y, np.ones(len(y)), "logistic", 100, model.l2_, 8.0)
    assert model.objective_ == pytest.approx(f.at(model.coef_[0]).value, rel=1e-12)
    assert np.abs(f.at(model.coef_[0]).gradient).max() < 1e-9
    assert model.optimality_ <= 1e-10


@pytest.mark.parametrize("loss", LOSSES)
def test_ranks_as_the_exact_minimiser_does(loss):
    X, y, weights = problem(2000)
    model = DaskAUCClassifier(loss, l2=0.01).fit(*spread(X, y, weights, chunks=300))
    best = AUCClassifier(loss, l2=0.01).fit(X, y, weights)
    assert model.score(X, y) == pytest.approx(best.score(X, y), abs=5e-4)
    turned = model.coef_[0] @ best.coef_[0] / np.linalg.norm(model.coef_) / np.linalg.norm(best.coef_)
    assert turned > 0.999
    assert DaskAUCClassifier(loss="squared").fit(*spread(X, y)).l2_ == pytest.approx(
        AUCClassifier(loss="squared").fit(X, y).l2_
    )


def test_threshold_has_the_best_balanced_accuracy():
    X, y, weights = problem(2000)
    model = DaskAUCClassifier().fit(*spread(X, y, weights))
    score, signed = X @ model.coef_[0], np.where(y == 1, weights, -weights)
    cut = balanced_threshold(score, Classes.split(signed))

    def accuracy(threshold):
        above = score > threshold
        return np.average(above[y == 1], weights=weights[y == 1]) - np.average(
            above[y == 0], weights=weights[y == 0]
        )

    assert accuracy(-model.intercept_[0]) == pytest.approx(accuracy(cut), abs=5e-3)


def test_data_frames():
    X, y, weights = problem()
    names = [f"column {k}" for k in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(y=np.where(y == 1, "fraud", "legit"), weight=weights)
    table = dd.from_pandas(table, npartitions=4)
    model = DaskAUCClassifier().fit(table[names], table["y"], table["weight"])
    assert model.classes_.tolist() == ["fraud", "legit"]
    assert model.feature_names_in_.tolist() == names
    array = DaskAUCClassifier().fit(*spread(X, 1 - y, weights))
    np.testing.assert_allclose(model.coef_, array.coef_, atol=1e-10)
    assert model.score(table[names], table["y"]) == array.score(da.from_array(X), da.from_array(1 - y))
    labels = model.predict(table[names]).compute()
    np.testing.assert_array_equal(labels == "legit", array.predict(X) == 1)
    assert not hasattr(array, "feature_names_in_")


def test_results_of_dask_data_are_lazy():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = clone(DaskAUCClassifier()).fit(rows, labels)
    found = model.decision_function(rows)
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(), model.decision_function(X))
    np.testing.assert_array_equal(model.predict(rows).compute(), model.predict(X))
    assert model.score(rows, labels) == model.score(X, y)


@pytest.fixture(scope="module")
def cluster():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster),
    ):
        yield cluster


def slow(block):
    time.sleep(0.05)
    return block


def test_a_cluster_gives_what_threads_give(cluster):
    X, y, weights = problem(2000)
    data = spread(X, y, weights, chunks=250)
    there = DaskAUCClassifier().fit(*data)
    with dask.config.set(scheduler="threads"):
        here = DaskAUCClassifier().fit(*data)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-12)
    assert there.intercept_ == pytest.approx(here.intercept_, rel=1e-10)
    assert there.score(*data) == pytest.approx(here.score(X, y, weights), rel=1e-12)


def test_a_worker_that_is_killed_costs_time_only(cluster):
    X, y, _ = problem(2000)
    rows, labels = spread(X, y, chunks=250)
    start = time.perf_counter()
    whole = DaskAUCClassifier(tol=1e-9).fit(rows.map_blocks(slow), labels)
    victim = next(iter(cluster.workers.values())).process.process.pid
    timer = threading.Timer(0.5 * (time.perf_counter() - start), os.kill, (victim, signal.SIGKILL))
    timer.start()
    again = DaskAUCClassifier(tol=1e-9).fit(rows.map_blocks(slow), labels)
    assert not timer.is_alive()  # it was killed before the fit ended
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
    np.testing.assert_allclose(again.coef_, whole.coef_, rtol=1e-12)


BAD = [
    (lambda X, y: (X.compute(), y), TypeError, "X is ndarray, not a Dask array or data frame"),
    (lambda X, y: (X, y.compute()), TypeError, "y is ndarray"),
    (lambda X, y: (X, y[:-1]), ValueError, "Dask arrays of 200 and 199 rows were given"),
    (lambda X, y: (X, da.zeros_like(y)), ValueError, "all labels are of one class: 0"),
    (lambda X, y: (X, da.arange(200, chunks=40) % 3), ValueError, "Only binary classification is supported"),
    (
        lambda X, y: (da.where(da.arange(200, chunks=40)[:, None] == 83, np.nan, X), y),
        ValueError,
        "Partition 2: Input X contains NaN at row 3, column 0",
    ),
    (
        lambda X, y: (X, y, da.full(200, -1.0, chunks=40)),
        ValueError,
        r"Partition \d: sample_weight must not be",
    ),
    (lambda X, y: (X, y[y > -1][:150].rechunk(30)), ValueError, "compute_chunk_sizes"),
    (lambda X, y: (X[:, 0], y), ValueError, "X has 1 dimensions and y 1"),
]


@pytest.mark.parametrize(("spoil", "error", "message"), BAD)
def test_bad_input(spoil, error, message):
    X, y, _ = problem()
    with pytest.raises(error, match=message):
        DaskAUCClassifier().fit(*spoil(*spread(X, y)))


@pytest.mark.parametrize("settings", [{"degree": 1}, {"degree": 1001}, {"score_range": 0.0}, {"l2": -1.0}])
def test_bad_parameters(settings):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=f"DaskAUCClassifier: {next(iter(settings))} must be"):
        DaskAUCClassifier(**settings).fit(*spread(X, y))


def test_warns_short_of_the_minimum():
    X, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match="short of tol=1e-08"):
        DaskAUCClassifier(tol=1e-8, max_iter=1).fit(*spread(X, y))


def test_what_x_and_y_are_made_from_is_computed_once():
    X, y, _ = problem(2000)
    table = da.from_array(np.column_stack([X, y]), chunks=(250, -1)).map_blocks(np.random.permutation)
    model = DaskAUCClassifier().fit(table[:, :-1], table[:, -1])
    best = AUCClassifier().fit(X, y).score(X, y)
    assert model.score(X, y) == pytest.approx(best, abs=1e-3)
    assert model.score(table[:, :-1], table[:, -1]) == pytest.approx(best, abs=1e-3)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_empty_partitions():
    X, y, _ = problem()
    table = pd.DataFrame(X, columns=list("abcde")).assign(y=y, k=np.arange(len(y)))
    table = dd.from_pandas(table, npartitions=4)
    table = table[table["k"] >= 60]
    model = DaskAUCClassifier().fit(table[list("abcde")], table["y"])
    assert model.score(table[list("abcde")], table["y"]) == model.score(X[60:], y[60:])
    np.testing.assert_array_equal(model.predict(table[list("abcde")]).compute(), model.predict(X[60:]))


def test_an_outlier_does_not_spoil_the_threshold():
    X, y, _ = problem(2000)
    X[7] *= 1e4
    model, best = DaskAUCClassifier(l2=0.01).fit(*spread(X, y)), AUCClassifier(l2=0.01).fit(X, y)
    right, most = (
        np.mean([np.mean(found.predict(X[y == k]) == k) for k in (0, 1)]) for found in (model, best)
    )
    assert right > most - 0.02
    one = np.array([-1e6, 0, 0, 0, 1, 1, 1])
    model = DaskAUCClassifier().fit(*spread(one[:, None], (one > 0).astype(int)))
    np.testing.assert_array_equal(model.predict(one[:, None]), one > 0)


def test_a_later_fit_does_not_change_earlier_results():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    found, known = model.decision_function(rows), model.decision_function(X)
    model.fit(rows, 1 - labels)
    np.testing.assert_array_equal(found.compute(), known)


def test_model_files(tmp_path):
    X, y, _ = problem()
    model = DaskAUCClassifier(degree=50).fit(*spread(X, y))
    aucmax.io.save_model(model, tmp_path / "model.auc")
    again = aucmax.io.load_model(tmp_path / "model.auc")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert aucmax.distributed.DaskAUCClassifier is type(again)


def test_checks_before_anything_is_computed():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    with pytest.raises(NotFittedError):
        DaskAUCClassifier().predict(rows)
    model = DaskAUCClassifier().fit(rows, labels)
    with pytest.raises(ValueError, match="X must have 5 columns, as in fit"):
        model.decision_function(rows[:, :3])


def test_an_error_leaves_the_model_as_it_was():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    known = model.coef_
    with pytest.raises(ValueError, match="Partition"):
        model.fit(da.full_like(rows[:, :2], np.nan), labels)
    assert model.coef_ is known
    assert model.n_features_in_ == 5
