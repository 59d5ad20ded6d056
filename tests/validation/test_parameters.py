"""Errors for bad parameters name the parameter and the allowed values."""

import pickle

import numpy as np
import pytest

from aucmax.validation.convergence import NotConverged
from aucmax.validation.errors import DataError, ParameterError
from aucmax.validation.parameters import none, positive_integer


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("step_size", 0, "above 0"),
        ("step_size", "big", "above 0"),
        ("step_size", np.inf, "finite"),
        ("max_iter", 0, "whole number of at least 1"),
        ("max_iter", 2.0, "whole number"),
        ("tol", -1, "at least 0 or None"),
        ("average", 1, "True or False"),
        ("random_state", "seed", "RandomState"),
    ],
)
def test_bad_parameters_are_named(model, problem, name, value, expected):
    X, y, _ = problem
    model.set_params(**{name: value})
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=f"{name} must be .*{expected}"):
            call(X, y)


def test_error_has_the_name_and_the_value(model, problem):
    X, y, _ = problem
    with pytest.raises(ParameterError) as caught:
        model.set_params(max_iter=0).fit(X, y)
    error = caught.value
    assert (error.owner, error.name, error.got) == (type(model).__name__, "max_iter", 0)
    assert error.allowed == positive_integer.allowed


def test_a_function_has_no_owner():
    with pytest.raises(ParameterError, match="^window must be a whole number of at least 1 or None; got 0.$"):
        (positive_integer | none).check("window", 0)


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("SOLAM", "max_iter", "a whole number", 0),
        DataError("y has only one class", remedy="give both", place="Partition 1"),
        NotConverged("SOLAM stopped", "raise max_iter"),
    ],
)
def test_errors_can_be_pickled(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
