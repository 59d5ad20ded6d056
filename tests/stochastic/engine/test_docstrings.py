"""Completed docstrings of the methods, and their shared example."""

import inspect

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import normalize, scale

import aucmax
from aucmax.stochastic.engine.estimator import StochasticAUCClassifier

METHODS = [
    method
    for name in aucmax.__all__
    if inspect.isclass(method := getattr(aucmax, name)) and issubclass(method, StochasticAUCClassifier)
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_every_parameter_and_attribute_is_described_once(method):
    lines = inspect.cleandoc(method.__doc__).splitlines()
    named = [line.split(" : ")[0] for line in lines if " : " in line and not line.startswith(" ")]
    described = [name for names in named for name in names.split(", ")]
    for name in (*inspect.signature(method).parameters, "coef_", "intercept_", "classes_", "n_iter_"):
        assert described.count(name) == 1, name


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_example_reaches_a_high_auc(method):
    X, y = load_breast_cancer(return_X_y=True)
    X = normalize(scale(X))
    assert method(random_state=0).fit(X, y).score(X, y) > 0.98
