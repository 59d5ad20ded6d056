"""One pass over the partitions in turn."""

import numpy as np
import pytest
from scipy import sparse

from aucmax import SOLAM, OnlineAUCClassifier
from aucmax.distributed import fit_in_turn, in_turn
from oracles.distributed import problem, spread


@pytest.mark.parametrize("model", [OnlineAUCClassifier(random_state=0), SOLAM(max_iter=1)])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_bits_are_those_of_partial_fit_on_all_rows(model, layout, monkeypatch):
    monkeypatch.setattr(in_turn, "AHEAD", 2)
    X, y, weights = problem(500)
    order = np.argsort(y, kind="stable")  # the first partitions hold one class only
    rows, *rest = spread(X[order], y[order], weights[order], chunks=90)
    found = fit_in_turn(model, rows.map_blocks(layout), *rest)
    whole = type(model)(**model.get_params())
    whole.partial_fit(layout(X[order]), y[order], classes=[0, 1], sample_weight=weights[order])
    np.testing.assert_array_equal(found.coef_, whole.coef_)
    assert not hasattr(model, "classes_")


def test_bad_rows_are_named():
    X, y, _ = problem()
    X[90, 1] = np.nan
    with pytest.raises(ValueError, match="Partition 2: "):
        fit_in_turn(OnlineAUCClassifier(), *spread(X, y))
    with pytest.raises(TypeError, match="X is ndarray, not a Dask array or data frame: .* use partial_fit"):
        fit_in_turn(OnlineAUCClassifier(), X, y)
