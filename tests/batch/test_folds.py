"""Pieces of the cross-validation."""

import numpy as np
import pytest

from aucmax.batch.folds import many_scores, rises_after_fall
from aucmax.kernels.rows import as_rows
from batch.problems import ranked


@pytest.mark.python_mode
def test_many_scores(layout):
    X, _, _ = ranked(n=20)
    coefs = np.arange(15.0).reshape(3, 5)
    found = many_scores(as_rows(layout(X)), np.array([3, 1]), coefs)
    np.testing.assert_allclose(found, coefs @ X[[3, 1]].T)


def test_rises_after_fall():
    assert rises_after_fall(np.array([0.94, 0.92, 0.93, 0.90]))
    assert not rises_after_fall(np.array([0.94, 0.93, 0.90]))
    assert not rises_after_fall(np.array([0.94, 0.92, 0.92005, 0.90]))
