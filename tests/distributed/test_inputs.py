"""Bad input: what is refused before anything is computed, and what workers refuse with the partition."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from aucmax import AUCClassifier, metrics
from aucmax.distributed import DaskAUCClassifier, auc
from oracles.distributed import problem, spread

BAD_ARRAYS = [
    (lambda X, y: (X.compute(), y), TypeError, "X is ndarray, not a Dask array or data frame"),
    (lambda X, y: (X, y.compute()), TypeError, "y is ndarray"),
    (lambda X, y: (X, None), TypeError, "y is NoneType"),
    (lambda X, y: (dask.delayed(X), y), TypeError, "X is Delayed"),
    (lambda X, y: (X, y[:-1]), ValueError, "X has 200 rows and y has 199; give one of each"),
    (lambda X, y: (X, y, y[:50]), ValueError, "X has 200 rows and sample_weight has 50"),
    (lambda X, y: (X, da.zeros_like(y)), ValueError, "there is only one class: 0"),
    (lambda X, y: (X, da.arange(200, chunks=40) % 3), ValueError, "Only binary classification is supported"),
    (
        lambda X, y: (da.where(da.arange(200, chunks=40)[:, None] == 83, np.nan, X), y),
        ValueError,
        "Partition 2: X contains NaN at row 3, column 0",
    ),
    (
        lambda X, y: (X, y, da.full(200, -1.0, chunks=40)),
        ValueError,
        r"Partition \d: sample_weight is -1 at row 0",
    ),
    (
        lambda X, y: (X[y > -1], y.rechunk(50)),
        ValueError,
        "X has nan rows and y has 200; call compute_chunk_si",
    ),
    (
        lambda X, y: (X[y > 0], y),
        ValueError,
        r"Partition \d: X has \d+ rows and y has 40; give one of each",
    ),
    (lambda X, y: (X[:, X[0] > -9], y), ValueError, "X has an unknown number of columns"),
    (lambda X, y: (X[:, 0], y), ValueError, "X must have two dimensions, rows and columns, but has 1"),
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
    (lambda X, y: (X, y, da.zeros_like(y)), ValueError, "sample_weight is zero on every row"),
    (lambda X, y: (X, y, da.full(200, 1e308, chunks=40)), ValueError, "sample_weight adds up to inf"),
    (lambda X, y: (X, y, da.full(200, 1e-320, chunks=40)), ValueError, "brings them near 1"),
]


@pytest.mark.parametrize(("damage", "error", "message"), BAD_ARRAYS)
def test_bad_arrays_are_refused(damage, error, message):
    X, y, _ = problem()
    with pytest.raises(error, match=message):
        DaskAUCClassifier().fit(*damage(*spread(X, y)))


BAD_FRAMES = {
    "X has 4 partitions and y has 5: take both from one": lambda table: (
        table[["a"]],
        table["y"].repartition(npartitions=5),
    ),
    r"X has columns that are not numbers, 't' \(str(ing)?\), 'd' \(datetime64.*get_dummies": lambda table: (
        table[["a", "t", "d"]],
        table["y"],
    ),
    r"X has columns that are not numbers, 't' \(category\); drop them, or make a column": lambda table: (
        table[["a", "t"]].astype({"t": "category"}),
        table["y"],
    ),
    "X must have two dimensions": lambda table: (table["a"], table["y"]),
    "y has 2 columns": lambda table: (table[["a"]], table[["y", "b"]]),
    r"Partition \d: y has no label at row \d": lambda table: (table[["a"]], table["t"].where(table["b"] > 0)),
    r"Partition \d: X has 50 rows and y has \d+": lambda table: (table[["a"]], table["y"][table["b"] > 0]),
}


@pytest.mark.parametrize("message", BAD_FRAMES)
def test_bad_data_frames_are_refused(message):
    X, y, _ = problem()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(y=y, t="text", d=pd.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match=message):
        DaskAUCClassifier().fit(*BAD_FRAMES[message](dd.from_pandas(table, npartitions=4)))


def test_columns_are_checked_before_anything_is_computed():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    with pytest.raises(NotFittedError):
        DaskAUCClassifier().predict(rows)
    model = DaskAUCClassifier().fit(rows, labels)
    with pytest.raises(ValueError, match="X has 3 features, but DaskAUCClassifier is expecting 5"):
        model.decision_function(rows[:, :3])
    with pytest.raises(ValueError, match="X must have two dimensions, rows and columns, but has 1"):
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
    with pytest.warns(UserWarning, match="X does not have valid feature names") as warnings:
        model.predict(da.from_array(X, chunks=(40, -1))).compute()
    assert len(warnings) == 1


def test_lazy_results_name_the_partition_of_bad_rows():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    X[83, 2] = np.nan
    table = dd.from_pandas(pd.DataFrame(X), npartitions=5)
    for bad in (da.from_array(X, chunks=(40, -1)), table):
        with pytest.raises(ValueError, match="Partition 2: X contains NaN at row 3, column 2"):
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


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own, of pandas 3.1
def test_parquet_files_of_which_few_columns_are_read(tmp_path):
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


def test_a_common_source_is_computed_once():
    X, y, _ = problem(2000)
    table = da.from_array(np.column_stack([X, y]), chunks=(250, -1)).map_blocks(np.random.permutation)
    model = DaskAUCClassifier().fit(table[:, :-1], table[:, -1])
    best = AUCClassifier().fit(X, y).score(X, y)
    assert model.score(X, y) == pytest.approx(best, abs=1e-3)
    assert model.score(table[:, :-1], table[:, -1]) == pytest.approx(best, abs=1e-3)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_empty_partitions_are_skipped():
    X, y, _ = problem()
    table = pd.DataFrame(X, columns=list("abcde")).assign(y=y, k=np.arange(len(y)))
    table = dd.from_pandas(table, npartitions=4)
    table = table[table["k"] >= 60]
    model = DaskAUCClassifier().fit(table[list("abcde")], table["y"])
    assert model.score(table[list("abcde")], table["y"]) == model.score(X[60:], y[60:])
    np.testing.assert_array_equal(model.predict(table[list("abcde")]).compute(), model.predict(X[60:]))
