"""Labels of any type in partitions, and those that are refused."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier
from aucmax.distributed.inputs import align_partitions
from aucmax.distributed.labels import MAX_LABELS, _reduce_partitions
from oracles.distributed import problem, spread

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
def test_labels_of_pandas_types(kind):
    X, y, _ = problem()
    table = dd.from_pandas(pd.DataFrame({"x": X[:, 0], "y": y}).astype({"y": kind}), npartitions=4)
    model = DaskAUCClassifier().fit(table[["x"]], table["y"])
    np.testing.assert_array_equal(model.classes_, np.unique(np.asarray(table["y"].compute())))
    plain = DaskAUCClassifier().fit(*spread(X[:, :1], y, chunks=50))
    assert model.score(table[["x"]], table[["y"]]) == plain.score(X[:, :1], y)


@pytest.mark.parametrize("first", [40, 7])  # the unknown labels are alone in a partition, or not
def test_labels_that_cannot_be_sorted_are_refused(first):
    X, y, _ = problem()
    labels = y.astype(object)
    labels[:first] = "unknown"
    with pytest.raises(ValueError, match="y mixes labels that have no order; give two labels of one type"):
        DaskAUCClassifier().fit(*spread(X, labels))


def test_a_third_label_of_weight_zero_is_refused():
    X, y, weights = problem()
    y[83], weights[83] = 7, 0.0
    message = "the label 7 is not one of the classes 0, 1"
    with pytest.raises(ValueError, match=message):
        AUCClassifier().fit(X, y, weights)
    with pytest.raises(ValueError, match=f"Partition 2: {message}"):
        DaskAUCClassifier().fit(*spread(X, y, weights))


@pytest.mark.parametrize(("labels", "unknown"), [([1, 2], "2"), (["a", "b"], "'a'"), ([0, 7], "7")])
def test_score_refuses_unknown_labels(labels, unknown):
    X, y, weights = problem()
    model = DaskAUCClassifier().fit(*spread(X, y))
    labels = np.array(labels)[y]
    message = f"the label {unknown} is not one of the classes 0, 1"
    with pytest.raises(ValueError, match=message):
        model.score(X, labels)
    with pytest.raises(ValueError, match=f"Partition 0: {message}"):
        model.score(*spread(X, labels, weights))


def test_score_refuses_one_class():
    X, y, _ = problem()
    model = DaskAUCClassifier().fit(*spread(X, y))
    with pytest.raises(ValueError, match="there is only one class: 1; AUC compares two classes"):
        model.score(*spread(X, np.ones_like(y)))


def test_regression_targets_are_not_sent_as_a_whole():
    X, _, _ = problem()
    partitions = align_partitions(True, y=spread(X, X[:, 0])[1])
    found = _reduce_partitions(partitions, np.add)
    assert max(len(part.labels) for part in found) == MAX_LABELS
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        DaskAUCClassifier().fit(*spread(X, X[:, 0]))
