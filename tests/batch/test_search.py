"""Which values of l2 are tried, and which one is taken."""

from types import SimpleNamespace

import numpy as np
import pytest

from aucmax import AUCClassifierCV
from aucmax.batch.folds import FoldResults
from aucmax.batch.newton import Limits
from aucmax.batch.search import L2Search, best_setting, clearly_worse, first_good_setting, try_others
from aucmax.batch.splits import n_repeats
from aucmax.pairs.losses import LOSSES
from batch.problems import ranked

PROBLEM = SimpleNamespace(products=SimpleNamespace(n_features=2))


def search_of(auc, exact=True):
    """A search whose held-out AUC is a function of l2, the same on both folds."""

    def cross_validate(problem, loss, l2s, limits, start):
        scores = np.array([[auc(l2, limits), auc(l2, limits)] for l2 in l2s])
        return FoldResults(scores, *np.zeros((2, len(l2s), 2)), np.zeros((len(l2s), 1)), exact)

    return L2Search(PROBLEM, LOSSES["squared_hinge"], cross_validate, Limits(1e-4, 100))


def test_the_best_is_the_highest_mean_and_among_equals_the_largest_l2():
    search = search_of(lambda l2, limits: 0.9 - (l2 < 1.0))
    search.try_values(np.array([0.1, 1.0, 10.0]))
    assert search.best() == 2


def test_values_tried_later_are_merged_in_ascending_order():
    search = search_of(lambda l2, limits: -abs(np.log10(l2)))
    search.try_values(np.array([1e2, 1e3, 1e4, 1e5]))
    search.try_values(np.array([1e-1, 1.0]))
    assert np.all(np.diff(search.l2s) > 0)
    assert search.l2s[search.best()] == 1.0
    assert search.scores.shape == (6, 2)


@pytest.mark.parametrize("optimum", [1e-9, 1e3])
def test_a_grid_widens_until_the_best_is_inside(optimum):
    search = search_of(lambda l2, limits: -abs(np.log10(l2 / optimum)))
    search.try_values(np.logspace(-6, 0, 7))
    search.widen(10.0, L2Search.best)
    assert search.l2s[search.best()] == pytest.approx(optimum)
    assert 0 < search.best() < len(search.l2s) - 1


def test_scores_that_early_stopping_flatters_are_replaced_until_the_best_holds():
    stopped = {1.0: 0.95, 2.0: 0.94, 3.0: 0.90, 4.0: 0.93}
    solved = {1.0: 0.91, 2.0: 0.92}
    search = search_of(lambda l2, limits: (solved if limits.tol == 1e-4 else stopped)[l2], exact=False)
    search.try_values(np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(search.scores[:, 0], [0.91, 0.92, 0.90, 0.93])
    assert search.best() == 3


def test_the_value_nearest_to_the_default_is_taken_among_those_not_clearly_worse():
    search = search_of(None)
    search.l2s = np.array([0.01, 0.1, 1.0, 10.0])
    noise = np.array([0.0, 0.02, -0.02, 0.01])
    search.scores = np.array([0.5 + noise, 0.9 - 1e-3 + noise, 0.9 - 4e-3 + 2 * noise, 0.9 + noise])
    assert search.best() == 3
    assert search.nearest(1.5) == 2
    assert search.nearest(0.02) == 2  # 0.1 is below the best on every fold by the same amount


def test_differences_are_judged_fold_by_fold():
    folds = np.array([0.7, 0.9, 0.8])
    assert clearly_worse(folds - 1e-4, folds)
    assert not clearly_worse(folds + np.array([2e-3, -2e-3, 0.0]), folds)
    assert clearly_worse(np.array([0.8]), np.array([0.9]))


def test_folds_are_drawn_more_often_for_few_rows_of_a_class():
    assert [n_repeats(rows, cheap=True) for rows in (3, 100, 250, 499, 500, 10_000)] == [5, 5, 2, 2, 1, 1]
    assert n_repeats(3, cheap=False) == 1


def test_the_best_at_the_end_of_given_values_is_told():
    X, y, _ = ranked(n=200)
    with pytest.warns(UserWarning, match="the best of the given l2s is the smallest, 100; add smaller ones"):
        AUCClassifierCV(l2s=[100.0, 1e4]).fit(X, y)


def test_further_settings_are_tried_until_one_is_clearly_worse_and_the_best_or_the_first_good_is_taken():
    means = {1.0: 0.80, 2.0: 0.85, 4.0: 0.8501, 8.0: 0.82, 16.0: 0.99}

    def setting(value):
        search = search_of(None)
        noise = np.array([0.0, 0.01, -0.01]) * value / 4.0
        search.l2s, search.scores = np.array([1.0]), means[value] + noise[None, :]
        return search

    searches = {1.0: setting(1.0)}
    try_others(searches, [2.0, 4.0, 8.0, 16.0], setting)
    assert list(searches) == [1.0, 2.0, 4.0, 8.0]
    assert best_setting(searches) == 4.0
    assert first_good_setting(searches) == 2.0
