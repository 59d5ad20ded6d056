"""The threshold of scores in partitions against the exact one."""

import numpy as np
import pytest

from aucmax import AUCClassifier
from aucmax.batch.threshold import balanced_threshold
from aucmax.distributed import DaskAUCClassifier
from aucmax.pairs.sums import Classes
from oracles.distributed import problem, spread


@pytest.mark.parametrize("n_rows", [1000, 3000])  # without a sample of the rows, and with one
@pytest.mark.parametrize("max_scores", [200, 2**16])
def test_balanced_accuracy_is_nearly_the_best(max_scores, n_rows, monkeypatch):
    monkeypatch.setattr("aucmax.distributed.problem.MAX_SCORES", max_scores)
    X, y, weights = problem(n_rows)
    model = DaskAUCClassifier().fit(*spread(X, y, weights))
    score, signed = X @ model.coef_[0], np.where(y == 1, weights, -weights)
    cut = balanced_threshold(score, Classes.split(signed))

    def accuracy(threshold):
        above = score > threshold
        return np.average(above[y == 1], weights=weights[y == 1]) - np.average(
            above[y == 0], weights=weights[y == 0]
        )

    few = max_scores < n_rows
    assert accuracy(-model.intercept_[0]) == pytest.approx(accuracy(cut), abs=5e-3 if few else 1e-12)


def test_an_outlier_hardly_moves_the_threshold():
    X, y, _ = problem(2000)
    X[7] *= 1e4
    model = DaskAUCClassifier(l2=0.01).fit(*spread(X, y))
    with pytest.warns(UserWarning, match="a few values are so far from the others"):
        best = AUCClassifier(l2=0.01).fit(X, y)
    right, most = (
        np.mean([np.mean(found.predict(X[y == k]) == k) for k in (0, 1)]) for found in (model, best)
    )
    assert right > most - 0.02
    one = np.array([-1e6, 0, 0, 0, 1, 1, 1])
    model = DaskAUCClassifier().fit(*spread(one[:, None], (one > 0).astype(int)))
    np.testing.assert_array_equal(model.predict(one[:, None]), one > 0)
