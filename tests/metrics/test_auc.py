"""AUC against every pair, against scikit-learn, and on input that must be refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import roc_auc_score

from aucmax.metrics import auc

finite = st.floats(allow_nan=False, allow_infinity=False)
few = st.sampled_from([-1e300, -2.5, -0.0, 0.0, 5e-324, 1.0, 1.0 + 2**-52, 3.0])


def all_pairs(y, score, weight=None):
    """Weighted share of pairs in the right order, over the table of all pairs."""
    weight = np.ones(len(y)) if weight is None else weight
    pos, neg = score[y == 1][:, None], score[y == 0]
    products = np.outer(weight[y == 1], weight[y == 0])
    return float((products * ((pos > neg) + 0.5 * (pos == neg))).sum() / products.sum())


@st.composite
def ranking(draw, scores=finite | few, weights=None):
    """Labels of both classes, scores with ties, and weights."""
    n = draw(st.integers(2, 40))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 1)))
    y[draw(st.permutations(range(n)))[:2]] = [0, 1]
    score = draw(hnp.arrays(np.float64, n, elements=scores))
    return y, score, None if weights is None else draw(hnp.arrays(np.float64, n, elements=weights))


@given(ranking())
@settings(max_examples=150, deadline=None)
def test_equals_all_pairs_and_scikit_learn(data):
    y, score, _ = data
    assert auc(y, score) == pytest.approx(all_pairs(y, score), abs=1e-15)
    with np.errstate(over="ignore"):  # scikit-learn subtracts neighbouring scores
        assert auc(y, score) == pytest.approx(roc_auc_score(y, score), abs=1e-15)


@given(ranking(scores=few, weights=st.floats(0.25, 4)))
@settings(max_examples=100, deadline=None)
def test_weights_multiply_pairs(data):
    y, score, weight = data
    assert auc(y, score, weight) == pytest.approx(all_pairs(y, score, weight), abs=1e-14)
    assert auc(y, score, weight) == pytest.approx(roc_auc_score(y, score, sample_weight=weight), abs=1e-14)


@given(ranking(scores=few, weights=st.integers(1, 3).map(float)))
@settings(max_examples=50, deadline=None)
def test_whole_weights_are_repetitions(data):
    y, score, weight = data
    times = weight.astype(int)
    assert auc(y, score, weight) == auc(np.repeat(y, times), np.repeat(score, times))


@given(ranking())
@settings(max_examples=50, deadline=None)
def test_mirrored_scores_mirror_the_auc(data):
    y, score, _ = data
    assert auc(y, -score) == pytest.approx(1 - auc(y, score), abs=1e-15)
    assert auc(1 - y, score) == pytest.approx(1 - auc(y, score), abs=1e-15)


@pytest.mark.python_mode
def test_small_example():
    assert auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == 0.75
    assert auc([0, 1], [-0.0, 0.0]) == 0.5
    assert auc([0, 1, 1], [2.0, 1.0, 3.0], [1.0, 1.0, 3.0]) == 0.75


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "u1", "i8", "u8", "?"])
def test_any_real_dtype(dtype):
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 500), rng.integers(0, 2 if dtype == "?" else 100, 500).astype(dtype)
    assert auc(y, score) == pytest.approx(all_pairs(y, score), abs=1e-15)


def test_integers_beyond_float64_are_told_apart():
    assert auc([0, 1], np.array([2**53, 2**53 + 1])) == 1.0
    assert auc([0, 1], np.array([2**64 - 2, 2**64 - 1], np.uint64)) == 1.0


@pytest.mark.parametrize(
    "labels",
    [(False, True), (-1, 1), (0.0, 1.0), ("ham", "spam"), (b"a", b"b"), (2, 7), (np.int8(-1), np.int8(1))],
)
def test_any_two_labels(labels):
    y = np.array([labels[k] for k in (0, 0, 1, 1)])
    assert auc(y, [0.1, 0.4, 0.35, 0.8]) == 0.75
    assert auc(list(y), [[0.1], [0.4], [0.35], [0.8]]) == 0.75


def test_long_input_keeps_every_pair():
    rng = np.random.default_rng(1)
    y = rng.random(300_000) < 0.5
    score = rng.normal(size=y.size) + y
    assert auc(y, score) == pytest.approx(roc_auc_score(y, score), abs=1e-15)
    score = score.astype(np.float32)
    assert auc(y, score) == pytest.approx(roc_auc_score(y, score), abs=1e-15)
    assert auc(y, y * 1.0) == 1.0
    assert auc(y, 1.0 - y) == 0.0
    assert auc(y, np.zeros(y.size)) == 0.5


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_weights(scale):
    assert auc([0, 1, 1], [2.0, 1.0, 3.0], np.array([1.0, 1.0, 3.0]) * scale) == pytest.approx(0.75)
    assert auc([0, 1, 1], [2.0, 1.0, 3.0], [1.0, scale, 3 * scale]) == pytest.approx(0.75)


def test_input_is_left_alone_and_may_be_read_only_or_strided():
    score = np.random.default_rng(0).normal(size=100)
    y = score > 0.3
    expected = auc(y[::2].copy(), score[::2].copy())
    before = score.copy()
    for array in (y, score):
        array.flags.writeable = False
    assert auc(y[::2], score[::2]) == expected
    np.testing.assert_array_equal(score, before)


@pytest.mark.parametrize(
    ("y", "score", "weight", "message"),
    [
        ([0, 1, 1], [0.0, np.nan, 1.0], None, "score is nan at row 1"),
        ([0, 1, 1], [0.0, 1.0, -np.inf], None, "score is -inf at row 2"),
        ([1, 1], [0.0, 1.0], None, "there is only one class: 1"),
        (["a", "a"], [0.0, 1.0], None, "one class: 'a'"),
        ([0, 1, 2], [0.0, 1.0, 2.0], None, "the labels are 0, 1, 2; keep the rows of two"),
        ([0.0, 1.0, np.nan], [0.0, 1.0, 2.0], None, "no label at row 2"),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), [0.0, 1.0], None, "no label at row 1"),
        (["a", "b", "c"], [0.0, 1.0, 2.0], None, "the labels are 'a', 'b', 'c'"),
        ([0.0, np.nan], [0.0, 1.0], None, "no label at row 1"),
        (np.array(["a", 1], object), [0.0, 1.0], None, "no order"),
        ([], [], None, "n > 0"),
        ([0, 1], [0.0, 1.0, 2.0], None, "y has 2 rows and score has 3"),
        ([0, 1], [[0.0, 1.0]], None, "shape"),
        ([0, 1], ["low", "high"], None, "real numbers"),
        ([0, 1], [1j, 2j], None, "real numbers"),
        ([0, 1], ["1", "2"], None, "real numbers"),
        ([0, 1], [None, 1.0], None, "score is nan at row 0"),
        ([0, 1], [{}, 1.0], None, "real numbers"),
        ([0, 1], [0.0, 1.0], [1.0, -1.0], "sample_weight is -1 at row 1"),
        ([0, 1], [0.0, 1.0], [1.0], "sample_weight has shape"),
        ([0, 1], [0.0, 1.0], [1.0, 0.0], "zero on every positive row"),
        ([0, 1], [0.0, 1.0], [np.nan, 0.0], "sample_weight is nan at row 0"),
    ],
)
def test_bad_input_is_named(y, score, weight, message):
    with pytest.raises(ValueError, match=message):
        auc(y, score, weight)
