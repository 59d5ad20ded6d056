"""The papers' problems: scaling and classes."""

import numpy as np
import pytest
from scipy import sparse

from aucmax.reproduction import problems
from aucmax.reproduction.problems import Problem


@pytest.fixture(autouse=True)
def _fresh(generated):
    problems._scaled_rows.cache_clear()
    yield
    problems._scaled_rows.cache_clear()


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def raw():
    return problems.datasets.load("many").X.toarray()


@pytest.mark.parametrize("columns", ["unscaled", "max_abs", "range"])
def test_rows_have_norm_one(columns):
    X, _ = Problem("many", ("many",), columns).load(0)
    np.testing.assert_allclose(np.linalg.norm(dense(X), axis=1), 1.0)


def test_range_scales_columns_first():
    X, _ = Problem("fourclass", ("fourclass",), "range").load(0)
    file = problems.datasets.load("fourclass").X.toarray()
    scaled = 2.0 * (file - file.min(axis=0)) / np.ptp(file, axis=0) - 1.0
    np.testing.assert_allclose(X, scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def test_range_sets_a_constant_column_to_zero():
    X, _ = Problem("many", ("many",), "range").load(0)
    assert not dense(X)[:, 2].any()


def test_max_abs_keeps_zeros():
    X, _ = Problem("many", ("many",), "max_abs").load(0)
    np.testing.assert_array_equal(dense(X) == 0.0, raw() == 0.0)


def test_centred_rows_are_centred_and_unit():
    X, _ = Problem("many", ("many",), rows="centred").load(0)
    assert isinstance(X, np.ndarray)
    np.testing.assert_allclose(X.mean(axis=1), 0.0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)


def test_files_are_concatenated():
    X, y = Problem("twice", ("many", "many")).load(0)
    assert X.shape[0] == len(y) == 120


def test_classes():
    labels = problems.datasets.load("many").y
    _, largest = Problem("many", ("many",), classes="largest").load(0)
    np.testing.assert_array_equal(largest, labels == 5)
    _, even = Problem("many", ("many",), classes="parity").load(0)
    np.testing.assert_array_equal(even, labels % 2 == 0)


def test_halves_take_two_of_five_classes_and_depend_only_on_the_seed():
    labels = problems.datasets.load("many").y
    chosen = set()
    for seed in range(20):
        _, y = Problem("many", ("many",), classes="halves").load(seed)
        _, again = Problem("many", ("many",), classes="halves").load(seed)
        np.testing.assert_array_equal(y, again)
        assert len(set(labels[y == 1])) == 2
        assert not set(labels[y == 1]) & set(labels[y == 0])
        chosen.add(tuple(sorted(set(labels[y == 1]))))
    assert len(chosen) > 3
