"""Following a method tells what it had learnt at each mark, and counts only its own time."""

import time

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax import OAM, SOLAM, SPAM, SPDAM, VRSPAM
from aucmax.reproduction.curves import follow, follow_passes, spaced, visits, weights


@pytest.fixture(scope="module")
def unit(problem):
    X, y, _ = problem
    return normalize(X), (y > 0).astype(int)


def test_marks_are_whole_and_end_where_they_should():
    assert spaced(1, 1000, 4) == [1, 10, 100, 1000]
    assert spaced(1, 5, 9) == [1, 2, 3, 4, 5]


def test_shuffled_visits_are_whole_passes():
    order = visits(7, 17, 0)
    assert sorted(order[:7]) == sorted(order[7:14]) == list(range(7))
    assert len(order) == 17
    assert list(order[:7]) != list(order[7:14])


def test_draws_with_replacement_repeat_rows():
    order = visits(1000, 1000, 0, replace=True)
    assert 500 < len(set(order)) < 750  # 632 on average
    assert order.max() < 1000


@pytest.mark.parametrize("make", [SOLAM, OAM])
def test_the_stream_is_the_same_however_often_it_is_looked_at(unit, layout, make):
    X, y = layout(unit[0]), unit[1]
    moments = list(follow(make(random_state=0), X, y, [10, 50, 700], seed=3))
    order = visits(len(y), 700, 3)
    whole = make(random_state=0).partial_fit(X[order], y[order], classes=[0, 1])
    assert [moment.rows for moment in moments] == [moment.iterations for moment in moments] == [10, 50, 700]
    assert moments[-1].passes == 700 / len(y)
    np.testing.assert_array_equal(moments[-1].seen, whole.coef_[0])
    assert not np.array_equal(moments[0].seen, moments[1].seen)


def test_the_clock_stands_still_while_a_stream_is_measured(unit):
    seconds = []
    for moment in follow(SOLAM(), *unit, [10, 20, 30]):
        time.sleep(0.1)
        seconds.append(moment.seconds)
    assert 0.0 < seconds[0] < seconds[1] < seconds[2] < 0.1


@pytest.mark.parametrize(
    ("model", "passes", "iterations"),
    [
        (SPAM(average=True, random_state=0), [2, 3, 6], [300, 600, 1500]),
        (SPDAM(batch_size=0.1, random_state=0), [1, 2, 5], [10, 20, 50]),
        (VRSPAM(random_state=0), [4, 6, 12], [300, 600, 1500]),
    ],
)
def test_passes_end_where_fit_does(unit, model, passes, iterations):
    X, y = unit
    moments = follow_passes(model, X, y, [1, 2, 5])
    assert [moment.passes for moment in moments] == passes
    assert [moment.iterations for moment in moments] == iterations
    assert [moment.rows for moment in moments] == [300 * count for count in passes]
    for moment, count in zip(moments, [1, 2, 5], strict=True):
        fitted = type(model)(**{**model.get_params(), "max_iter": count, "tol": None}).fit(X, y)
        np.testing.assert_allclose(moment.seen, fitted.coef_[0], rtol=1e-9, atol=1e-12)
    assert "_accept" not in vars(model)


def test_the_clock_stands_still_while_a_pass_is_looked_at(unit):
    def slowly(model):
        time.sleep(0.1)
        return weights(model)

    moments = follow_passes(SPDAM(random_state=0), *unit, [1, 2, 3], look=slowly)
    seconds = [moment.seconds for moment in moments]
    assert 0.0 < seconds[0] < seconds[1] < seconds[2] < 0.1


def test_a_fit_that_fails_leaves_the_method_as_it_was(unit):
    X, y = unit
    model = SPAM(step_size=1e200, random_state=0)
    with pytest.raises(ValueError, match="diverged"):
        follow_passes(model, 1e3 * X, y, [1, 2])
    assert "_accept" not in vars(model)
