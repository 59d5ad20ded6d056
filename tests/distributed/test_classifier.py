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
from aucmax import AUCClassifier, metrics
from aucmax.batch.threshold import balanced_threshold
from aucmax.distributed import DaskAUCClassifier, auc, polynomial
from aucmax.distributed.classifier import _classes
from aucmax.distributed.inputs import MOST_LABELS
from aucmax.distributed.partitions import Partitions, weights_of
from aucmax.distributed.polynomial import Objective
from aucmax.pairs.losses import LOSSES, get_loss
from aucmax.pairs.sums import Classes
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
    return Objective(labelled.signed(classes, totals), get_loss(loss), degree, l2, centre, length)


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


def test_the_highest_degree():
    X, y, weights = problem()
    value = objective(X, y, weights, "logistic", 1000, 0.0, 24.0).at(np.full(5, 0.3)).value
    score = X @ np.full(5, 0.3)
    pairs = bernstein(get_loss("logistic"), 1000, 24.0)(score[y == 1][:, None] - score[y == 0])
    pairs = np.average(pairs, weights=np.outer(weights[y == 1], weights[y == 0]))
    assert value == pytest.approx(pairs, rel=1e-10)


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


def test_a_cluster_takes_data_frames(cluster):
    X, y, _ = problem()
    table = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(y=y), npartitions=4)
    rows = table[list("abcde")]
    model = DaskAUCClassifier().fit(rows, table["y"])
    known = model.score(rows.compute(), y)
    assert model.score(rows, table["y"]) == auc(table["y"], model.decision_function(rows)) == known


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
    (lambda X, y: (X, None), TypeError, "y is NoneType"),
    (lambda X, y: (dask.delayed(X), y), TypeError, "X is Delayed"),
    (lambda X, y: (X, y[:-1]), ValueError, "X has 200 rows and y has 199: give as many of both"),
    (lambda X, y: (X, y, y[:50]), ValueError, "X has 200 rows and sample_weight has 50"),
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
    (
        lambda X, y: (X[y > -1], y.rechunk(50)),
        ValueError,
        "X has nan rows and y has 200: call compute_chunk_si",
    ),
    (
        lambda X, y: (X[y > 0], y),
        ValueError,
        r"Partition \d: X has \d+ rows and y 40: give one label for each",
    ),
    (lambda X, y: (X[:, X[0] > -9], y), ValueError, "X does not know how many columns it has"),
    (lambda X, y: (X[:, 0], y), ValueError, "X must be a table, and has 1 dimensions"),
    (lambda X, y: (X[:, :0], y), ValueError, "X has no columns"),
    (lambda X, y: (X, X), ValueError, r"y has 5 columns: give one column, as in table\['y'\]"),
    (lambda X, y: (X, y, X), ValueError, "sample_weight has 5 columns"),
    (lambda X, y: (X, y.sum()), ValueError, "y has 0 dimensions"),
    (lambda X, y: (X[:0], y[:0]), ValueError, "All partitions are empty"),
    (
        lambda X, y: (X + 1j, y),
        ValueError,
        r"Partition \d: Complex data not supported; drop such columns, [^\n]*$",
    ),
    (lambda X, y: (1e200 * X, y), ValueError, "Column 0 of X has numbers too large to square"),
    (lambda X, y: (X, da.where(y > 0, np.nan, y)), ValueError, r"Partition \d: y has no label at row \d+"),
    (lambda X, y: (X, y, da.zeros_like(y)), ValueError, "All sample weights are zero"),
    (lambda X, y: (X, y, da.full(200, 1e308, chunks=40)), ValueError, "The sample weights add up to inf"),
    (lambda X, y: (X, y, da.full(200, 1e-320, chunks=40)), ValueError, "brings them near 1"),
]


@pytest.mark.parametrize(("spoil", "error", "message"), BAD)
def test_bad_input(spoil, error, message):
    X, y, _ = problem()
    with pytest.raises(error, match=message):
        DaskAUCClassifier().fit(*spoil(*spread(X, y)))


FRAMES = {
    "X has 4 partitions and y has 5: take both from one": lambda table: (
        table[["a"]],
        table["y"].repartition(npartitions=5),
    ),
    r"'t' \(str(ing)?\), 'd' \(datetime64.*get_dummies": lambda table: (table[["a", "t", "d"]], table["y"]),
    "X must be a table": lambda table: (table["a"], table["y"]),
    "y has 2 columns": lambda table: (table[["a"]], table[["y", "b"]]),
    r"Partition \d: y has no label at row \d": lambda table: (table[["a"]], table["t"].where(table["b"] > 0)),
    r"Partition \d: X has 50 rows and y \d+": lambda table: (table[["a"]], table["y"][table["b"] > 0]),
}


@pytest.mark.parametrize("message", FRAMES)
def test_bad_data_frames(message):
    X, y, _ = problem()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(y=y, t="text", d=pd.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match=message):
        DaskAUCClassifier().fit(*FRAMES[message](dd.from_pandas(table, npartitions=4)))


LABELS = {
    "days": np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
    "nanoseconds": np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]"),
    "lengths of time": np.array([1, 2], "timedelta64[h]"),
    "strings": np.array(["a", "b"]),
    "objects": np.array(["a", "b"], object),
    "booleans": np.array([False, True]),
    "floats": np.array([-1.0, 1.0]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_are_those_of_the_exact_minimiser(kind):
    X, y, _ = problem()
    rows, labels = spread(X, LABELS[kind][y])
    model, best = DaskAUCClassifier().fit(rows, labels), AUCClassifier().fit(X, LABELS[kind][y])
    assert model.classes_.dtype == best.classes_.dtype
    np.testing.assert_array_equal(model.classes_, best.classes_)
    np.testing.assert_array_equal(model.predict(rows).compute(), model.predict(X))
    assert model.score(rows, labels) == model.score(X, LABELS[kind][y])


@pytest.mark.parametrize("kind", ["Int64", "boolean", "string", "category", "datetime64[ns]"])
def test_labels_of_series(kind):
    X, y, _ = problem()
    table = dd.from_pandas(pd.DataFrame({"x": X[:, 0], "y": y}).astype({"y": kind}), npartitions=4)
    model = DaskAUCClassifier().fit(table[["x"]], table["y"])
    np.testing.assert_array_equal(model.classes_, np.unique(np.asarray(table["y"].compute())))
    plain = DaskAUCClassifier().fit(*spread(X[:, :1], y, chunks=50))
    assert model.score(table[["x"]], table[["y"]]) == plain.score(X[:, :1], y)


@pytest.mark.parametrize("first", [40, 7])  # the strange labels are alone in a part, or not
def test_labels_without_an_order(first):
    X, y, _ = problem()
    labels = y.astype(object)
    labels[:first] = "strange"
    with pytest.raises(ValueError, match="y mixes labels that have no order; give two labels of one type"):
        DaskAUCClassifier().fit(*spread(X, labels))


def test_a_third_label_that_weighs_nothing():
    X, y, weights = problem()
    y[83], weights[83] = 7, 0.0
    message = "y has the label 7, which is not one of the classes 0, 1"
    with pytest.raises(ValueError, match=message):
        AUCClassifier().fit(X, y, weights)
    with pytest.raises(ValueError, match=f"Partition 2: {message}"):
        DaskAUCClassifier().fit(*spread(X, y, weights))


@pytest.mark.parametrize(("labels", "strange"), [([1, 2], "2"), (["a", "b"], "'a'"), ([0, 7], "7")])
def test_score_of_labels_that_were_not_fitted(labels, strange):
    X, y, weights = problem()
    model = DaskAUCClassifier().fit(*spread(X, y))
    labels = np.array(labels)[y]
    message = f"y has the label {strange}, which is not one of the classes 0, 1"
    with pytest.raises(ValueError, match=message):
        model.score(X, labels)
    with pytest.raises(ValueError, match=f"Partition 0: {message}"):
        model.score(*spread(X, labels, weights))


def test_score_of_one_class():
    X, y, _ = problem()
    model = DaskAUCClassifier().fit(*spread(X, y))
    with pytest.raises(ValueError, match="y holds only the label 1; AUC compares two classes"):
        model.score(*spread(X, np.ones_like(y)))


def test_regression_targets_are_not_all_sent():
    X, _, _ = problem()
    found = Partitions.of(*spread(X, X[:, 0])).gather(weights_of)
    assert max(len(part.labels) for part in found) == MOST_LABELS
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        DaskAUCClassifier().fit(*spread(X, X[:, 0]))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own, of pandas 3.1
def test_files_of_which_few_columns_are_read(tmp_path):
    X, y, weights = problem()
    names = [f"column {k}" for k in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(y=y, weight=weights, other=0)
    dd.from_pandas(table, npartitions=8).to_parquet(tmp_path)
    table, names = dd.read_parquet(tmp_path), names[:2]
    model = DaskAUCClassifier().fit(table[names], table["y"], table["weight"])
    array = DaskAUCClassifier().fit(*spread(X[:, :2], y, weights))
    np.testing.assert_allclose(model.coef_, array.coef_, atol=1e-10)
    known = model.score(table[names].compute(), y, weights)
    assert model.score(table[names], table["y"], table["weight"]) == pytest.approx(known, rel=1e-12)
    scores = model.decision_function(table[names])
    assert auc(table["y"], scores, table["weight"]) == pytest.approx(known, rel=1e-12)
    assert auc(table["y"], table[names[0]]) == metrics.auc(y, X[:, 0])


@pytest.mark.parametrize("settings", [{"degree": 1}, {"degree": 1001}, {"score_range": 0.0}, {"l2": -1.0}])
def test_bad_parameters(settings):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=f"DaskAUCClassifier: {next(iter(settings))} must be"):
        DaskAUCClassifier(**settings).fit(*spread(X, y))


def test_warns_short_of_the_minimum():
    X, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match="short of the tolerance 1e-08"):
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
    with pytest.raises(ValueError, match="X has 3 features, but DaskAUCClassifier is expecting 5"):
        model.decision_function(rows[:, :3])
    with pytest.raises(ValueError, match="X must be a table, and has 1 dimensions"):
        model.predict(rows[:, 0])
    with pytest.raises(TypeError, match="X is Delayed"):
        model.decision_function(dask.delayed(X))


def test_names_of_columns_are_checked_before_anything_is_computed():
    X, y, _ = problem()
    table = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(y=y), npartitions=4)
    model = DaskAUCClassifier().fit(table[list("abcde")], table["y"])
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.decision_function(table[list("edcba")])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- y"):
        model.predict(table)
    with pytest.warns(UserWarning, match="X does not have valid feature names") as told:
        model.predict(da.from_array(X, chunks=(40, -1))).compute()
    assert len(told) == 1


def test_results_tell_the_partition_of_bad_rows():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    X[83, 2] = np.nan
    table = dd.from_pandas(pd.DataFrame(X), npartitions=5)
    for bad in (da.from_array(X, chunks=(40, -1)), table):
        with pytest.raises(ValueError, match="Partition 2: Input X contains NaN at row 3, column 2"):
            model.decision_function(bad).compute()


def test_an_error_leaves_the_model_as_it_was():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    known = model.coef_
    with pytest.raises(ValueError, match="Partition"):
        model.fit(da.full_like(rows[:, :2], np.nan), labels)
    assert model.coef_ is known
    assert model.n_features_in_ == 5
