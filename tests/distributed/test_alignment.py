"""Rows, labels and weights from files, from one source and in empty partitions."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from aucmax import AUCClassifier, metrics
from aucmax.distributed import DaskAUCClassifier, auc
from oracles.distributed import problem, spread


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
