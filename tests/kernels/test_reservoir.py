"""The rows kept for replay: a fair sample, bounded in rows and bytes, that forgets with the half-life."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from aucmax.kernels.rows import CSR
from aucmax.streaming import model as module
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
    rows, places = begun.reservoir.rows, begun.reservoir.places[c, : int(begun.reservoir.kept[c])]
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
    assert 5 < model._model("coef_").reservoir.kept.min() < 100
    centred = OnlineAUCClassifier().partial_fit(X, y)
    assert centred._model("coef_").reservoir.rows.nbytes <= 2**15
    small = len(pickle.dumps(centred))
    assert len(pickle.dumps(centred.partial_fit(X, y))) <= small


def test_a_full_pool_keeps_whole_rows(monkeypatch):
    """Compacted many times over, the pool holds rows of the stream and no others."""
    monkeypatch.setattr(module, "RESERVOIR_BYTES", 2**13)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 60)) * (rng.random((3000, 60)) < rng.random((3000, 1)))
    X[:, 0] = 1.0  # no row is empty
    y = rng.integers(0, 2, 3000)
    model = OnlineAUCClassifier(center=False).partial_fit(sparse.csr_array(X), y)
    stored = {tuple(x[x != 0]): label for x, label in zip(X, y, strict=True)}
    for c in range(2):
        assert all(stored[tuple(row)] == c for row in kept_rows(model, c))


def test_rows_that_would_displace_many_are_not_kept(monkeypatch):
    monkeypatch.setattr(module, "RESERVOIR_BYTES", 2**15)
    rng = np.random.default_rng(0)
    X = np.zeros((300, 200))
    X[:, :3] = rng.normal(size=(300, 3))
    X[70:72] = X[250] = 1.0
    model = OnlineAUCClassifier(center=False).partial_fit(sparse.csr_array(X), np.arange(300) % 2)
    assert {len(row) for c in range(2) for row in kept_rows(model, c)} == {3}
    np.testing.assert_array_equal(model._model("coef_").reservoir.kept, [148, 149])
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
    np.testing.assert_array_equal(model.reservoir.kept, size)
    np.testing.assert_array_equal(model.reservoir.capacity, size)


def test_reservoir_of_size_zero_keeps_nothing(layout):
    X, y = numbered_rows(200)
    model = OnlineAUCClassifier(reservoir=0).partial_fit(layout(X), y)
    assert not model._model("coef_").reservoir.kept.any()
    assert model._model("coef_").reservoir.weights.size == 0
