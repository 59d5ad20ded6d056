"""StreamingAUC: exact up to its capacity, always within its bounds, the same bits for any order of rows."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from aucmax.metrics import StreamingAUC, auc
from aucmax.metrics import streaming as module
from aucmax.metrics.sketch import Cells, compress, single_cells, union

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "all equal": lambda rng, n: np.full(n, 0.1),
    "two values": lambda rng, n: rng.choice([-1.0, 2.5], n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 7,
    "near one": lambda rng, n: 1 / (1 + np.exp(-8 * rng.normal(size=n))),
    "a cluster and an outlier": lambda rng, n: np.where(
        rng.random(n) < 0.01, 1e9 * rng.random(n), 1 + 1e-9 * rng.random(n)
    ),
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 2),
    "every power of two": lambda rng, n: np.ldexp(rng.choice([-1.0, 1.0], n), rng.integers(-1074, 1000, n)),
}
ORDERS = {
    "as drawn": lambda y, score: np.arange(len(y)),
    "ascending": lambda y, score: np.argsort(score),
    "descending": lambda y, score: np.argsort(-score),
    "negatives first": lambda y, score: np.argsort(y, kind="stable"),
    "outside in": lambda y, score: np.argsort(-np.abs(score - np.median(score))),
}


def draw(shape, seed, n=3000):
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.3, SHAPES[shape](rng, n)


def feed(y, score, capacity, pieces=1):
    stream = StreamingAUC(capacity)
    for labels, part in zip(np.array_split(y, pieces), np.array_split(score, pieces), strict=True):
        stream.update(labels, part)
    return stream


def cells(stream):
    return stream._rows.all_cells()


def assert_same_bits(a, b):
    assert pickle.dumps(a) == pickle.dumps(b)
    assert (a.value, a.bounds) == (b.value, b.bounds)


@pytest.fixture
def small_buffer(monkeypatch):
    """A buffer of 64 rows, so that short streams fill it and are merged."""
    monkeypatch.setattr(module, "BUFFER_ROWS", 64)


@pytest.mark.python_mode
def test_example_of_the_river_documentation():
    stream = StreamingAUC()
    for y, score in zip([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], strict=True):
        stream.update(y, score)
    assert stream.value == 0.75
    assert stream.bounds == (0.75, 0.75)


@pytest.mark.python_mode
def test_value_and_bounds_are_nan_before_both_classes_occur(small_buffer):
    stream = StreamingAUC(4)
    assert math.isnan(stream.value)
    stream.update([], []).update([1, 1], [0.5, 0.25])
    assert math.isnan(stream.value)
    assert all(map(math.isnan, stream.bounds))
    assert stream.update([0], [0.4]).value == 0.5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_exact_while_the_distinct_scores_fit(shape, order, small_buffer):
    y, score = draw(shape, 0)
    rows = ORDERS[order](y, score)
    truth = auc(y, score)
    distinct = np.unique(score).size
    exact = feed(y[rows], score[rows], distinct, pieces=7)
    assert exact.value == truth == pytest.approx(roc_auc_score(y, score), abs=1e-14)
    assert exact.bounds == (truth, truth)
    if distinct > 1:
        assert cells(feed(y, score, distinct - 1)).low.size == distinct - 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("capacity", [1, 2, 7, 64, 500])
def test_bounds_hold_whatever_the_order(shape, order, capacity, small_buffer):
    y, score = draw(shape, 1)
    rows = ORDERS[order](y, score)
    stream = feed(y[rows], score[rows], capacity, pieces=11)
    low, high = stream.bounds
    assert low <= auc(y, score) <= high
    assert low <= stream.value <= high
    assert cells(stream).low.size == min(capacity, np.unique(score).size)
    assert_same_bits(stream, feed(y, score, capacity))


@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=60
    ),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_any_scores_any_order(rows, capacity, random):
    y, score = (np.array(column) for column in zip(*rows, strict=True))
    stream = feed(y, score, capacity)
    shuffled = random.sample(rows, len(rows))
    y2, score2 = (np.array(column) for column in zip(*shuffled, strict=True))
    cut = random.randrange(len(rows) + 1)
    halves = feed(y2[:cut], score2[:cut], capacity).merge(feed(y2[cut:], score2[cut:], capacity))
    assert_same_bits(stream, halves)
    if 0 < y.sum() < y.size:
        low, high = stream.bounds
        assert low <= auc(y, score) <= high
        if np.unique(score).size <= capacity:
            assert low == auc(y, score) == high


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_merging_in_any_tree_gives_the_same_bits(shape, seed, small_buffer):
    y, score = draw(shape, seed)
    rng = np.random.default_rng(seed)
    capacity = int(rng.integers(1, 200))
    whole = feed(y, score, capacity)
    parts = np.array_split(rng.permutation(y.size), 13)
    streams = [feed(y[rows], score[rows], capacity) for rows in parts] + [StreamingAUC(capacity)]
    while len(streams) > 1:
        a, b = (streams.pop(int(rng.integers(len(streams)))) for _ in range(2))
        before = pickle.dumps(b)
        streams.append(a.merge(b))
        assert pickle.dumps(b) == before
    assert_same_bits(streams[0], whole)


def test_merging_with_itself_doubles_the_rows():
    y, score = draw("normal", 0)
    stream = feed(y, score, 100)
    value = stream.value
    assert stream.merge(stream).value == value
    assert cells(stream).positive.sum() == 2 * y.sum()


@pytest.mark.parametrize("shape", ["normal", "heavy tails", "near one", "a cluster and an outlier"])
def test_width_shrinks_with_capacity(shape):
    y, score = draw(shape, 3, 200_000)
    widths = [np.diff(feed(y, score, capacity).bounds)[0] for capacity in (256, 1024, 4096, 16384)]
    assert all(wide > 1.9 * narrow for wide, narrow in itertools.pairwise(widths))
    assert widths[-1] < 0.01


@pytest.mark.python_mode
def test_cells_by_hand():
    keys = np.array([0, 1, 2, 3, 2**63, 2**63 + 5], np.uint64)
    found = Cells(*compress(Cells(*single_cells(keys, np.array([1, -1, 1, -1, 1, -1], np.int8))), 4))
    # Two scores above fit their half of four; the four below share the other two cells.
    np.testing.assert_array_equal(found.low, [0, 2, 2**63, 2**63 + 5])
    np.testing.assert_array_equal(found.high, [1, 3, 2**63, 2**63 + 5])
    np.testing.assert_array_equal(found.positive, [1, 1, 1, 0])
    both = Cells(*union(found, Cells(*(x[:1] for x in found))))
    np.testing.assert_array_equal(both.positive, [2, 1, 1, 0])


def test_counts_beyond_64_bits():
    stream = StreamingAUC(4).update([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
    for _ in range(40):
        stream.merge(stream)
    assert cells(stream).positive.sum() == 2**41
    assert stream.value == 0.75
    stream.update([0, 1, 0], [4.5, 5.0, 6.0])
    low, high = stream.bounds
    assert 0 < low < stream.value < high < 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("window", [1, 10, 777, 5000])
def test_window_is_exact_over_the_last_rows(shape, window):
    y, score = draw(shape, 4)
    stream = StreamingAUC(window=window)
    start = 0
    for size in (1, 3, 700, 0, 900, 5, 1391):
        stream.update(y[start : start + size], score[start : start + size])
        start += size
        last = slice(max(start - window, 0), start)
        if 0 < y[last].sum() < y[last].size:
            assert stream.value == auc(y[last], score[last])
            assert stream.bounds == (stream.value, stream.value)
        else:
            assert math.isnan(stream.value)


@pytest.mark.parametrize("kwargs", [{"capacity": 50}, {"window": 50}])
def test_a_copy_made_midway_gives_the_same_value(kwargs):
    y, score = draw("normal", 5)
    stream = StreamingAUC(**kwargs).update(y[:1000], score[:1000])
    copies = copy.deepcopy(stream), copy.copy(stream), pickle.loads(pickle.dumps(stream))
    value = stream.value
    for other in copies:
        other.update(y[1000:], score[1000:])
    assert stream.value == value
    stream.update(y[1000:], score[1000:])
    assert all(other.value == stream.value for other in copies)
    assert repr(stream) == repr(copies[0])


def test_labels_of_all_kinds():
    score = [0.1, 0.4, 0.35, 0.8]
    for y in ([False, False, True, True], [-1, -1, 1, 1], [0.0, 0.0, 1.0, 1.0]):
        assert StreamingAUC().update(y, np.float32(score)).value == 0.75
    named = StreamingAUC(classes=("ham", "spam"))
    assert named.update(["ham", "ham"], score[:2]).update(["spam", "spam"], score[2:]).value == 0.75
    assert repr(named) == "StreamingAUC(capacity=16384, classes=('ham', 'spam'))"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: StreamingAUC(0), "capacity must be a whole number of at least 1; got 0"),
        (lambda: StreamingAUC(window=2.5), "window must be .* or None; got 2.5"),
        (lambda: StreamingAUC(classes=("a", "a")), "two different labels"),
        (
            lambda: StreamingAUC().update([0, 2], [1.0, 2.0]),
            "2.* at row 1, but the negative label is 0 or -1 and",
        ),
        (lambda: StreamingAUC().update(["a"], [1.0]), "classes="),
        (lambda: StreamingAUC(classes=("a", "b")).update(["a", "c"], [1.0, 2.0]), "'c'.* at row 1"),
        (lambda: StreamingAUC().update([0, 1], [1.0, math.nan]), "score is nan at row 1"),
        (lambda: StreamingAUC().update([0, 1], [1.0]), "y has 2 rows and score has 1"),
        (lambda: StreamingAUC(5).merge(StreamingAUC(6)), "capacity 5 and 6"),
        (lambda: StreamingAUC(window=5).merge(StreamingAUC(window=5)), "window"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_refused_chunk_changes_nothing():
    stream = StreamingAUC().update([0, 1], [1.0, 2.0])
    with pytest.raises(ValueError, match="at row 2"):
        stream.update([0, 1, 7], [5.0, 0.0, 1.0])
    assert stream.value == 1.0
