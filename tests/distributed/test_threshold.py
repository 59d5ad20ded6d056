"""The threshold of scores in partitions against the exact one."""

import numpy as np
import pytest

from aucmax import AUCClassifier
from aucmax.batch.threshold import balanced_threshold
from aucmax.distributed import DaskAUCClassifier
from aucmax.pairs.sums import Classes
from oracles.distributed import problem, spread


def test_balanced_accuracy_is_nearly_the_best():
    X, y, weights = problem(2000)
    model = DaskAUCClassifier().fit(*spread(X, y, weights))
    score, signed = X @ model.coef_[0], np.where(y == 1, weights, -weights)
    cut = balanced_threshold(score, Classes.split(signed))

    def accuracy(threshold):
        above = score > threshold
        return np.average(above[y == 1], weights=weights[y == 1]) - np.average(
            above[y == 0], weights=weights[y == 0]
        )

    assert accuracy(-model.intercept_[0]) == pytest.approx(accuracy(cut), abs=5e-3)


def test_an_outlier_hardly_moves_the_threshold():
    X, y, _ = problem(2000)
    X[7] *= 1e4
    model, best = DaskAUCClassifier(l2=0.01).fit(*spread(X, y)), AUCClassifier(l2=0.01).fit(X, y)
    right, most = (
        np.mean([np.mean(found.predict(X[y == k]) == k) for k in (0, 1)]) for found in (model, best)
    )
    assert right > most - 0.02
    one = np.array([-1e6, 0, 0, 0, 1, 1, 1])
    model = DaskAUCClassifier().fit(*spread(one[:, None], (one > 0).astype(int)))
    np.testing.assert_array_equal(model.predict(one[:, None]), one > 0)
