"""The rows kept for replay: a fair sample, bounded in rows and bytes, that forgets with the half-life."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from aucmax.kernels.rows import CSR
from aucmax.streaming import reservoir as module
from aucmax.streaming.estimator import OnlineAUCClassifier

pytestmark = pytest.mark.filterwarnings("ignore:OnlineAUCClassifier. nearly every row has another whole")


def numbered_rows(n_rows, n_features=4):
    """Rows that tell their number, of two classes in turn."""
    X = np.random.default_rng(0).normal(size=(n_rows, n_features))
    X[:, 0] = np.arange(1, n_rows + 1)
    return X, np.arange(n_rows) % 2


def kept_numbers(model, c):
    """Numbers of the rows kept of a class."""
    return np.array([row[0] for row in kept_rows(model, c)])


def kept_rows(model, c):
    """The stored values of the rows kept of a class."""
    begun = model._model("coef_")
    rows, places = begun.reservoir.rows, begun.reservoir.places[c, : int(begun.classes[c].kept)]
    if isinstance(rows, CSR):
        return [rows.data[rows.indptr[k] : rows.indptr[k + 1]] for k in places]
    return list(rows[places])


def test_every_row_is_kept_with_the_same_probability(layout):
    X, y = numbered_rows(4000)
    model = OnlineAUCClassifier(reservoir=400, center=False).partial_fit(layout(X), y)
    for c in range(2):
        numbers = kept_numbers(model, c)
        assert len(np.unique(numbers)) == 400
        assert (numbers % 2 == 1 - c).all()
        quarters = np.histogram(numbers, 4, (0, 4000))[0]
        assert np.abs(quarters - 100).max() < 30


def test_old_rows_are_replaced_as_fast_as_they_are_forgotten(layout):
    X, y = numbered_rows(4000)
    for half_life, size in ((100, 400), (1000, 50)):
        model = OnlineAUCClassifier(reservoir=size, half_life=half_life).partial_fit(layout(X), y)
        ages = 4000 - kept_numbers(model, 1)
        share = half_life / np.log(2) / 2
        assert len(ages) <= min(size, np.ceil(share) + 1)
        assert np.mean(ages < half_life) == pytest.approx(0.5, abs=0.2)


def test_memory_is_bounded_in_bytes(layout, monkeypatch):
    monkeypatch.setattr(module, "RESERVOIR_BYTES", 2**15)
    X = np.random.default_rng(0).normal(size=(3000, 40))
    X[1500:, 20:] *= np.random.default_rng(1).random((1500, 20)) < 0.9
    X[:1500, 20:] = 0.0  # later rows are longer
    y = np.arange(3000) % 2
    model = OnlineAUCClassifier(center=False).partial_fit(layout(X), y)
    rows = model._model("coef_").reservoir.rows
    assert rows.data.nbytes + rows.indices.nbytes <= 2**15
    assert 5 < model._model("coef_").classes.kept.min() < 100
    centred = OnlineAUCClassifier().partial_fit(X, y)
    assert centred._model("coef_").reservoir.rows.nbytes <= 2**15
    small = len(pickle.dumps(centred))
    assert len(pickle.dumps(centred.partial_fit(X, y))) <= small


def test_a_full_pool_keeps_whole_rows(monkeypatch):
    """Compacted many times over, the pool holds rows of the stream and no others."""
    monkeypatch.setattr(module, "RESERVOIR_BYTES", 2**13)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 60)) * (rng.random((3000, 60)) < rng.random((3000, 1)))
    y = rng.integers(0, 2, 3000)
    model = OnlineAUCClassifier(center=False).partial_fit(sparse.csr_array(X), y)
    stored = {tuple(x[x != 0]): label for x, label in zip(X, y, strict=True)}
    for c in range(2):
        assert all(stored[tuple(row)] == c for row in kept_rows(model, c))


def test_rows_too_long_to_be_kept_count_as_empty():
    rng = np.random.default_rng(0)
    n, d = 200, 300_000
    X = sparse.lil_array((n, d))
    X[:, :3] = rng.normal(size=(n, 3))
    X[70, :] = X[71, :] = 1.0
    y = np.arange(n) % 2
    model = OnlineAUCClassifier(center=False, reservoir=10).partial_fit(X.tocsr(), y)
    assert {len(row) for c in range(2) for row in kept_rows(model, c)} <= {0, 3}
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("size", [1, 10, 100])
def test_later_rows_may_be_much_longer(size):
    """The room follows the rows that come, so that as many are kept as were asked for."""
    rng = np.random.default_rng(0)
    short = sparse.random_array((100, 2000), density=0.001, random_state=rng, format="csr")
    long = sparse.random_array((3000, 2000), density=0.5, random_state=rng, format="csr")
    X = sparse.vstack([short, long], format="csr")
    y = rng.integers(0, 2, X.shape[0])
    model = OnlineAUCClassifier(reservoir=size).partial_fit(X, y)._model("coef_")
    np.testing.assert_array_equal(model.classes.kept, size)
    np.testing.assert_array_equal(model.classes.capacity, size)


def test_reservoir_of_size_zero_keeps_nothing(layout):
    X, y = numbered_rows(200)
    model = OnlineAUCClassifier(reservoir=0).partial_fit(layout(X), y)
    assert not model._model("coef_").classes.kept.any()
    assert model._model("coef_").reservoir.weights.size == 0
