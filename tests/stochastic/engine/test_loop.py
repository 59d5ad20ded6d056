"""The loop over rows against plain vectors, for extreme shrinkage, balls, averages and refreshed norms."""

from typing import NamedTuple

import numpy as np
import pytest

from aucmax.kernels.jit import inlined, kernel
from aucmax.kernels.rows import as_rows
from aucmax.stochastic.engine import loop
from aucmax.stochastic.engine.loop import Data, descend, no_context
from aucmax.stochastic.engine.model import Model
from oracles.iterates import Average, project

pytestmark = pytest.mark.python_mode


class Hyper(NamedTuple):
    shrink: float
    length: float


class State(NamedTuple):
    t: float = 0.0


@inlined
def step(hyper, state, row):
    """Moves along the row, shrinks, and gives later iterates more weight."""
    c = hyper.length * (1.0 if row.positive else -1.0) * row.weight * (1.0 - 0.1 * row.score)
    return c, hyper.shrink, state.t, State(state.t + 1.0)


@kernel
def epoch(hyper, state, model, data):
    return descend(step, no_context, hyper, state, model, data)


def by_plain_vectors(X, y, weights, hyper, radius):
    w, average, t = np.zeros(X.shape[1]), Average(X.shape[1]), 0.0
    for x, label, q in zip(X, y, weights, strict=True):
        average.add(w, t)
        c = hyper.length * np.sign(label) * q * (1 - 0.1 * (w @ x))
        w, t = project(hyper.shrink * w + c * x, radius), t + 1
    return w, average.mean


@pytest.mark.parametrize("shrink", [1.0, 0.9, 1e-3, 1e-20, 0.0])
@pytest.mark.parametrize("radius", [np.inf, 0.5])
@pytest.mark.parametrize("average", ["at once", "deferred", ""])
def test_equals_plain_vectors(problem, layout, shrink, radius, average):
    X, y, weights = problem
    hyper = Hyper(shrink, 0.3)
    last, mean = by_plain_vectors(X, y, weights, hyper, radius)
    data = Data.of(as_rows(layout(X)), y * weights).in_order(np.arange(len(y)))
    model = Model.at(np.zeros(20), average=bool(average), radius=radius)
    data = data.defer_average(model) if average == "deferred" else data
    state, model = epoch(hyper, State(), model, data)
    model = data.add_deferred(model)
    np.testing.assert_allclose(model.last(), last, atol=1e-12)
    np.testing.assert_allclose(model.result(), mean if average else last, atol=1e-12)
    np.testing.assert_allclose(model.sqnorm, last @ last, rtol=1e-10)
    np.testing.assert_allclose(model.max_sqnorm, (X**2).sum(1).max())
    assert state.t == model.n_seen == len(y)


def test_norm_is_recomputed_every_refresh_period(problem, monkeypatch):
    X, y, weights = problem
    monkeypatch.setattr(loop, "REFRESH_PERIOD", 64)
    data = Data.of(X, y * weights).in_order(np.arange(len(y)))
    wrong = Model.at(np.zeros(20), average=True)._replace(sqnorm=7.0)
    python_epoch = getattr(epoch, "py_func", epoch)
    _, model = python_epoch(Hyper(0.99, 0.3), State(), wrong, data)
    np.testing.assert_allclose(model.sqnorm, model.last() @ model.last(), rtol=1e-10)


@inlined
def weighted_context(context, X, i, signed_weight):
    return (context[0][i] * signed_weight,)


@inlined
def context_step(hyper, state, row):
    return row.context[0], 1.0, 0.0, state


@kernel
def context_epoch(hyper, state, model, data):
    return descend(context_step, weighted_context, hyper, state, model, data)


def test_step_receives_the_context_of_its_row(problem, layout):
    X, y, weights = problem
    numbers = np.linspace(-1, 1, len(y))
    data = Data(as_rows(layout(X)), y * weights, (numbers,), np.arange(len(y)))
    _, model = context_epoch(Hyper(1.0, 0.0), State(), Model.at(np.zeros(20), average=False), data)
    np.testing.assert_allclose(model.last(), (numbers * y * weights) @ X, atol=1e-11)


def test_rows_of_weight_zero_are_not_visited():
    data = Data.of(np.ones((3, 1)), np.array([1.0, 0.0, -1.0])).in_order(np.array([2, 1, 0]))
    np.testing.assert_array_equal(data.order, [2, 0])
