"""OAM against its boxes with plain lists for buffers."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from aucmax.kernels.random import seed_state
from aucmax.stochastic.oam.estimator import OAM
from oracles.oam import oam
from oracles.xorshift import Xorshift


@pytest.mark.python_mode
@pytest.mark.parametrize("update", ["gradient", "sequential"])
@pytest.mark.parametrize("n_chunks", [1, 7])
def test_equals_the_box(problem, layout, update, n_chunks):
    X, y, weights = problem
    last, buffers = oam(
        X,
        y,
        update=update,
        C=0.2,
        size=12,
        generator=Xorshift(seed_state(5)),
        weights=weights,
    )
    model = OAM(update, C=0.2, buffer_size=12, random_state=5)
    for part in np.array_split(np.arange(len(y)), n_chunks):
        model.partial_fit(layout(X[part]), y[part], classes=[-1, 1], sample_weight=weights[part])
    np.testing.assert_allclose(model.coef_[0], last, atol=1e-10)
    rows = model._solver.memory.rows
    kept = rows if isinstance(rows, np.ndarray) else sparse.csr_array(tuple(rows), shape=(24, 20)).toarray()
    np.testing.assert_array_equal(kept, buffers[1] + buffers[-1])


@pytest.mark.filterwarnings("ignore:OAM. nearly every row has another whole number")
def test_buffer_keeps_early_and_late_rows_equally_often():
    kept = np.zeros(300)
    values = np.arange(1.0, 301.0)[:, None]
    for seed in range(100):
        model = OAM(buffer_size=30, C=1e-9, random_state=seed).partial_fit(values, np.arange(300) % 2)
        kept[model._solver.memory.rows[:, 0].astype(int) - 1] += 1
    early, late = kept[:150].mean(), kept[150:].mean()
    assert kept.sum() == 100 * 60
    assert abs(early - late) < 3.0


def test_layout_may_change_in_a_stream(problem):
    X, y, _ = problem
    plain, mixed = OAM(random_state=0), OAM(random_state=0)
    plain.partial_fit(X, y)
    mixed.partial_fit(X[:100], y[:100])
    mixed = pickle.loads(pickle.dumps(mixed))
    mixed.partial_fit(sparse.csr_array(X[100:]), y[100:])
    np.testing.assert_allclose(mixed.coef_, plain.coef_, atol=1e-12)


def test_ranks_well(problem, layout):
    X, y, _ = problem
    for update in ("gradient", "sequential"):
        assert OAM(update, random_state=0, max_iter=3).fit(layout(X), y).score(layout(X), y) > 0.95
