"""Every public estimator, crossed with every check, dense and CSR; and scikit-learn's own checks."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import aucmax
from aucmax.stochastic.engine.estimator import StochasticAUCClassifier
from aucmax.testing import CHECKS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ESTIMATORS = [
    cls
    for name in aucmax.__all__
    if inspect.isclass(cls := getattr(aucmax, name)) and issubclass(cls, BaseEstimator)
]


# By default this one standardises dense rows and not sparse ones, as its docstring says.
SETTINGS = {"OnlineAUCClassifier": {"center": False}}


def instance(cls, **settings):
    if "random_state" in inspect.signature(cls).parameters:
        settings["random_state"] = 0
    return cls(**settings)


def known_failures(estimator):
    if not isinstance(estimator, StochasticAUCClassifier):
        return {}
    reason = "a row of weight two makes one step of twice the length, which is not two steps"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_behaviour(cls, check, layout):
    check(instance(cls, **SETTINGS.get(cls.__name__, {})), layout)


@parametrize_with_checks([instance(cls) for cls in ESTIMATORS], expected_failed_checks=known_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_docstring_says_what_score_is(cls):
    assert "``score`` is AUC" in cls.__doc__


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_to_sklearn_keeps_the_decision(cls, problem):
    X, y, _ = problem
    model = instance(cls).fit(X, y)
    np.testing.assert_allclose(
        model.to_sklearn().decision_function(X), model.decision_function(X), atol=1e-12
    )
