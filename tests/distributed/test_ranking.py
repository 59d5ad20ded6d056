"""AUC of Dask arrays against that of the same rows in one place."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax import metrics
from aucmax.distributed import auc, ranking


@settings(max_examples=50, deadline=None)
@given(data=st.data(), n=st.integers(2, 60), levels=st.integers(1, 40), chunks=st.integers(1, 20))
def test_equals_the_metric(data, n, levels, chunks):
    score = np.array(data.draw(st.lists(st.integers(-levels, levels), min_size=n, max_size=n))) / 7
    y = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[:2] = [False, True]
    parts = [da.from_array(part, chunks=chunks) for part in (y, score, np.arange(1.0, n + 1))]
    assert auc(*parts[:2]) == metrics.auc(y, score)
    assert auc(*parts) == pytest.approx(metrics.auc(y, score, np.arange(1.0, n + 1)), rel=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_score_types(kind):
    rng = np.random.default_rng(0)
    score, y = (100 * rng.normal(size=5000)).astype(kind), np.where(rng.random(5000) < 0.1, "yes", "no")
    assert auc(da.from_array(y, chunks=700), da.from_array(score, chunks=900)) == metrics.auc(y, score)
    table = dd.from_pandas(pd.DataFrame({"y": y, "score": score}), npartitions=7)
    assert auc(table["y"], table["score"]) == metrics.auc(y, score)


@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([0, 1, 2, 0], [1.0, 2.0, 3.0, 4.0], "the labels are 0, 1, 2; keep the rows of two"),
        ([0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0], "there is only one class: 0; AUC compares two classes"),
        ([], [], "All partitions are empty"),
        ([0, 1, 0, None], [1.0, 2.0, 3.0, 4.0], "Partition 1: y has no label at row 1"),
        ([0, "a", 0, 0], [1.0, 2.0, 3.0, 4.0], "Partition 0: y mixes labels that have no order"),
        ([(0,), (1,), (0,), (1,)], [1.0, 2.0, 3.0, 4.0], r"Partition \d: y has labels that are sequences"),
        ([0, 0, "a", "a"], [1.0, 2.0, 3.0, 4.0], "y mixes labels that have no order"),
        ([0, 1, 0, 1], [["a"], ["b"], ["c"], ["d"]], r"Partition \d: score has dtype <U1; give real numbers"),
        ([0, 1, 0, 1], np.ones((4, 2)), "score has 2 columns: give one column"),
        (np.ones((4, 2)), [1.0, 2.0, 3.0, 4.0], "y has 2 columns: give one column"),
        ([0, 1, 0, 1], [1.0, 2.0, np.nan, 4.0], "Partition 1: score is nan at row 0"),
        ([0, 1, 0], [1.0, 2.0, 3.0, 4.0], "score has 4 rows and y has 3; give one of each"),
    ],
)
def test_bad_input_is_refused(y, score, message):
    if isinstance(y, list):
        y = np.fromiter(y, object, len(y))
    with pytest.raises(ValueError, match=message):
        auc(da.from_array(y, chunks=2), da.from_array(np.array(score), chunks=2))


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e308, 1e-310])
def test_weights_of_any_size(size):
    rng = np.random.default_rng(0)
    y, score, weights = rng.random(500) < 0.3, np.round(rng.normal(size=500), 1), rng.uniform(0.1, 1.0, 500)
    weights = np.where(y, 1.0, size) * weights
    parts = [da.from_array(part, chunks=70) for part in (y, score, weights)]
    assert auc(*parts) == pytest.approx(metrics.auc(y, score, weights), rel=1e-12)
    assert auc(*parts[:2], size * (parts[2] / parts[2])) == pytest.approx(metrics.auc(y, score), rel=1e-12)


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_as_labels(unit):
    y = np.array(["2020-01-02", "2020-01-01", "2020-01-02", "2020-01-01"], f"datetime64[{unit}]")
    score = np.array([3.0, 2.0, 1.0, 0.0])
    assert auc(da.from_array(y, chunks=2), da.from_array(score, chunks=2)) == metrics.auc(y, score) == 0.75


def test_tables_of_one_column():
    y, score = np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    table = dd.from_pandas(pd.DataFrame({"y": y, "score": score}), npartitions=2)
    assert auc(table[["y"]], table[["score"]]) == metrics.auc(y[:, None], score[:, None]) == 0.75


def test_data_in_memory_are_refused():
    with pytest.raises(TypeError, match="score is ndarray, not a Dask array or data frame"):
        auc(da.from_array([0, 1], chunks=1), np.array([0.0, 1.0]))
    with pytest.raises(TypeError, match="score is NoneType, not a Dask array or data frame"):
        auc(da.from_array([0, 1], chunks=1), None)


def test_a_class_without_weight_is_refused():
    y, score = da.from_array([0, 1, 0, 1], chunks=2), da.from_array([1.0, 2.0, 3.0, 4.0], chunks=2)
    with pytest.raises(ValueError, match="sample_weight is zero on every positive row; give some rows"):
        auc(y, score, da.from_array([1.0, 0.0, 1.0, 0.0], chunks=2))


def test_intervals_hold_about_as_many_scores_each(monkeypatch):
    monkeypatch.setattr(ranking, "INTERVAL_SIZE", 1000)
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=50_000), *(rng.uniform(100, 200, size=300) for _ in range(20))]
    cuts = ranking._choose_cuts(
        [ranking._find_quantiles(ranking.ScoreWeights(np.sort(part), part, part)) for part in parts]
    )
    held = np.histogram(np.concatenate(parts), cuts)[0]
    assert held.max() < 3 * held.sum() / len(held)
    score = np.concatenate(parts)
    y = rng.random(len(score)) < 0.3
    chunks = (tuple(map(len, parts)),)
    assert auc(da.from_array(y, chunks=chunks), da.from_array(score, chunks=chunks)) == metrics.auc(y, score)


def test_counts_beyond_64_bits():
    n = 2_500_000_000
    tied = ranking.ScoreWeights(np.array([0.0, 1.0]), np.array([n, 0]), np.array([0, n]))
    assert ranking._count_pairs_won([tied]) == (2 * n * n, n, n)
