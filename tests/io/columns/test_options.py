"""The options for reading: one object, described once."""

import inspect

import pytest

from aucmax.io import read, stream
from aucmax.io.columns.options import ReadOptions


@pytest.mark.parametrize("function", [read, stream])
def test_every_option_is_a_documented_argument(function):
    parameters = inspect.signature(function).parameters
    for name, default in ReadOptions()._asdict().items():
        assert parameters[name].default == default
        assert f"\n    {name} : " in function.__doc__
    assert "{options}" not in function.__doc__


def test_open_choices_are_filled_in_and_others_kept():
    options = ReadOptions(label="y", missing="zero").with_defaults({"label": "z", "n_features": 3})
    assert options == ReadOptions(label="y", n_features=3, missing="zero")


def test_feature_names_are_not_stored():
    assert "features" not in ReadOptions(features=["a"]).to_dict()
