"""The threshold with the best balanced accuracy."""

import numpy as np
import pytest

from aucmax.batch.threshold import balanced_threshold
from aucmax.pairs.sums import Classes


@pytest.mark.python_mode
def test_threshold():
    scores, y = np.array([3.0, 1.0, 2.0, 0.0]), np.array([1.0, 1.0, -1.0, -1.0])
    assert balanced_threshold(scores, Classes.split(y)) == 0.5
    assert balanced_threshold(np.zeros(4), Classes.split(y)) < 0.0
    assert balanced_threshold(scores, Classes.split(y * np.array([1.0, 1.0, 9.0, 1.0]))) == 2.5
