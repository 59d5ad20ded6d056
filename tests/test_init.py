"""The public names: all can be imported, and no others."""

import pytest

import aucmax


@pytest.mark.parametrize("name", dir(aucmax))
def test_public_names_can_be_used(name):
    assert getattr(aucmax, name) is not None


def test_estimators_are_listed():
    assert {"AUCClassifier", "AUCClassifierCV", "OnlineAUCClassifier", "SPAM"} <= set(aucmax.__all__)


@pytest.mark.parametrize("name", aucmax.io.__all__)
def test_public_names_of_io_can_be_used(name):
    assert getattr(aucmax.io, name).__name__ == name


def test_the_former_place_of_a_name_still_has_it():
    from aucmax.io.reading.curves import column_curve

    assert column_curve is aucmax.io.column_curve


@pytest.mark.parametrize("module", [aucmax, aucmax.io])
def test_unknown_names_are_refused(module):
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'nothing'"):
        _ = module.nothing
