"""Thresholds as they are shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucmax.report.decisions import format_thresholds


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([-517.474, -517.31, -517.2551], ["-517.4740", "-517.3100", "-517.2551"]),
        ([-2.123456, 3.4], ["-2.123", "3.400"]),
        ([1e7, 2.5e7], ["10000000", "25000000"]),
        ([0.25, 0.25], ["0.25", "0.25"]),
        ([0.25, np.inf], ["0.25", "inf"]),
    ],
)
def test_thresholds_close_together_differ(values, shown):
    assert format_thresholds(values) == shown


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=9), st.integers(-6, 3))
def test_a_threshold_is_shown_to_a_thousandth_of_the_range(numbers, power):
    values = [number * 10.0**power for number in numbers]
    spread = max(values) - min(values)
    shown = np.array([float(each) for each in format_thresholds(values)])
    assert np.all(np.abs(shown - values) <= max(1e-3 * spread, 1e-5 * np.abs(values).max()))
