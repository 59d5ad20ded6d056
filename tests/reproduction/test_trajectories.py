"""Snapshots equal separate fits of the same length, and count only the time of learning."""

import time

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax import OAM, SOLAM, SPAM, SPDAM, VRSPAM
from aucmax.reproduction.trajectories import log_spaced, row_order, trace_passes, trace_rows, weights


@pytest.fixture(scope="module")
def unit(problem):
    X, y, _ = problem
    return normalize(X), (y > 0).astype(int)


def test_marks_are_whole_numbers_with_both_ends():
    assert log_spaced(1, 1000, 4) == [1, 10, 100, 1000]
    assert log_spaced(1, 5, 9) == [1, 2, 3, 4, 5]


def test_shuffled_order_consists_of_whole_passes():
    order = row_order(7, 17, 0)
    assert sorted(order[:7]) == sorted(order[7:14]) == list(range(7))
    assert len(order) == 17
    assert list(order[:7]) != list(order[7:14])


def test_draws_with_replacement_repeat_rows():
    order = row_order(1000, 1000, 0, replace=True)
    assert 500 < len(set(order)) < 750  # 632 on average
    assert order.max() < 1000


@pytest.mark.parametrize("make", [SOLAM, OAM])
def test_observing_does_not_change_the_stream(unit, layout, make):
    X, y = layout(unit[0]), unit[1]
    snapshots = list(trace_rows(make(random_state=0), X, y, [10, 50, 700], seed=3))
    order = row_order(len(y), 700, 3)
    whole = make(random_state=0).partial_fit(X[order], y[order], classes=[0, 1])
    assert (
        [snapshot.rows for snapshot in snapshots]
        == [snapshot.iterations for snapshot in snapshots]
        == [10, 50, 700]
    )
    assert snapshots[-1].passes == 700 / len(y)
    np.testing.assert_array_equal(snapshots[-1].observed, whole.coef_[0])
    assert not np.array_equal(snapshots[0].observed, snapshots[1].observed)


def test_time_between_snapshots_of_a_stream_does_not_count(unit):
    seconds = []
    for snapshot in trace_rows(SOLAM(), *unit, [10, 20, 30]):
        time.sleep(0.1)
        seconds.append(snapshot.seconds)
    assert 0.0 < seconds[0] < seconds[1] < seconds[2] < 0.1


@pytest.mark.parametrize(
    ("model", "passes", "iterations"),
    [
        (SPAM(average=True, random_state=0), [2, 3, 6], [300, 600, 1500]),
        (SPDAM(batch_size=0.1, random_state=0), [1, 2, 5], [10, 20, 50]),
        (VRSPAM(random_state=0), [4, 6, 12], [300, 600, 1500]),
    ],
)
def test_snapshots_equal_fits_of_as_many_passes(unit, model, passes, iterations):
    X, y = unit
    snapshots = trace_passes(model, X, y, [1, 2, 5])
    assert [snapshot.passes for snapshot in snapshots] == passes
    assert [snapshot.iterations for snapshot in snapshots] == iterations
    assert [snapshot.rows for snapshot in snapshots] == [300 * count for count in passes]
    for snapshot, count in zip(snapshots, [1, 2, 5], strict=True):
        fitted = type(model)(**{**model.get_params(), "max_iter": count, "tol": None}).fit(X, y)
        np.testing.assert_allclose(snapshot.observed, fitted.coef_[0], rtol=1e-9, atol=1e-12)
    assert "_accept" not in vars(model)


def test_time_of_observing_a_pass_does_not_count(unit):
    def slowly(model):
        time.sleep(0.1)
        return weights(model)

    snapshots = trace_passes(SPDAM(random_state=0), *unit, [1, 2, 3], observe=slowly)
    seconds = [snapshot.seconds for snapshot in snapshots]
    assert 0.0 < seconds[0] < seconds[1] < seconds[2] < 0.1


def test_a_fit_that_fails_restores_the_estimator(unit):
    X, y = unit
    model = SPAM(step_size=1e200, random_state=0)
    with pytest.raises(ValueError, match="diverged"):
        trace_passes(model, 1e3 * X, y, [1, 2])
    assert "_accept" not in vars(model)
