"""Errors for labels that are not two classes name the labels."""

import numpy as np
import pytest

from aucmax.metrics import auc
from aucmax.validation.errors import DataError
from aucmax.validation.labels import distinct_labels


def test_one_class_in_fit_names_it(model, problem, layout):
    X, _, _ = problem
    with pytest.raises(ValueError, match="one class: 'spam'"):
        model.fit(layout(X), np.full(len(X), "spam"))
    assert not hasattr(model, "coef_")


def test_one_class_in_a_first_chunk_asks_for_classes(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="all of class 1; name the two classes: classes="):
        model.partial_fit(X[y > 0], y[y > 0])
    model.partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
    assert np.isfinite(model.decision_function(X)).all()
    model.partial_fit(X[y < 0], y[y < 0])
    assert model.score(X, y) > 0.5


def test_a_third_label_is_named(model, problem):
    X, y, _ = problem
    three = y.copy()
    three[5] = 7
    with pytest.raises(ValueError, match="the labels are -1, 1, 7"):
        model.fit(X, three)
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="label 7 is not one of the classes -1, 1"):
        model.partial_fit(X, three)
    with pytest.raises(ValueError, match="label 7"):
        model.score(X, three)
    with pytest.raises(ValueError, match="differs from those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_continuous_labels_are_refused(model, problem):
    X, _, _ = problem
    with pytest.raises(ValueError, match="continuous"):
        model.fit(X, X[:, 0])


def test_labels_without_an_order(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="y mixes labels that have no order"):
        model.fit(X, np.array(["spam" if k > 0 else 0 for k in y], dtype=object))


def test_missing_labels_are_located(model, problem):
    X, y, _ = problem
    labels = np.where(y > 0, "spam", "ham").astype(object)
    labels[3] = None
    with pytest.raises(ValueError, match="y has no label at row 3; drop such rows"):
        model.fit(X, labels)
    with pytest.raises(ValueError, match="y has no label at row 0; drop such rows"):
        model.fit(X, np.full(len(y), None))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, float, str, object])
@pytest.mark.parametrize("y", [[0, 1, 1, 0], [1, 1, 1], [0]])
def test_distinct_labels_are_those_of_numpy(y, dtype):
    y = np.array(y).astype(dtype)
    labels, index = distinct_labels(y)
    expected, expected_index = np.unique(y, return_inverse=True)
    assert labels.dtype == expected.dtype
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(index, expected_index)


def test_estimators_and_metrics_give_the_same_message(model, problem):
    X, y, _ = problem
    for labels in (np.ones_like(y), np.arange(len(y)) % 3):
        with pytest.raises(DataError) as of_fit:
            model.fit(X, labels)
        with pytest.raises(DataError) as of_metric:
            auc(labels, X[:, 0])
        assert str(of_fit.value) == str(of_metric.value)
