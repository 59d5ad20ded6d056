"""Partial AUC against scikit-learn and against a fine grid under the curve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from aucmax.metrics import auc, partial_auc

rate = st.floats(0.01, 0.99)


def problem(seed, n=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0)
    return y, np.round(rng.normal(size=n) + y, 1)


def integrate_on_grid(y, score, max_fpr, min_tpr):
    """The defining integral, by the midpoints of many thin strips."""
    fpr, tpr, _ = roc_curve(y, score, drop_intermediate=False)
    at = (np.arange(200_000) + 0.5) / 200_000 * max_fpr
    return np.maximum(np.interp(at, fpr, tpr) - min_tpr, 0).mean() * max_fpr


@given(st.integers(0, 10**6), rate)
@settings(max_examples=80, deadline=None)
def test_standardized_equals_scikit_learn(seed, max_fpr):
    y, score = problem(seed)
    weight = np.random.default_rng(seed).random(y.size)
    assert partial_auc(y, score, max_fpr, standardized=True) == pytest.approx(
        roc_auc_score(y, score, max_fpr=max_fpr), abs=1e-12
    )
    assert partial_auc(y, score, max_fpr, standardized=True, sample_weight=weight) == pytest.approx(
        roc_auc_score(y, score, max_fpr=max_fpr, sample_weight=weight), abs=1e-12
    )


@given(st.integers(0, 10**6), rate, rate)
@settings(max_examples=20, deadline=None)
def test_two_way_area_is_the_integral(seed, max_fpr, min_tpr):
    y, score = problem(seed)
    assert partial_auc(y, score, max_fpr, min_tpr) == pytest.approx(
        integrate_on_grid(y, score, max_fpr, min_tpr), abs=2e-5
    )


@given(st.integers(0, 10**6), rate)
@settings(max_examples=50, deadline=None)
def test_whole_area_is_auc_and_swapped_classes_mirror_the_curve(seed, at):
    y, score = problem(seed)
    assert partial_auc(y, score) == pytest.approx(auc(y, score), abs=1e-14)
    assert partial_auc(y, score, 1.0, 0.0, standardized=True) == pytest.approx(auc(y, score), abs=1e-14)
    # Seen from the other class, a high true positive rate is a low false positive rate.
    assert partial_auc(y, score, min_tpr=at) == pytest.approx(
        partial_auc(~y, -score, max_fpr=1 - at), abs=1e-13
    )


@pytest.mark.python_mode
def test_best_random_and_worst_scores():
    y = np.array([0, 0, 0, 1, 1])
    for kwargs in ({"max_fpr": 0.3}, {"min_tpr": 0.8}, {"max_fpr": 0.4, "min_tpr": 0.1}):
        assert partial_auc(y, y, standardized=True, **kwargs) == 1.0
    assert partial_auc(y, y, max_fpr=0.3) == 0.3
    assert partial_auc(y, np.zeros(5), max_fpr=0.3, standardized=True) == pytest.approx(0.5)
    assert partial_auc(y, np.zeros(5), max_fpr=0.7, min_tpr=0.2, standardized=True) == pytest.approx(0.5)
    assert partial_auc(y, 1 - y, max_fpr=0.5) == 0.0


@pytest.mark.parametrize(
    "kwargs", [{"max_fpr": 0}, {"max_fpr": 1.1}, {"min_tpr": 1}, {"min_tpr": -0.1}, {"max_fpr": np.nan}]
)
def test_bad_rates_are_refused(kwargs):
    with pytest.raises(ValueError, match="must be None or a number .*; got"):
        partial_auc([0, 1], [0.0, 1.0], **kwargs)
