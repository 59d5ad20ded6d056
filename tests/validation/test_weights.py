"""Errors for bad sample weights name the row."""

import numpy as np
import pytest


def test_one_class_among_the_weighted_rows(model, problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="one class: -1"):
        model.fit(X, y, sample_weight=(y < 0).astype(float))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((300, 1)), "for 300 rows; give one weight for each row"),
        (np.ones(299), "for 300 rows; give one weight for each row"),
        (np.r_[np.ones(299), -2.0], "sample_weight is -2 at row 299"),
        (np.r_[np.ones(299), np.nan], "nan at row 299"),
        (np.r_[np.inf, np.ones(299)], "inf at row 0"),
        (np.zeros(300), "sample_weight is zero on every row"),
    ],
)
def test_bad_weights(model, problem, weights, message):
    X, y, _ = problem
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("size", [1e-320, 1e308])
def test_weights_whose_sum_or_its_inverse_is_not_finite(model, problem, size):
    X, y, _ = problem
    with pytest.raises(ValueError, match="sample_weight adds up to .* near 1"):
        model.fit(X, y, sample_weight=np.full(len(y), size))
